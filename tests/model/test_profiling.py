import os

import pytest
import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings
from spacy_gapdner.model.profiling import PartProfiler, compute_settings
from spacy_gapdner.tagging import GridLayout

# operators that nothing else here uses, by the part that uses them
OPERATORS = {"tanh": "a", "sigmoid": "b", "sin": "rest", "exp": "c"}


def compute(x):
    with record_function("gapdner.a"):
        # a shape without a backward pass of its own has the number of the operator after it
        x = x.tanh() * x.detach().sum()
    x = x.sin()
    with record_function("gapdner.b"):
        x = x.sigmoid()

    def part(x):
        with record_function("gapdner.c"):
            return x.exp()

    return checkpoint(part, x, use_reentrant=False)


def profiled(function):
    # PyTorch asks once in a process what to print
    PartProfiler()
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        result = function()
    return result, profiler.events()


def parts_of(attributed, name):
    return {part for event, part in attributed if event.name == name}


def test_operators_belong_to_the_part_that_they_lie_in():
    _, events = profiled(lambda: compute(torch.ones(3)))
    attributed = PartProfiler().attribute(events)
    for name, part in OPERATORS.items():
        assert parts_of(attributed, f"aten::{name}") == {part}


@pytest.mark.parametrize("n_before", [0, 3])
def test_backward_belongs_to_the_part_of_the_forward_pass(n_before):
    profiler = PartProfiler()
    x = torch.ones(3, requires_grad=True)
    for _ in range(n_before):
        # numbers that other passes have used up
        profiler.attribute(profiled(lambda: x.cos().exp())[1])
    result, events = profiled(lambda: compute(x))
    profiler.attribute(events)
    _, events = profiled(result.sum().backward)
    attributed = profiler.attribute(events)
    for name, part in OPERATORS.items():
        backward = f"autograd::engine::evaluate_function: {name.capitalize()}Backward0"
        assert parts_of(attributed, backward) == {part}
    # computed once more, within the backward pass
    assert parts_of(attributed, "aten::exp") == {"c"}


def test_backward_without_a_known_forward_pass_is_rest():
    x = torch.ones(3, requires_grad=True)
    result = compute(x).sum()
    _, events = profiled(result.backward)
    attributed = PartProfiler().attribute(events)
    assert parts_of(attributed, "autograd::engine::evaluate_function: TanhBackward0") == {"rest"}


def test_seconds():
    profiler = PartProfiler()
    x = torch.ones(3, requires_grad=True)
    with profiler.record():
        result = compute(x)
    forward = dict(profiler.seconds)
    with profiler.record():
        result.sum().backward()
    assert set(forward) == {"a", "b", "c", "rest"}
    assert all(0 < forward[part] < seconds for part, seconds in profiler.seconds.items())


def test_the_profiler_prints_nothing(capfd):
    with PartProfiler().record():
        torch.ones(3).sum()
    assert capfd.readouterr() == ("", "")


PARTS = {
    "bilstm": "bilstm",
    "linear_attention": "span_attention",
    "criss_cross": "criss_cross",
    "co_predictor": "co_predictor",
}
WIDTHS = ("hidden", "boundary", "grid", "attention", "co_predictor")


@pytest.mark.parametrize("without", [None, *PARTS])
def test_marks_of_the_network(without):
    """What is switched off takes no time."""
    settings = GapDNERSettings(
        **{f"{name}_width": 8 for name in WIDTHS},
        **{f"{name}_dropout": 0.1 for name in ("word", "boundary", "grid")},
        **{name: name != without for name in (*PARTS, "biaffine")},
        layer_norm=True,
        distance_embedding=True,
        triangle_mask=True,
        none_bias=1.0,
    )
    network = GapDNERNetwork(8, GridLayout(4, (0, 1), (2,), (3,)), settings)
    profiler = PartProfiler()
    with profiler.record():
        (scores,) = network(torch.ones(2, 5, 8), torch.tensor([5, 4]), [2])
    with profiler.record():
        scores.sum().backward()
    parts = {part for name, part in PARTS.items() if name != without}
    assert set(profiler.seconds) == {*parts, "biaffine", "classifier", "rest"}


def test_settings_come_back():
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    parallel = os.environ.get("TOKENIZERS_PARALLELISM")
    with compute_settings(2, "medium"):
        assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (2, "medium")
        assert os.environ["TOKENIZERS_PARALLELISM"] == "true"
        with compute_settings(1, None):
            assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (1, "medium")
            assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before
    assert os.environ.get("TOKENIZERS_PARALLELISM") == parallel
