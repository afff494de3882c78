"""The networks of W2NER and TOE as a whole, and the architectures that build them."""

import pytest
import torch
from baseline_equations import tag_embedding, w2ner
from grid_models import WIDTH as N_IN
from grid_models import fixed_vectors, make_input, network_of, score

from project.baselines.register import build_toe, build_w2ner
from project.baselines.tagging import TOETagging, W2NERTagging
from project.baselines.toe import TOENetwork, TOESettings
from project.baselines.w2ner import W2NERNetwork, W2NERSettings
from spacy_gapdner.grid import SoftmaxTagging

LABELS = ["A", "B"]
IMPOSSIBLE = -1e4
SIZES = {"hidden_width": 6, "embedding_width": 3, "grid_width": 4}
SIZES |= {"biaffine_width": 5, "predictor_width": 7}
DROPOUTS = {"word_dropout": 0.3, "grid_dropout": 0.2, "predictor_dropout": 0.1}
W2NER = {**SIZES, **DROPOUTS, "dilations": [1, 2], "triangle_mask": True, "none_bias": 5.0}
TOE = {**W2NER, "n_heads": 2, "tag_dropout": 0.4}
MODELS = {
    "W2NER": (W2NERNetwork, W2NERTagging(), W2NER, build_w2ner),
    "TOE": (TOENetwork, TOETagging(), TOE, build_toe),
}
both_models = pytest.mark.parametrize("name", MODELS)


def make_network(name, tagging=None, **settings):
    network, own_tagging, own_settings, _ = MODELS[name]
    given = (TOESettings if name == "TOE" else W2NERSettings)(**{**own_settings, **settings})
    return network(N_IN, (tagging or own_tagging).layout(LABELS), given)


def make_batch(lengths, dtype=torch.float32):
    words = torch.randn(len(lengths), max(lengths), N_IN, dtype=dtype)
    return words.requires_grad_(), torch.tensor(lengths)


@both_models
@pytest.mark.parametrize("dilations", [[1, 2, 3], [2]])
def test_is_the_equations(assert_same, name, dilations):
    net = make_network(name, dilations=dilations, triangle_mask=False).double().eval()
    # gain and bias begin at zero
    for layer in (net.pairs.gain, net.pairs.bias):
        torch.nn.init.normal_(layer.weight)
    words, lengths = make_batch([3, 1, 5], torch.float64)
    scores = score(net, words, lengths)

    def encode(hidden):
        return tag_embedding(hidden, net.tags, 2) if name == "TOE" else hidden

    rows = list(enumerate(lengths.tolist()))
    actual = [scores[row, :n, :n].flatten(0, 1) for row, n in rows]
    expected = [w2ner(words[row, :n], net, dilations, encode).flatten(0, 1) for row, n in rows]
    assert_same(torch.cat(actual), torch.cat(expected), [words, *net.parameters()], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "tagging", "not_above", "not_on", "not_below"),
    [
        # None, NNW, THW, THW
        ("W2NER", None, [2, 3], [1], [1]),
        # NNW, PNW, THW, THW, HTW, HTW
        ("TOE", None, [1, 2, 3], [0, 1], [0, 4, 5]),
        # any scheme fits any network: None, Frag, Gap and two types
        ("TOE", SoftmaxTagging(), [3, 4], [], [1, 2]),
    ],
)
def test_triangles_rule_labels_out(name, tagging, not_above, not_on, not_below):
    inputs = make_batch([4])
    ruled_out = score(make_network(name, tagging).eval(), *inputs)[0] == IMPOSSIBLE
    for i in range(4):
        for j in range(4):
            expected = not_above if i < j else not_below if i > j else not_on
            assert ruled_out[i, j].nonzero().flatten().tolist() == expected, (i, j)
    free = make_network(name, tagging, triangle_mask=False)
    assert not (score(free, *inputs) == IMPOSSIBLE).any()


@both_models
def test_architecture_builds_its_network(name):
    network, tagging, settings, build = MODELS[name]
    model = build(fixed_vectors(), tagging, **settings)
    model.attrs["labels"] = LABELS
    model.initialize(X=make_input())
    assert (model.name, model.attrs["tagging"]) == (name.lower(), tagging)
    built = network_of(model)
    assert type(built) is network
    assert (built.n_in, built.n_channels) == (N_IN, tagging.layout(LABELS).n_channels)
    # every setting reaches the network
    expected = make_network(name)
    assert str(built) == str(expected)
    assert [p.shape for p in built.parameters()] == [p.shape for p in expected.parameters()]
    assert torch.equal(built.triangle_mask.impossible, expected.triangle_mask.impossible)
    bias = built.predictor.classifier.bias
    assert bias[-1].item() == -settings["none_bias"]
