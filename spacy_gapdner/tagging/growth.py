"""Where the channels of a grid go when entity types are added to a trained model."""

from itertools import combinations

from ..entities import Entity
from ..errors import GapDNERError
from .scheme import GridLayout, TaggingScheme

# So many words make every kind of entity: of one word, of several, with a gap.
_N_WORDS = 4


def map_channels(tagging: TaggingScheme, n_old: int, n_new: int) -> list[int]:
    """Find out which channel each one becomes when types are added behind those there are.

    A scheme says nothing of it but by the cells that it writes: the same entity is written under
    both numbers of types. Channels for None are matched in their order.

    tagging (TaggingScheme): The scheme.
    n_old (int): Number of entity types before.
    n_new (int): Number of entity types afterwards.
    RETURNS (list[int]): For each channel of the old layout the channel of the new one.
    RAISES (GapDNERError): If the scheme does not say it of each channel.
    """
    old, new = tagging.layout(n_old), tagging.layout(n_new)
    labels = [str(number) for number in range(n_new)]
    words = range(_N_WORDS)
    shapes = [tokens for n in words for tokens in combinations(words, n + 1)]
    found: dict[int, int] = {}
    for label in labels[:n_old]:
        for tokens in shapes:
            entity = Entity.from_tokens(label, tokens)
            before = tagging.encode([entity], labels[:n_old]).tolist()
            after = tagging.encode([entity], labels).tolist()
            places = [[tuple(cell[:2]) for cell in cells] for cells in (before, after)]
            pairs = {(b[2], a[2]) for b, a in zip(before, after, strict=False)}
            if places[0] != places[1] or any(found.setdefault(b, a) != a for b, a in pairs):
                raise GapDNERError(
                    f"{type(tagging).__name__} writes an entity in other cells when there are "
                    "more types, so that its channels cannot be kept. Train a new model."
                )
    nones = [
        [c for c in range(layout.n_channels) if c not in _labels(layout)] for layout in (old, new)
    ]
    found.update(zip(*nones, strict=False))
    if sorted(found) != list(range(old.n_channels)) or len(set(found.values())) != len(found):
        raise GapDNERError(
            f"{type(tagging).__name__} does not tell what becomes of each of its channels when "
            "there are more types. Train a new model."
        )
    return [found[channel] for channel in range(old.n_channels)]


def _labels(layout: GridLayout) -> set[int]:
    return {*layout.upper, *layout.diagonal, *layout.lower}
