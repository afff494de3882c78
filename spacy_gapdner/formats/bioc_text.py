"""The texts of BioC: passages at offsets, and characters that XML can have."""

import re
from collections.abc import Sequence

from ..errors import GapDNERError
from .report import NOWHERE, Place, Report

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


def to_xml_text(text: str, report: Report | None = None, place: Place = NOWHERE) -> str:
    """Replace what XML cannot have, character by character, so that offsets hold: whitespace such
    as a form feed by a space, others by U+FFFD.

    text (str): The text.
    report (Optional[Report]): Takes the text if something is replaced.
    place (Place): The document.
    RETURNS (str): A text of the same length.
    """
    found = _NOT_XML.findall(text)
    if found and report is not None:
        message = f"{len(found)} replaced, such as {found[0]!r}, in {text[:40]!r}"
        report.add("repaired", "characters that XML cannot have", message, place)
    return _NOT_XML.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)
