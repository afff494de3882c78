"""What requests hold."""

from pydantic import BaseModel, Field

from ..web import Message
from .brat_file import Mark
from .journal import Status


class Sent(BaseModel):
    """An entity, or a proposal that is none, in characters of the text."""

    label: str
    fragments: list[tuple[int, int]]
    id: str | None = None

    def to_mark(self) -> Mark:
        """RETURNS (Mark): The same for the file."""
        return Mark(self.label, tuple(self.fragments), self.id)


class Annotation(Message):
    """All that is to be saved of a text, and the version that was changed."""

    version: str
    entities: list[Sent]
    status: Status
    rejected: list[Sent] = Field([])
