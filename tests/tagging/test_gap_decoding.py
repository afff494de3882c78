import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.tagging import LabelledCells, MultilabelTagging, SoftmaxTagging
from spacy_gapdner.tagging.gap import decode_gaps

LABELS = ["ADE", "Symptom"]
SCHEMES = [SoftmaxTagging(), MultilabelTagging(), MultilabelTagging(per_type=True)]
IDS = ["softmax", "multilabel", "per_type"]
SHARED = MultilabelTagging().layout(2)
FRAG, GAP, ADE, SYMPTOM = 0, 1, 2, 3

# Feeling severe joint , shoulder and upper body pain .
#       0      1     2 3        4   5     6    7    8 9
FIGURE = [
    Entity("ADE", ((1, 2), (4, 5), (8, 9))),  # severe .. shoulder .. pain
    Entity("ADE", ((1, 2), (6, 9))),  # severe .. upper body pain
    Entity("ADE", ((1, 3), (8, 9))),  # severe joint .. pain
]
FIGURE_FRAGS = [(1, 1), (1, 2), (4, 4), (6, 8), (8, 8)]
FIGURE_GAPS = [(2, 3), (2, 5), (3, 7), (5, 7)]


def as_cells(cells):
    """Labelled cells from `{(row, column, channel): probability}`."""
    rows = np.array(list(cells), dtype="int64").reshape(-1, 3)
    return LabelledCells(rows, np.array(list(cells.values()), dtype="float64"))


def grid(frags=(), gaps=(), ades=(), symptoms=()):
    channels = {FRAG: frags, GAP: gaps, ADE: ades, SYMPTOM: symptoms}
    return as_cells({(*cell, c): 1.0 for c, cells in channels.items() for cell in cells})


def found(labelled, layout=SHARED, **kwargs):
    decoded = decode_gaps(labelled, layout, LABELS, **kwargs)
    assert decoded.n_cut == 0
    return [(entity.label, *entity.fragments) for entity in decoded.entities]


def naive_paths(cells, layout):
    """All entities by trying every sequence of edges, with the product of the cells they use."""
    entities = {}
    for k, label in enumerate(LABELS):
        frags, gaps = {}, {}
        for (i, j, channel), p in cells.items():
            if channel == layout.frags[k] and i <= j:
                frags[i, j] = max(p, frags.get((i, j), 0))
            if channel == layout.gaps[k] and i <= j:
                gaps[i, j] = p
            # a one-word entity is a fragment, for every type that shares its Frag label
            if i == j and any(
                channel == t and layout.frags[other] == layout.frags[k]
                for other, t in enumerate(layout.types)
            ):
                frags[i, i] = max(p, frags.get((i, i), 0))

        def extend(position, fragments, product, wanted, frags=frags, gaps=gaps):
            for (start, last), p in (frags if wanted == "frag" else gaps).items():
                if start != position:
                    continue
                if wanted == "gap":
                    yield from extend(last + 1, fragments, product * p, "frag")
                else:
                    longer = (*fragments, (start, last + 1))
                    yield longer, product * p
                    yield from extend(last + 1, longer, product * p, "gap")

        for (tail, head, channel), p in cells.items():
            if channel != layout.types[k] or tail < head:
                continue
            for fragments, product in extend(head, (), p, "frag"):
                if fragments[-1][1] == tail + 1:
                    entities[Entity(label, fragments)] = product
    return entities


@st.composite
def random_cells(draw, layout, max_tokens=5):
    """A grid with labels anywhere, also where no label may stand."""
    n = draw(st.integers(1, max_tokens))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    density = draw(st.sampled_from([0.3, 0.6, 1.0]))
    chosen = rng.permutation(np.argwhere(rng.random((n, n, layout.n_channels)) < density)).tolist()
    return {tuple(cell): float(p) for cell, p in zip(chosen, rng.random(len(chosen)), strict=True)}


