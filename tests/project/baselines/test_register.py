from inspect import signature
from pathlib import Path

import pytest
import torch
from baseline_equations import toe, w2ner
from equations import assert_same, bucket, by_cell
from grid_models import WIDTH as N_IN
from grid_models import fixed_vectors, initialize_model, network_of, score
from spacy import registry

from project.baselines.register import build_toe, build_w2ner
from project.baselines.tagging import TOETagging, W2NERTagging
from project.baselines.toe import TOENetwork, TOESettings
from project.baselines.w2ner import (
    N_DISTANCES,
    DilatedConvolutions,
    W2NERNetwork,
    W2NERSettings,
    distance_buckets,
)
from project.experiments.training import read_run_config
from spacy_gapdner.grid.scheme import channel_indices

FOLDER = Path(__file__).parents[3] / "project" / "baselines"
LABELS = ["A", "B"]
W2NER = {"hidden_width": 6, "embedding_width": 3, "grid_width": 4, "dilations": [1, 2]}
W2NER |= {"biaffine_width": 5, "predictor_width": 7}
W2NER |= {"word_dropout": 0.3, "grid_dropout": 0.2, "predictor_dropout": 0.1, "none_margin": 5.0}
TOE = {**W2NER, "n_rounds": 3, "n_heads": 2, "inner_width": 8, "attention_dropout": 0.4}
MODELS = {
    "W2NER": (W2NERNetwork, W2NERTagging(), W2NER, build_w2ner, w2ner),
    "TOE": (TOENetwork, TOETagging(), TOE, build_toe, toe),
}
both_models = pytest.mark.parametrize("name", MODELS)


def make_network(name, labels=LABELS, **settings):
    network, tagging, defaults, *_ = MODELS[name]
    settings = (TOESettings if name == "TOE" else W2NERSettings)(**{**defaults, **settings})
    return network(N_IN, tagging.channels(labels), settings)


def make_batch(lengths, dtype=torch.float32):
    words = torch.randn(len(lengths), max(lengths), N_IN, dtype=dtype)
    return words.requires_grad_(), torch.tensor(lengths)


@both_models
@pytest.mark.parametrize(
    ("dilations", "lengths", "is_train"),
    [([1, 2, 3], [3, 1, 5], False), ([2], [3, 1, 5], False), ([1, 2], [4], True)],
)
def test_agrees_with_the_equations(name, dilations, lengths, is_train):
    """In training, both have the same dropout."""
    net = make_network(name, dilations=dilations).double().train(is_train)
    # their weights are initially zero
    for layer in (net.pairs.gain, net.pairs.bias):
        torch.nn.init.normal_(layer.weight)
    words, lengths = make_batch(lengths, torch.float64)
    torch.manual_seed(0)
    scores = score(net, words, lengths)
    rows = list(enumerate(lengths.tolist()))
    actual = [scores[row, :n, :n].flatten(0, 1) for row, n in rows]
    torch.manual_seed(0)
    expected = [MODELS[name][-1](words[row, :n], net, dilations).flatten(0, 1) for row, n in rows]
    assert_same(torch.cat(actual), torch.cat(expected), [words, *net.parameters()], atol=1e-9)


@both_models
def test_added_types_do_not_change_scores(name):
    trained, tagging = make_network(name).eval(), MODELS[name][1]
    labels = [*LABELS, "C"]
    channels = channel_indices(tagging.channels(LABELS), tagging.channels(labels))
    extended = make_network(name, labels=labels).eval()
    extended.copy_weights_from(trained, channels)
    batch = make_batch([5])
    actual, expected = score(extended, *batch)[..., channels], score(trained, *batch)
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-5)


@both_models
def test_labels_start_with_low_scores(name):
    scores = []
    for margin in (0.0, 5.0):
        torch.manual_seed(0)
        scores.append(score(make_network(name, none_margin=margin).eval(), *make_batch([4])))
    channels = MODELS[name][1].channels(LABELS)
    expected = torch.tensor([0.0 if channel == "None" else -5.0 for channel in channels])
    assert ("None" in channels) == (name == "W2NER")
    torch.testing.assert_close(scores[1] - scores[0], expected.expand_as(scores[0]))


def test_buckets_of_distances():
    buckets = distance_buckets(300, torch.device("cpu"))
    assert buckets.unique().tolist() == list(range(N_DISTANCES))
    # 8 is the bucket of distance 0
    assert buckets[0, [0, 1, 3, 4, 127, 128, 299]].tolist() == [8, 9, 10, 11, 15, 16, 16]
    expected = by_cell(40, lambda i, j: torch.tensor(bucket(i, j)))
    assert torch.equal(buckets[:40, :40], expected)


def test_gradient_of_convolutions_in_mixed_precision():
    """On a CPU, PyTorch's bfloat16 gradient of dilated depthwise convolutions has random values."""
    layer = DilatedConvolutions(80, [1, 2, 3], chained=False)
    for n in range(40, 60):
        grid, mask = torch.randn(1, n, n, 80), torch.ones(1, n, dtype=torch.bool)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = layer(grid, mask)
        assert_same(mixed, layer(grid, mask), [*layer.parameters()], atol=1e-3)


def test_images_are_contiguous():
    """With channels last, cuDNN's depthwise convolutions are slow."""
    layer, images = DilatedConvolutions(8, [1, 2, 3], chained=True), []
    for convolution in layer.convolutions:
        convolution.register_forward_pre_hook(lambda _, inputs: images.extend(inputs))
    layer(torch.randn(2, 5, 5, 8), torch.ones(2, 5, dtype=torch.bool))
    assert [image.is_contiguous() for image in images] == [True] * 3


@both_models
def test_architecture_builds_its_network(name):
    _, tagging, settings, build, _ = MODELS[name]
    model = initialize_model(build(fixed_vectors(), tagging, **settings), LABELS)
    assert str(network_of(model)) == str(make_network(name))


@pytest.mark.parametrize("name", ["w2ner", "toe"])
def test_published_settings(name):
    filled = read_run_config(FOLDER / f"{name}.cfg", {}, 0).filled
    pipe, training = filled["components"]["gapdner"], filled["training"]
    assert (training["batcher"]["size"], training["optimizer"]["grad_clip"]) == (16, 5.0)
    assert (training["optimizer"]["L2"], training["patience"]) == (0.0, 0)
    model = pipe["model"]
    # the defaults of the architecture
    default = registry.architectures.get(model["@architectures"])
    for setting in signature(default).parameters.values():
        if setting.default is not setting.empty:
            value = setting.default
            assert model[setting.name] == (list(value) if isinstance(value, tuple) else value)
    losses = {
        "w2ner": {
            "@losses": "spacy-gapdner.CrossEntropy.v1",
            "normalize": "cells",
            "label_weight": 1.0,
        },
        "toe": {"@losses": "gapdner-baselines.ZLPR.v1", "alpha": 0.5, "n_fine": 3},
    }
    assert model["tagging"]["loss"] == losses[name]
