import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.losses import ZLPR, BinaryCrossEntropy, CrossEntropy
from spacy_gapdner.tagging import MultilabelTagging, SoftmaxTagging, TaggingScheme

LABELS = ["ADE", "Symptom"]
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
# where labels compete: "pain" is an entity and a fragment, [3, 8) an entity and a gap, and two
# types share the cell of [1, 9)
SYMPTOMS = [
    Entity("Symptom", ((8, 9),)),
    Entity("Symptom", ((3, 8),)),
    Entity("Symptom", ((1, 2), (8, 9))),
]
CROWDED_SOFTMAX = """
    .  .  .  .  .  .  .  .  .  .
    .  F  F  .  .  .  .  .  .  .
    .  .  .  G  .  G  .  G  .  .
    .  .  .  .  .  .  .  F  .  .
    .  .  .  .  F  .  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  .  .  .  .  F  .
    .  .  .  S  .  .  .  .  .  .
    .  A  .  .  .  .  .  .  S  .
    .  .  .  .  .  .  .  .  .  .
"""
CROWDED_MULTILABEL = """
    .  .  .  .  .  .  .  .  .  .
    .  F  F  .  .  .  .  .  .  .
    .  .  .  G  .  G  .  G  .  .
    .  .  .  .  .  .  . FG  .  .
    .  .  .  .  F  .  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  .  .  .  .  F  .
    .  .  .  S  .  .  .  .  .  .
    . AS  .  .  .  .  .  . FS  .
    .  .  .  .  .  .  .  .  .  .
"""
# small letters: Frag and Gap of Symptom
CROWDED_PER_TYPE = """
    .  .  .  .  .  .  .  .  .  .
    . Ff  F  .  .  .  .  .  .  .
    .  .  .  G  .  G  .  g  .  .
    .  .  .  .  .  .  . Gf  .  .
    .  .  .  .  F  .  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  .  .  .  .  F  .
    .  .  .  S  .  .  .  .  .  .
    . AS  .  .  .  .  .  . FfS .
    .  .  .  .  .  .  .  .  .  .
"""
SCHEMES = {
    "softmax": (SoftmaxTagging(), ".FGAS"),
    "multilabel": (MultilabelTagging(), "FGAS"),
    "per_type": (MultilabelTagging(per_type=True), "FfGgAS"),
}


def parse(table):
    """Read a table as {(row, column): letters}."""
    rows = [line.split() for line in table.strip().splitlines()]
    assert all(len(row) == len(rows) for row in rows)
    return {
        (i, j): "".join(sorted(letters))
        for i, row in enumerate(rows)
        for j, letters in enumerate(row)
        if letters != "."
    }


def encode(scheme, entities, labels=LABELS):
    """Encode entities and name the channels of each cell, as `parse` does."""
    tagging, letters = SCHEMES[scheme]
    cells = tagging.encode(entities, labels)
    assert cells.shape == (len(cells), 3)
    assert cells.dtype == np.int64
    assert len({tuple(cell) for cell in cells.tolist()}) == len(cells)
    found = {}
    for row, column, channel in cells.tolist():
        found[row, column] = "".join(sorted(found.get((row, column), "") + letters[channel]))
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_figure_of_the_paper(scheme):
    assert encode(scheme, FIGURE) == parse(FIGURE_GRID)


@pytest.mark.parametrize(
    ("scheme", "table"),
    [
        ("softmax", CROWDED_SOFTMAX),
        ("multilabel", CROWDED_MULTILABEL),
        ("per_type", CROWDED_PER_TYPE),
    ],
)
def test_crowded_grid(scheme, table):
    assert encode(scheme, FIGURE + SYMPTOMS) == parse(table)
    assert encode(scheme, SYMPTOMS[::-1] + FIGURE[::-1]) == parse(table)


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


@pytest.mark.parametrize(
    ("first", "second", "cell", "softmax", "multilabel"),
    [
        # a one-word entity that is a fragment of another keeps its type
        (entity("ADE", 0), entity("ADE", 0, 2), (0, 0), "A", "AF"),
        (entity("ADE", 0), entity("Symptom", 0, 2), (0, 0), "A", "AF"),
        # also where it is the gap of another
        (entity("Symptom", 1), entity("ADE", 0, 2), (1, 1), "S", "FGS"),
        # Frag before Gap, on the diagonal and above it
        (entity("ADE", 1, 3), entity("ADE", 0, 2), (1, 1), "F", "FG"),
        (entity("ADE", 1, 2), entity("ADE", 0, 3), (1, 2), "F", "FG"),
        # two types: the first of the labels
        (entity("Symptom", 0, 1), entity("ADE", 0, 1), (1, 0), "A", "AS"),
        (entity("Symptom", 0), entity("ADE", 0), (0, 0), "A", "AFS"),
    ],
)
def test_conflicts(first, second, cell, softmax, multilabel):
    for entities in ([first, second], [second, first]):
        assert encode("softmax", entities)[cell] == softmax
        assert encode("multilabel", entities)[cell] == multilabel


def test_order_of_labels_decides_between_types():
    entities = [entity("ADE", 0, 1), entity("Symptom", 0, 1)]
    # channel 3 is the first label's
    assert encode("softmax", entities, ["ADE", "Symptom"])[1, 0] == "A"
    cells = SoftmaxTagging().encode(entities, ["Symptom", "ADE"]).tolist()
    assert cells == [[0, 1, 1], [1, 0, 3]]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_entities(scheme):
    assert encode(scheme, []) == {}


