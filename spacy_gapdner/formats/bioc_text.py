"""The texts of BioC: passages at offsets, and characters that XML can have."""

import re
from collections.abc import Sequence

from ..errors import GapDNERError
from .report import Place

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Characters between two passages: whatever was left out there, it is no file of terabytes
_LONGEST_GAP = 10_000_000


def join_passages(parts: Sequence[tuple[int, str]], place: Place) -> tuple[str, int]:
    """Put passages together; whitespace that ends in a line feed fills what is between them.

    parts (Sequence[tuple[int, str]]): Offset and text of each, in any order.
    place (Place): The document.
    RETURNS (tuple[str, int]): The text, and the offset of its first character.
    RAISES (GapDNERError): If they overlap, or are so far apart that an offset must be wrong.
    """
    ordered = sorted(parts)
    base = ordered[0][0] if ordered else 0
    text = ""
    for offset, part in ordered:
        gap = offset - base - len(text)
        if gap < 0:
            raise GapDNERError(
                f"{place}: document {place.document} has passages that overlap at offset {offset}. "
                "Offsets must count characters, not bytes."
            )
        if gap > _LONGEST_GAP:
            raise GapDNERError(
                f"{place}: document {place.document} has a passage at offset {offset}, but the one "
                f"before ends at {base + len(text)}. Correct the offset."
            )
        text += ("\n".rjust(gap) if gap else "") + part
    return text, base


def check_xml_text(text: str) -> str:
    """Make sure that XML can have a text.

    text (str): The text.
    RETURNS (str): The same.
    RAISES (GapDNERError): If it holds a control character.
    """
    if found := _NOT_XML.search(text):
        raise GapDNERError(
            f"XML cannot have the character {found.group()!r}. Write BioC as JSON: a name with "
            ".json."
        )
    return text