def test_figure_of_the_paper():
    labelled = grid(FIGURE_FRAGS, FIGURE_GAPS, ades=[(8, 1)])
    decoded = decode_gaps(labelled, SHARED, LABELS)
    assert decoded.entities == FIGURE
    assert [entity.score for entity in decoded.entities] == [1.0, 1.0, 1.0]
    assert decoded.n_cut == 0


@pytest.mark.parametrize(
    ("missing", "lost"),
    [((2, 3), [0]), ((5, 7), [0]), ((2, 5), [1]), ((3, 7), [2])],
)
def test_figure_without_a_gap(missing, lost):
    gaps = [cell for cell in FIGURE_GAPS if cell != missing]
    decoded = decode_gaps(grid(FIGURE_FRAGS, gaps, ades=[(8, 1)]), SHARED, LABELS)
    assert decoded.entities == [e for i, e in enumerate(FIGURE) if i not in lost]


@pytest.mark.parametrize(
    ("frags", "gaps", "fragments"),
    [
        # begins with a Gap
        ([(1, 1), (2, 2)], [(0, 0)], None),
        # ends with a Gap
        ([(0, 0)], [(1, 2)], None),
        # a Gap alone
        ([], [(0, 2)], None),
        # two Frags in a row
        ([(0, 0), (1, 2)], [], None),
        # two Gaps in a row
        ([(0, 0), (2, 2)], [(1, 1)], [(0, 1), (2, 3)]),
        # Frag and Gap do not meet, or overlap
        ([(0, 0), (2, 2)], [], None),
        ([(0, 1), (2, 2)], [(1, 1)], None),
        # goes beyond the tail and stops short of it
        ([(0, 3)], [], None),
        ([(0, 1)], [], None),
        # the whole as a Frag
        ([(0, 2)], [(0, 2)], [(0, 3)]),
        # Frag and Gap below the diagonal
        ([(2, 0)], [], None),
        ([(0, 0), (2, 2)], [(1, 0)], None),
    ],
)
def test_validity(frags, gaps, fragments):
    expected = [] if fragments is None else [("ADE", *fragments)]
    assert found(grid(frags, gaps, ades=[(2, 0)])) == expected


def test_gaps_do_not_follow_gaps():
    frags = [(0, 0), (3, 3)]
    assert found(grid(frags, [(1, 1), (2, 2)], ades=[(3, 0)])) == []
    assert found(grid(frags, [(1, 1), (2, 2), (1, 2)], ades=[(3, 0)])) == [
        ("ADE", (0, 1), (3, 4)),
    ]


def test_type_above_the_diagonal_means_nothing():
    assert found(grid([(0, 2)], ades=[(0, 2)])) == []


def test_one_word_entity_is_a_fragment():
    # no Frag label at all: both fragments are given by the types
    labelled = grid(gaps=[(1, 1)], ades=[(2, 0), (0, 0)], symptoms=[(2, 2)])
    assert found(labelled) == [("ADE", (0, 1)), ("ADE", (0, 1), (2, 3)), ("Symptom", (2, 3))]


def test_types_share_their_path():
    assert found(grid([(0, 1)], ades=[(1, 0)], symptoms=[(1, 0)])) == [
        ("ADE", (0, 2)),
        ("Symptom", (0, 2)),
    ]


def test_types_with_links_of_their_own():
    layout = MultilabelTagging(per_type=True).layout(2)
    frags, gaps, types = layout.frags, layout.gaps, layout.types
    cells = {(2, 0, types[0]), (2, 0, types[1]), (0, 0, frags[0]), (2, 2, frags[0])}
    # the gap belongs to the other type
    assert found(as_cells(dict.fromkeys(cells | {(1, 1, gaps[1])}, 1.0)), layout) == []
    assert found(as_cells(dict.fromkeys(cells | {(1, 1, gaps[0])}, 1.0)), layout) == [
        ("ADE", (0, 1), (2, 3)),
    ]
    # so does a one-word entity
    other = cells - {(2, 2, frags[0])} | {(1, 1, gaps[0]), (2, 2, types[1])}
    assert found(as_cells(dict.fromkeys(other, 1.0)), layout) == [("Symptom", (2, 3))]


