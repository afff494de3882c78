"""Choose a color for each entity type, the same on every page."""

import re
from collections.abc import Iterable, Mapping
from zlib import crc32

from ..errors import GapDNERError

# All colors have a contrast of at least 3:1 with white. On a dark background, the style sheet makes
# them lighter, so that it is at least 4.5:1. They are chosen to be as distinct as possible,
# including for color-blind people.
PALETTE = (
    *("#d86000", "#0078b4", "#24780c", "#d860c0", "#907878", "#9c78fc", "#c03048", "#00786c"),
    *("#e45478", "#009c9c", "#90600c", "#7854cc", "#189c24", "#8484c0", "#9c9048", "#c03c90"),
    *("#0090f0", "#786090"),
)
_COLOR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+|(?:rgb|hsl)a?\([\d.,%/\s]+\)")


def choose_colors(labels: Iterable[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Choose a color for each entity type by its name, unless it is given. If several types have
    the same color, the first in alphabetical order gets it, and the others get the next free color.
    Returns the colors sorted by type."""
    given = given or {}
    for label, color in given.items():
        if not _COLOR.fullmatch(color):
            raise GapDNERError(
                f"Invalid color for {label}: {color!r}. Use #rrggbb, a name, rgb(...) or hsl(...)."
            )
    used = [0] * len(PALETTE)
    chosen = {}
    for label in sorted(set(labels)):
        own = crc32(label.encode()) % len(PALETTE)
        places = (*range(own, len(PALETTE)), *range(own))
        place = min(places, key=used.__getitem__)
        used[place] += label not in given
        chosen[label] = given.get(label, PALETTE[place])
    return chosen
