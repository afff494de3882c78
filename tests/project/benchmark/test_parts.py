from types import SimpleNamespace

import pytest
import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

from project.benchmark.parts import add_up_events, prediction_shares, training_shares

NETWORK = {
    *("encoder", "pooling to words", "bilstm", "biaffine", "span attention", "criss cross"),
    *("classifier", "rest of the grid network"),
}
BACKWARD = "autograd::engine::evaluate_function: "


def compute(x):
    with record_function("gapdner.a"):
        # operators without backward pass have the number of the next operator
        x = x.tanh() * x.detach().sum()
    x = x.sin()
    with record_function("gapdner.b"):
        x = x.sigmoid()

    def part(x):
        with record_function("gapdner.c"):
            return x.exp()

    return checkpoint(part, x, use_reentrant=False)


# the attributes of events that are used
FIELDS = (
    *("id", "name", "time_range", "thread", "fwd_thread", "sequence_nr", "device_type"),
    "cpu_parent",
)
# operators that are only used in one part
OPERATORS = {"tanh": "a", "sigmoid": "b", "sin": "rest", "exp": "c"}


@pytest.mark.parametrize("name", OPERATORS)
def test_events_are_assigned_to_parts(name):
    """Only the events of one operator get a time, forward and backward."""
    x = torch.ones(3, requires_grad=True)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        compute(x).sum().backward()
    names = {f"aten::{name}", f"{BACKWARD}{name.capitalize()}Backward0"}
    events = {}
    for e in profiler.events():
        fields = {field: getattr(e, field) for field in FIELDS}
        own = 1.0 if e.name in names else 0.0
        events[e.id] = SimpleNamespace(**fields, self_cpu_time_total=own, kernels=[])
    assert {e.name for e in events.values() if e.self_cpu_time_total} == names
    for e in events.values():
        e.cpu_parent = e.cpu_parent and events[e.cpu_parent.id]
    times = add_up_events(events.values())
    assert {part for part, time in times.items() if time} == {OPERATORS[name]}


def test_shares(runner, examples):
    parts = NETWORK | ({"word pieces, alignment"} if runner.encoder.network is not None else set())
    if runner.encoder.component is None:
        parts -= {"pooling to words"}
    layers = [runner.pipe.model.get_ref(name) for name in ("grid", "tok2vec")]
    before = [layer._func for layer in layers]
    for find, own in (
        (prediction_shares, {"tokenizing", "sentencizer", "decoding", "annotation", "rest"}),
        (training_shares, {"loss", "optimizer", "rest"}),
    ):
        shares = find(runner, examples)
        assert set(shares) == parts | own
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares.values()) > 0
    # the pipeline does not change
    assert [layer._func for layer in layers] == before
    assert "forward" not in vars(runner.encoder.network or object)