def test_scores_are_geometric_means():
    cells = {
        (2, 0, ADE): 0.9,
        (0, 0, FRAG): 0.8,
        (1, 1, GAP): 0.5,
        (2, 2, FRAG): 0.6,
        (0, 2, FRAG): 0.4,
        # a one-word entity uses its cell twice unless its Frag label is the better one
        (1, 1, SYMPTOM): 0.25,
        # the Frag of (2, 2) is weaker than the type, which counts as a Frag then
        (2, 2, SYMPTOM): 0.7,
    }
    expected = {
        Entity("ADE", ((0, 1), (2, 3))): (0.9 * 0.8 * 0.5 * 0.7) ** (1 / 4),
        Entity("ADE", ((0, 3),)): (0.9 * 0.4) ** (1 / 2),
        Entity("Symptom", ((1, 2),)): (0.25 * 0.25) ** (1 / 2),
        Entity("Symptom", ((2, 3),)): (0.7 * 0.7) ** (1 / 2),
    }
    entities = decode_gaps(as_cells(cells), SHARED, LABELS).entities
    assert {entity: entity.score for entity in entities} == pytest.approx(expected)
    cells[1, 1, FRAG] = 1.0
    expected[Entity("Symptom", ((1, 2),))] = 0.5
    entities = decode_gaps(as_cells(cells), SHARED, LABELS).entities
    assert {entity: entity.score for entity in entities} == pytest.approx(expected)
    for threshold in (0.0, 0.59, 0.61, 0.69, 0.71, 1.0):
        kept = decode_gaps(as_cells(cells), SHARED, LABELS, threshold=threshold)
        assert set(kept.entities) == {e for e, score in expected.items() if score >= threshold}
        assert kept.n_cut == 0


def test_probability_of_zero():
    cells = {(1, 0, ADE): 1.0, (0, 1, FRAG): 0.0}
    (entity,) = decode_gaps(as_cells(cells), SHARED, LABELS).entities
    assert 0 <= entity.score < 1e-10


def test_empty_grid():
    decoded = decode_gaps(as_cells({}), SHARED, LABELS)
    assert (decoded.entities, decoded.n_cut) == ([], 0)


@pytest.mark.parametrize("tagging", SCHEMES, ids=IDS)
@given(data=st.data())
def test_agrees_with_an_exhaustive_search(tagging, data):
    layout = tagging.layout(2)
    cells = data.draw(random_cells(layout))
    expected = naive_paths(cells, layout)
    decoded = decode_gaps(as_cells(cells), layout, LABELS)
    assert decoded.n_cut == 0
    # type, fragments and the gaps between them
    scores = {e: product ** (1 / (2 * len(e.fragments))) for e, product in expected.items()}
    assert {entity: entity.score for entity in decoded.entities} == pytest.approx(scores)
    assert len(decoded.entities) == len(expected)
    ordered = sorted(expected, key=lambda e: (e.start, e.end, e.fragments, e.label))
    assert decoded.entities == ordered


@given(data=st.data(), max_paths=st.integers(0, 40))
def test_search_is_best_first(data, max_paths):
    cells = data.draw(random_cells(SHARED))
    products = naive_paths(cells, SHARED)
    decoded = decode_gaps(as_cells(cells), SHARED, LABELS, max_paths=max_paths)
    kept = set(decoded.entities)
    lost = set(products) - kept
    assert kept <= set(products)
    assert len(kept) <= max_paths
    assert bool(lost) == bool(decoded.n_cut)
    if lost and kept:
        worst = min(products[entity] for entity in kept)
        assert worst >= max(products[entity] for entity in lost) * (1 - 1e-9)


