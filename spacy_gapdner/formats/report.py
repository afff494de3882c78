"""What a reader or a conversion dropped, repaired or left as it was, and where."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ..errors import GapDNERError, shorten

_LOGGER = logging.getLogger(__name__)

Action = Literal["dropped", "repaired", "kept"]

_LONGEST_MESSAGE = 300


class Place(NamedTuple):
    """Where something stands in the input: the path of a file, the number of a line from 1 on, and
    the name of a document.
    """

    file: str | None = None
    line: int | None = None
    document: str | None = None

    def __str__(self) -> str:
        if self.file is None:
            return self.document or "?"
        if self.line is not None:
            return f"{self.file}:{self.line}"
        # the file of a single document has its name
        is_single = Path(self.file).name.startswith(Path(self.document or "").name)
        return self.file if is_single else f"{self.file}, {self.document}"


NOWHERE = Place()
# the kind of a document that cannot be read
UNREADABLE = "unreadable document"


def printable(text: str) -> str:
    """RETURNS (str): The text, with what UTF-8 cannot hold as an escape such as \\udce9."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True)
class Issue:
    """One thing that was not as it should be.

    action (str): "dropped", "repaired", or "kept" where nothing could or should be done.
    kind (str): The same few words for all issues of a kind.
    message (str): The details of this one.
    place (Place): Where it stands.
    offsets (tuple[tuple[int, int], ...]): The fragments it is about, in characters or tokens.
    """

    action: Action
    kind: str
    message: str
    place: Place
    offsets: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The issue as JSON has it."""
        values = {"action": self.action, "kind": self.kind, "message": self.message}
        offsets = [*map(list, self.offsets)]
        return {**values, **self.place._asdict(), "offsets": offsets}

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass
class Report:
    """What happened between files and Docs; readers and writers add to it.

    strict (bool): Raise a GapDNERError at the first dropped item.
    skip (bool): Leave out documents that cannot be read, and note them, instead of stopping.
    documents, entities (int): Documents that became Docs, and entities the readers handed on.
    issues (list[Issue]): Everything dropped, repaired or kept, in order.
    left_out (Counter[str]): Entities by type that were not asked for.
    files (set[Path]): The files that were read beside the one that was named.
    """

    strict: bool = False
    skip: bool = False
    documents: int = 0
    entities: int = 0
    issues: list[Issue] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    files: set[Path] = field(default_factory=set)

    def add(
        self,
        action: Action,
        kind: str,
        message: str,
        place: Place,
        offsets: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Note an issue, see `Issue`.

        RAISES (GapDNERError): If it was dropped and the report is strict.
        """
        message = shorten(printable(message), _LONGEST_MESSAGE)
        file, document = (name and printable(name) for name in (place.file, place.document))
        place = place._replace(file=file, document=document)
        issue = Issue(action, kind, message, place, tuple(offsets))
        self.issues.append(issue)
        if self.strict and action == "dropped":
            raise GapDNERError(
                f"{issue} ({kind}). Correct it, or convert without strict mode to leave it out."
            )

    @property
    def skipped(self) -> list[Issue]:
        """RETURNS (list[Issue]): The documents that were left out because they cannot be read."""
        return [issue for issue in self.issues if issue.kind == UNREADABLE]

    def counts(self, action: Action | None = None) -> Counter[str]:
        """RETURNS (Counter[str]): The number of issues per kind; of one action if it is given."""
        return Counter(issue.kind for issue in self.issues if action in (None, issue.action))

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): Counts by action and kind, and the issues, as JSON has them."""
        return {
            "documents": self.documents,
            "entities": self.entities,
            "left_out": dict(sorted(self.left_out.items())),
            **{action: dict(self.counts(action)) for action in get_args(Action)},
            "issues": [issue.to_dict() for issue in self.issues],
        }


@contextmanager
def reading(report: Report | None, place: Place) -> Iterator[None]:
    """Read a document, which is left out and noted if it cannot be read and the report says so."""
    try:
        yield
    except (GapDNERError, OSError) as error:
        if report is None or not report.skip:
            raise
        report.add("dropped", UNREADABLE, str(error), place)


@contextmanager
def logging_drops(report: Report | None, path: str | Path) -> Iterator[Report]:
    """Make a report where nobody asked for one, and log what it says was dropped."""
    made = Report() if report is None else report
    try:
        yield made
    finally:
        # also where whoever reads stops early
        if report is None:
            for kind, count in made.counts("dropped").items():
                _LOGGER.warning("%s: %d left out (%s)", path, count, kind)
