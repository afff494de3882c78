"""What a reader or a conversion dropped, repaired or left as it was, and where."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..errors import GapDNERError

Action = Literal["dropped", "repaired", "kept"]


class Place(NamedTuple):
    """Where something stands in the input.

    file (Optional[str]): Path of the file.
    line (Optional[int]): Line number from 1 on.
    document (Optional[str]): Name of the document.
    """

    file: str | None = None
    line: int | None = None
    document: str | None = None

    def __str__(self) -> str:
        if self.file is None:
            return self.document or "?"
        return self.file if self.line is None else f"{self.file}:{self.line}"


NOWHERE = Place()


@dataclass(frozen=True)
class Issue:
    """One thing that was not as it should be.

    action (str): "dropped", "repaired", or "kept" where nothing could or should be done.
    kind (str): The same few words for all issues of a kind.
    message (str): The details of this one.
    place (Place): Where it stands.
    offsets (tuple[tuple[int, int], ...]): The fragments it is about, half-open: in characters
        for formats over text, in tokens for tokenised ones.
    """

    action: Action
    kind: str
    message: str
    place: Place
    offsets: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The issue as JSON has it."""
        return {
            "action": self.action,
            "kind": self.kind,
            "message": self.message,
            "file": self.place.file,
            "line": self.place.line,
            "document": self.place.document,
            "offsets": [list(fragment) for fragment in self.offsets],
        }

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass
class Report:
    """What happened between files and Docs. Readers and conversions write into one they get.

    strict (bool): Raise a GapDNERError at the first dropped item.
    documents (int): Documents that became Docs.
    entities (int): Entities the readers handed on.
    issues (list[Issue]): Everything dropped, repaired or kept, in order.
    left_out (Counter[str]): Entities by type that were not asked for.
    """

    strict: bool = False
    documents: int = 0
    entities: int = 0
    issues: list[Issue] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        action: Action,
        kind: str,
        message: str,
        place: Place,
        offsets: tuple[tuple[int, int], ...] = (),
    ) -> None:
        """Note an issue.

        action (str): "dropped", "repaired" or "kept".
        kind (str): The same few words for all issues of a kind.
        message (str): The details of this one.
        place (Place): Where it stands.
        offsets (tuple[tuple[int, int], ...]): The fragments it is about.
        RAISES (GapDNERError): If it was dropped and the report is strict.
        """
        issue = Issue(action, kind, message, place, tuple(offsets))
        self.issues.append(issue)
        if self.strict and action == "dropped":
            raise GapDNERError(
                f"{issue} ({kind}). Correct it, or convert without strict mode to leave it out."
            )

    def counts(self, action: Action | None = None) -> Counter[str]:
        """Count the issues by kind.

        action (Optional[str]): Count this action alone.
        RETURNS (Counter[str]): Number of issues per kind.
        """
        return Counter(i.kind for i in self.issues if action in (None, i.action))

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): Counts by action and kind, and every issue, as JSON has it."""
        return {
            "documents": self.documents,
            "entities": self.entities,
            "left_out": dict(sorted(self.left_out.items())),
            "dropped": dict(self.counts("dropped")),
            "repaired": dict(self.counts("repaired")),
            "kept": dict(self.counts("kept")),
            "issues": [issue.to_dict() for issue in self.issues],
        }
