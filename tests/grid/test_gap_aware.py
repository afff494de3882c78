"""The gap-aware tagging scheme, compared with a search of all sequences of Frags and Gaps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from labeled_grids import as_cells, parse

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.grid.scheme import channel_indices

TAGGING = GapAwareTagging()
LABELS = ["ADE", "Symptom"]
FRAG, GAP, ADE, SYMPTOM = 1, 2, 3, 4
# Feeling severe joint , shoulder and upper body pain .
#       0      1     2 3        4   5     6    7    8 9
FIGURE = [
    Entity("ADE", ((1, 3), (8, 9))),  # severe joint .. pain
    Entity("ADE", ((1, 2), (4, 5), (8, 9))),  # severe .. shoulder .. pain
    Entity("ADE", ((1, 2), (6, 9))),  # severe .. upper body pain
]
FIGURE_GRID = """
    .  .  .  .  .  .  .  .  .  .
    .  F  F  .  .  .  .  .  .  .
    .  .  .  G  .  G  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  F  .  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  .  .  .  .  F  .
    .  .  .  .  .  .  .  .  .  .
    .  A  .  .  .  .  .  .  F  .
    .  .  .  .  .  .  .  .  .  .
"""


def encode(entities, labels=LABELS):
    """Encode entities and name the channel of each cell by its first letter, as `parse` does."""
    cells = TAGGING.encode(entities, labels)
    names = TAGGING.channels(labels)
    found = {(row, column): names[channel][0] for row, column, channel in cells.tolist()}
    assert list(found) == sorted(found)
    assert len(found) == len(cells)
    return found


def test_grid_of_the_figure():
    assert encode(FIGURE) == parse(FIGURE_GRID)
    assert encode(FIGURE[::-1]) == parse(FIGURE_GRID)
    assert encode([]) == {}


def test_channels():
    # entity types can have the names of other labels
    labels = ["Gap", "ADE", "None", "Frag"]
    channels = TAGGING.channels(labels)
    assert channels == ("None", "Frag", "Gap", "Gap", "ADE", "None", "Frag")
    for n in range(4):
        assert channel_indices(TAGGING.channels(labels[:n]), channels) == list(range(n + 3))


def decode(cells, **settings):
    """The entities of `{(row, column, channel): probability}`."""
    return TAGGING.decode(as_cells(cells), LABELS, **settings)


def naive_entities(cells):
    """The path rule of the paper (section "Entity Decoding"), by trying every sequence of Frags
    and Gaps: entities with the lowest probability of the cells that they use."""
    links = {FRAG: {}, GAP: {}}
    for (i, j, channel), p in cells.items():
        if channel in links and i <= j:
            links[channel][i, j] = max(p, links[channel].get((i, j), 0))
        # a one-word entity is a fragment of any entity
        if channel in (ADE, SYMPTOM) and i == j:
            links[FRAG][i, i] = max(p, links[FRAG].get((i, i), 0))

    def extend(position, fragments, lowest):
        for (start, last), p in links[FRAG].items():
            if start != position:
                continue
            longer, reached = (*fragments, (start, last + 1)), min(lowest, p)
            yield longer, reached
            for (gap_start, gap_last), gap_p in links[GAP].items():
                if gap_start == last + 1:
                    yield from extend(gap_last + 1, longer, min(reached, gap_p))

    return {
        Entity(LABELS[channel - ADE], fragments): lowest
        for (tail, head, channel), p in cells.items()
        if channel in (ADE, SYMPTOM) and head <= tail
        for fragments, lowest in extend(head, (), p)
        if fragments[-1][1] == tail + 1
    }


@st.composite
def random_cells(draw):
    """A grid with several labels per cell, including cells that cannot have these labels."""
    n = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = draw(st.sampled_from([0.3, 0.6, 1.0]))
    channels = len(TAGGING.channels(LABELS))
    chosen = rng.permutation(np.argwhere(rng.random((n, n, channels)) < density)).tolist()
    return {tuple(cell): float(p) for cell, p in zip(chosen, rng.random(len(chosen)), strict=True)}


@given(cells=random_cells(), threshold=st.sampled_from([0.0, 0.3]), max_paths=st.integers(0, 40))
def test_agrees_with_the_path_rule_of_the_paper(cells, threshold, max_paths):
    scores = naive_entities(cells)
    expected = {e: score for e, score in scores.items() if score >= threshold}
    decoded = decode(cells, threshold=threshold)
    assert decoded.n_cut == 0
    assert {entity: entity.score for entity in decoded.entities} == expected
    assert decoded.entities == sorted(expected, key=lambda e: (e.token_indices, e.label))
    # best-first search
    decoded = decode(cells, max_paths=max_paths)
    kept = set(decoded.entities)
    lost = set(scores) - kept
    assert kept <= set(scores)
    assert len(kept) <= max_paths
    assert bool(lost) == bool(decoded.n_cut)
    if lost and kept:
        assert min(scores[entity] for entity in kept) >= max(scores[entity] for entity in lost)


def test_dead_ends_cost_nothing():
    # 30 tokens full of entity types, Frags and Gaps, but only one Frag ends at the tail
    n = 30
    frags = [(i, j) for i in range(n) for j in range(i, n - 1)]
    cells = {(*cell, channel): 1.0 for cell in frags for channel in (FRAG, GAP)}
    cells |= {(n - 1, head, ADE): 1.0 for head in range(1, n - 1)}
    # only the least probable one does
    cells |= {(n - 1, 0, ADE): 0.5, (0, n - 1, FRAG): 0.5}
    decoded = decode(cells, max_paths=2)
    assert (decoded.entities, decoded.n_cut) == ([Entity("ADE", ((0, n),))], 0)