def test_max_paths_by_hand():
    cells = {(0, 0, ADE): 0.9, (1, 1, ADE): 0.8, (2, 2, SYMPTOM): 0.7}
    # each takes a step from head to tail and one to see that it is there, by their products:
    # .9, .9 * .9 (done), .8, .7, .8 * .8 (done), .7 * .7 (done)
    results = [decode_gaps(as_cells(cells), SHARED, LABELS, max_paths=k) for k in range(7)]
    assert [len(result.entities) for result in results] == [0, 0, 1, 1, 1, 2, 3]
    assert [result.n_cut for result in results] == [3, 3, 2, 2, 2, 1, 0]


def test_dead_ends_cost_nothing():
    # 30 tokens full of entity types, Frags and Gaps, but only one Frag ends at the tail
    n = 30
    frags = [(i, j) for i in range(n) for j in range(i, n - 1)]
    cells = {(*cell, channel): 1.0 for cell in frags for channel in (FRAG, GAP)}
    cells |= {(n - 1, head, ADE): 1.0 for head in range(1, n - 1)}
    # the one that does is the least probable
    cells |= {(n - 1, 0, ADE): 0.5, (0, n - 1, FRAG): 0.5}
    decoded = decode_gaps(as_cells(cells), SHARED, LABELS, max_paths=2)
    assert decoded.entities == [Entity("ADE", ((0, n),))]
    assert decoded.n_cut == 0


@pytest.mark.parametrize("tagging", SCHEMES, ids=IDS)
def test_hostile_grid_of_128_tokens(tagging):
    layout = tagging.layout(2)
    scores = np.random.default_rng(0).normal(0, 1, (128, 128, layout.n_channels))
    labelled = tagging.labelled_cells(scores.astype("float32"), 0.5)
    # random labels are everywhere
    assert len(labelled.cells) > 128 * 128 / 2
    decoded = decode_gaps(labelled, layout, LABELS, max_paths=3000)
    assert decoded.n_cut > 0
    assert 0 < len(decoded.entities) <= 3000
    assert all(0 <= e.start < e.end <= 128 for e in decoded.entities)
    assert all(0 < e.score <= 1 for e in decoded.entities)


def test_every_label_in_every_cell():
    cells = {(i, j, c): 1.0 for i in range(64) for j in range(64) for c in range(4)}
    decoded = decode_gaps(as_cells(cells), SHARED, LABELS, max_paths=500)
    assert decoded.n_cut > 0
    assert len(decoded.entities) + decoded.n_cut >= 64 * 65


DETERMINISM = """
import sys
sys.modules["torch"] = None  # not needed here, and slow to import
import numpy as np
from spacy_gapdner.entities import Entity
from spacy_gapdner.tagging import LabelledCells, MultilabelTagging
from spacy_gapdner.tagging.gap import decode_gaps
from spacy_gapdner.tagging.grid_losses import grid_losses

labels = ["ADE", "Symptom", "Drug"]
layout = MultilabelTagging().layout(3)
cells = np.argwhere(np.ones((7, 7, layout.n_channels)))
# equal probabilities: order can only come from the tie rules
print(decode_gaps(LabelledCells(cells, np.full(len(cells), 0.5)), layout, labels, max_paths=400))
entities = [Entity.from_tokens(label, tokens) for label, tokens in zip(
    labels * 3, [[0, 3], [0, 2, 4], [0, 1, 4], [0, 4], [1, 3], [0, 2, 3], [2], [0, 5], [1, 2, 5]]
)]
print(grid_losses(entities, MultilabelTagging(), labels))
"""


def test_the_same_in_every_process():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", DETERMINISM],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    (output,) = outputs
    assert output.count("Entity(") > 50
    spurious = output.split("spurious=")[1]
    assert spurious.count("Entity(") > 5