@pytest.mark.parametrize(
    ("tagging", "n_channels", "frags", "gaps", "types"),
    [
        (SoftmaxTagging(), 5, (1, 1), (2, 2), (3, 4)),
        (MultilabelTagging(), 4, (0, 0), (1, 1), (2, 3)),
        (MultilabelTagging(per_type=True), 6, (0, 1), (2, 3), (4, 5)),
    ],
)
def test_layout(tagging, n_channels, frags, gaps, types):
    layout = tagging.layout(2)
    assert layout.n_channels == n_channels
    assert (layout.frags, layout.gaps, layout.types) == (frags, gaps, types)
    assert layout.upper == tuple(sorted({*frags, *gaps}))
    assert layout.lower == types
    assert layout.diagonal == (*layout.upper, *types)


def test_schemes_fit_their_losses():
    assert isinstance(SoftmaxTagging().loss, CrossEntropy)
    assert isinstance(MultilabelTagging().loss, ZLPR)
    assert isinstance(MultilabelTagging(BinaryCrossEntropy()).loss, BinaryCrossEntropy)
    assert all(isinstance(tagging, TaggingScheme) for tagging, _ in SCHEMES.values())
    with pytest.raises(ValueError, match=r"SoftmaxTagging .*CrossEntropy\.v1, .* gives it ZLPR"):
        SoftmaxTagging(ZLPR())
    with pytest.raises(ValueError, match=r"MultilabelTagging .*ZLPR\.v1 .* it CrossEntropy\."):
        MultilabelTagging(CrossEntropy())


def labelled(tagging, scores, cell_threshold):
    found = tagging.labelled_cells(np.asarray(scores, dtype="float32"), cell_threshold)
    cells = [tuple(cell) for cell in found.cells.tolist()]
    return dict(zip(cells, found.probabilities.tolist(), strict=True))


def test_softmax_labels_by_hand():
    log = math.log
    scores = [
        # None wins; Gap wins with less than half
        [[log(6), log(3), log(1), 0], [log(3), 0, log(4), log(2)]],
        # a tie goes to the first channel, here None, there Frag
        [[1, 0, 0, 1], [0, 2, 2, 0]],
    ]
    expected = {(0, 1, 2): 0.4, (1, 1, 1): math.exp(2) / (2 * math.exp(2) + 2)}
    assert labelled(SoftmaxTagging(), scores, 0.5) == pytest.approx(expected)
    assert labelled(SoftmaxTagging(), scores, 1.0) == pytest.approx(expected)
    # below a half the threshold lets others in, but never None
    expected |= {(0, 0, 1): 3 / 11}
    expected |= {(1, 0, 3): math.e / (2 * math.e + 2), (1, 1, 2): expected[1, 1, 1]}
    assert labelled(SoftmaxTagging(), scores, 0.25) == pytest.approx(expected)


def test_multilabel_labels_by_hand():
    logit = {p: math.log(p / (1 - p)) for p in (0.1, 0.4, 0.6, 0.9)}
    scores = [[[logit[0.1], 0, logit[0.9]], [logit[0.4]] * 3], [[-9] * 3, [logit[0.6], -9, -9]]]
    tagging = MultilabelTagging()
    expected = {(0, 0, 1): 0.5, (0, 0, 2): 0.9, (1, 1, 0): 0.6}
    assert labelled(tagging, scores, 0.5) == pytest.approx(expected)
    assert labelled(tagging, scores, 0.8) == pytest.approx({(0, 0, 2): 0.9})
    expected |= {(0, 1, 0): 0.4, (0, 1, 1): 0.4, (0, 1, 2): 0.4}
    assert labelled(tagging, scores, 0.3) == pytest.approx(expected)


def naive_softmax(cell, threshold):
    total = sum(math.exp(score) for score in cell)
    probabilities = [math.exp(score) / total for score in cell]
    best = cell.index(max(cell))
    return {c: p for c, p in enumerate(probabilities) if c > 0 and (c == best or p >= threshold)}


def naive_sigmoid(cell, threshold):
    probabilities = [1 / (1 + math.exp(-score)) for score in cell]
    return {c: p for c, p in enumerate(probabilities) if p >= threshold}


@pytest.mark.parametrize(
    ("tagging", "naive"), [(SoftmaxTagging(), naive_softmax), (MultilabelTagging(), naive_sigmoid)]
)
@given(data=st.data())
def test_labels_agree_with_a_loop_over_cells(tagging, naive, data):
    n = data.draw(st.integers(1, 3))
    # whole numbers, so that there are ties; no probability is near a threshold
    cell = st.lists(st.integers(-3, 3), min_size=4, max_size=4)
    scores = data.draw(st.lists(cell, min_size=n * n, max_size=n * n))
    threshold = data.draw(st.sampled_from([0.0123, 0.3123, 0.6123, 0.9876]))
    grid = np.array(scores).reshape(n, n, 4)
    expected = {
        (*divmod(i, n), channel): probability
        for i, own in enumerate(scores)
        for channel, probability in naive(own, threshold).items()
    }
    found = labelled(tagging, grid, threshold)
    assert found == pytest.approx(expected)
    assert list(found) == sorted(found)


@pytest.mark.parametrize(("tagging", "others"), [(SoftmaxTagging(), 0), (MultilabelTagging(), 1)])
def test_extreme_scores(tagging, others):
    top = 1e38
    scores = np.zeros((2, 2, 4), dtype="float32")
    scores[0, 1] = [-top, top, -top, -1e4]
    scores[1, 0] = [0, -1e4, 1e4, 50]
    scores[0, 0] = scores[1, 1] = [1, -200, -200, -200]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        found = labelled(tagging, scores, 0.5)
    expected = {(0, 1, 1): 1.0, (1, 0, 2): 1.0}
    if others:
        sigmoid = 1 / (1 + math.exp(-1))
        expected |= {(1, 0, 0): 0.5, (1, 0, 3): 1.0, (0, 0, 0): sigmoid, (1, 1, 0): sigmoid}
    assert found == pytest.approx(expected)
