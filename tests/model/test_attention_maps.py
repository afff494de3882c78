import numpy as np
import pytest
import torch
from grid_models import network_of
from thinc.api import Model
from tiny_pipeline import CORPUS, make_doc, make_nlp, train

from spacy_gapdner import get_entities
from spacy_gapdner.model.attention_maps import find_network, record_attention
from spacy_gapdner.segments import Segment, merge_segments

# the longest is not first, and two are of one length
SENTENCES = [CORPUS[2][0], CORPUS[0][0], CORPUS[3][0], "he took nothing for pain"]
BOUNDS = [(0, 5), (5, 14), (14, 15), (15, 20)]


@pytest.fixture(scope="module")
def nlp():
    nlp = make_nlp()
    train(nlp, 15)
    return nlp


@pytest.fixture(scope="module")
def pipe(nlp):
    return nlp.get_pipe("gapdner")


def make_text(nlp):
    starts = {start for start, _ in BOUNDS}
    sent_starts = [i in starts for i in range(BOUNDS[-1][1])]
    return make_doc(nlp, " ".join(SENTENCES), sent_starts=sent_starts)


def record(pipe, doc, segments=None):
    segments = segments or pipe.segments([doc])[0]
    with record_attention(pipe.model) as recording:
        pipe.model.predict(([doc], [segments]))
    return recording.maps(doc, segments)


def test_the_maps_are_those_of_the_prediction(nlp, pipe):
    plain = nlp(make_text(nlp))
    with record_attention(pipe.model) as recording:
        doc = nlp(make_text(nlp))
    # nothing is recorded afterwards
    pipe.predict([doc])
    assert not any(module._forward_hooks for module in network_of(pipe.model).modules())
    segments = pipe.segments([doc])[0]
    maps = recording.maps(doc, segments)
    assert [tuple(m.segment) for m in maps] == BOUNDS
    assert [" ".join(m.tokens) for m in maps] == SENTENCES
    decoded = [pipe.selection.decode(m.scores, pipe.tagging, pipe.labels).entities for m in maps]
    merged = [(e, e.score) for e in merge_segments(decoded, segments)]
    assert merged
    assert merged == [(e.to_entity(), e.score) for e in get_entities(doc)]
    # and recording does not change it
    found = get_entities(plain)
    assert [e for e, _ in merged] == [e.to_entity() for e in found]
    assert [score for _, score in merged] == pytest.approx([e.score for e in found], abs=1e-5)
    with pytest.raises(ValueError, match="other segments"):
        recording.maps(doc, [Segment(0, len(doc))])


@torch.no_grad()
def test_weights_are_those_of_the_equations(nlp, pipe):
    network, doc = network_of(pipe.model), make_text(nlp)
    features = []
    hook = network.norm.register_forward_hook(lambda *args: features.append(args[-1]))

    def weigh_cross(grid, i, j):
        n, part = len(grid), network.criss_cross
        cells = [*((i, k) for k in range(n)), *((k, j) for k in range(n) if k != i)]
        keys = torch.stack([part.key(grid[cell]) for cell in cells])
        weights = (keys @ part.query(grid[i, j]) * part.scale).softmax(dim=0)
        expected = np.full((n, n), np.nan)
        expected[tuple(zip(*cells, strict=True))] = weights
        return expected

    vectors = pipe.model.get_ref("tok2vec").predict([doc])[0]
    for m in record(pipe, doc):
        n = len(m.tokens)
        words = torch.from_numpy(vectors[m.segment.start : m.segment.end])[None]
        hidden = network.encode(words, torch.tensor([n]))
        network.map_grid(hidden)
        grid = features[-1].view(n, n, -1)
        for i, j in np.ndindex(n, n):
            layer = network.span_attention.upper if i <= j else network.span_attention.lower
            spans = layer(hidden[0, min(i, j) : max(i, j) + 1]).softmax(dim=0)[:, 0]
            np.testing.assert_allclose(m.span_weights(i, j), spans, rtol=0, atol=1e-5)
            expected = weigh_cross(grid, i, j)
            np.testing.assert_allclose(m.cell_weights(i, j), expected, rtol=0, atol=1e-5)
    hook.remove()


@pytest.mark.parametrize("part", ["linear_attention", "criss_cross"])
def test_an_attention_that_is_switched_off(part):
    nlp = make_nlp({part: False})
    maps = record(nlp.get_pipe("gapdner"), make_text(nlp))[0]
    assert (maps.span_weights(0, 1) is None) == (part == "linear_attention")
    assert (maps.cell_weights(0, 1) is None) == (part == "criss_cross")


def test_networks_without_attention():
    with pytest.raises(ValueError, match=r"'other'.*only the architecture"):
        find_network(Model("other", lambda *_: None))
    model = make_nlp({"linear_attention": False, "criss_cross": False}).get_pipe("gapdner").model
    with pytest.raises(ValueError, match=r"'gapdner'.*both are switched off"):
        find_network(model)
