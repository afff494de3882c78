"""Report the items that readers and writers dropped, repaired or kept unchanged."""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ..entities import Fragments
from ..errors import GapDNERError, shorten

MISSING_TYPE = "entity type"
# the kind of issue for entities whose offsets and surface text contradict each other
SURFACE = "surface text differs"
_LOGGER = logging.getLogger(__name__)

Action = Literal["dropped", "repaired", "kept", "missing", "chosen"]

_LONGEST_MESSAGE = 300


class Place(NamedTuple):
    """A place in the input: the file, the line, starting from 1, and the document's name."""

    file: str | None = None
    line: int | None = None
    document: str | None = None

    def __str__(self) -> str:
        if self.file is None:
            return self.document or "?"
        if self.line is not None:
            return f"{self.file}:{self.line}"
        # a file with a single document has its name
        name = Path(self.document or "").name
        is_single = not name or f"{Path(self.file).name}.".startswith(f"{name}.")
        return self.file if is_single else f"{self.file}, {self.document}"


NOWHERE = Place()
UNREADABLE = "unreadable document"


def printable(text: str) -> str:
    """RETURNS (str): The text, with characters that UTF-8 cannot encode as escapes (\\udce9)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def format_offsets(fragments: Fragments) -> str:
    """RETURNS (str): The offsets of fragments as in brat, such as "0 6;20 24"."""
    return ";".join(f"{start} {end}" for start, end in fragments)


@dataclass(frozen=True)
class Issue:
    """A problem in the input or with the output. The action is "kept" if nothing was changed,
    "missing" for a selected type, or "chosen" if a reader chose between several interpretations.
    The offsets are the fragments concerned, in characters or tokens.
    """

    action: Action
    kind: str
    message: str
    place: Place
    offsets: Fragments = ()

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The issue for JSON."""
        values = vars(self) | self.place._asdict()
        del values["place"]
        return values

    def __str__(self) -> str:
        # errors begin with the place
        is_error = self.place.file is not None and self.message.startswith(f"{self.place} ")
        return self.message if is_error else f"{self.place}: {self.message}"


@dataclass
class Report:
    """The items that readers and writers dropped, repaired or kept unchanged.

    strict (bool): Raise a GapDNERError at the first dropped item, or at the first entity whose
        surface text contradicts its offsets.
    skip (bool): Skip documents that cannot be read instead of stopping.
    needs_types (bool): Raise a GapDNERError if no entity of the data has one of the selected types.
    documents, entities (int): Numbers of documents and entities that were read.
    issues (list[Issue]): Everything dropped, repaired or kept, in order.
    left_out (Counter[str]): Numbers of entities of types that were not selected, by type.
    lang (Optional[str]): The language whose rules tokenized the texts; None for other data.
    """

    strict: bool = False
    skip: bool = False
    needs_types: bool = True
    documents: int = 0
    entities: int = 0
    issues: list[Issue] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    lang: str | None = None

    def add(
        self, action: Action, kind: str, message: str, place: Place, offsets: Fragments = ()
    ) -> None:
        """Add an `Issue`; raises a GapDNERError if the report is strict and does not allow it."""
        file, document = (name and printable(name) for name in (place.file, place.document))
        place = place._replace(file=file, document=document)
        # lists of types are complete
        longest = 10**9 if kind == MISSING_TYPE else _LONGEST_MESSAGE
        issue = Issue(action, kind, shorten(printable(message), longest), place, tuple(offsets))
        self.issues.append(issue)
        if self.strict and (action == "dropped" or kind == SURFACE):
            raise GapDNERError(f"{issue} ({kind}). Correct it, or convert without strict mode.")

    @property
    def skipped(self) -> list[Issue]:
        """RETURNS (list[Issue]): The documents that were skipped because they cannot be read."""
        return [issue for issue in self.issues if issue.kind == UNREADABLE]

    def counts(self, action: Action | None = None) -> Counter[str]:
        """RETURNS (Counter[str]): The number of issues per kind, for all actions or one."""
        return Counter(issue.kind for issue in self.issues if action in (None, issue.action))

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): Counts by action and kind, and the issues, for JSON."""
        return {
            "documents_read": self.documents,
            "entities_read": self.entities,
            "lang": self.lang,
            "left_out": dict(sorted(self.left_out.items())),
            **{action: dict(self.counts(action)) for action in get_args(Action)},
            "issues": [issue.to_dict() for issue in self.issues],
        }


@contextmanager
def reading(report: Report | None, place: Place) -> Iterator[None]:
    """If the report skips unreadable documents, add them to it; otherwise raise the error."""
    try:
        yield
    except (GapDNERError, OSError) as error:
        if report is None or not report.skip:
            raise
        report.add("dropped", UNREADABLE, str(error), place)


@contextmanager
def logging_drops(report: Report | None, path: str | Path) -> Iterator[Report]:
    """Create a report if none is given. Log what is dropped, contradictions and choices."""
    made = Report() if report is None else report
    try:
        yield made
    finally:
        # also if the caller stops reading early
        if report is None:
            for kind, count in made.counts("dropped").items():
                _LOGGER.warning("%s: %d dropped (%s)", path, count, kind)
            if number := made.counts()[SURFACE]:
                _LOGGER.warning("%s: %d kept (%s)", path, number, SURFACE)
            for issue in made.issues:
                if issue.kind == MISSING_TYPE or issue.action == "chosen":
                    _LOGGER.warning("%s", issue)
