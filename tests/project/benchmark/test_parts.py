from types import SimpleNamespace

import pytest
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

from project.benchmark.parts import add_up_events, prediction_shares, training_shares
from spacy_gapdner import get_entities

NETWORK = {
    *("encoder", "pooling to words", "bilstm", "biaffine", "span attention", "criss cross"),
    *("classifier", "co predictor", "rest of the grid network"),
}
PREDICTION = {"tokenizing", "sentencizer", "decoding", "annotation", "rest"}


def event(number, name, start, end, own, parent=None, sequence_nr=-1, kernels=()):
    return SimpleNamespace(
        id=number,
        name=name,
        time_range=SimpleNamespace(start=start, end=end),
        self_cpu_time_total=own,
        cpu_parent=parent,
        thread=1,
        fwd_thread=1,
        sequence_nr=sequence_nr,
        kernels=[SimpleNamespace(duration=duration) for duration in kernels],
        device_type=DeviceType.CPU,
    )


BACKWARD = "autograd::engine::evaluate_function: "


def test_backward_counts_for_the_part_of_the_forward_pass():
    part = event(0, "gapdner.bilstm", 0, 10, 1)
    first = event(1, "aten::mm", 1, 8, 7, part, sequence_nr=3)
    loss = event(2, "gapdner.loss", 20, 30, 1)
    backward = event(3, f"{BACKWARD}MmBackward0", 21, 25, 2, loss, sequence_nr=3)
    inner = event(4, "aten::mm", 22, 24, 2, backward)
    weights = event(5, f"{BACKWARD}torch::autograd::AccumulateGrad", 25, 28, 4, loss)
    assert add_up_events([part, first, loss, backward, inner, weights]) == {
        "bilstm": 1 + 7 + 2 + 2 + 4,
        "loss": 1,
    }


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


# operators that nothing else here uses, by the part that uses them
FIELDS = (
    *("id", "name", "time_range", "thread", "fwd_thread", "sequence_nr", "device_type"),
    "cpu_parent",
)
OPERATORS = {"tanh": "a", "sigmoid": "b", "sin": "rest", "exp": "c"}


@pytest.mark.parametrize("name", OPERATORS)
def test_a_profile_of_pytorch(name):
    """As if all time were that of one operator, forward and backward."""
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


def of_pipeline(runner):
    """Parts that this pipeline does not have, and those that only it has."""
    absent, present = set(), set()
    if runner.encoder.component is None:
        absent.add("pooling to words")
    if runner.encoder.network is not None:
        present.add("word pieces, alignment")
    return absent, present


def check(shares, expected):
    assert set(shares) == expected
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0


def test_prediction(runner, examples):
    absent, present = of_pipeline(runner)
    check(prediction_shares(runner, examples), (NETWORK | PREDICTION | present) - absent)


def test_training(runner, examples):
    absent, present = of_pipeline(runner)
    check(
        training_shares(runner, examples),
        (NETWORK | {"loss", "optimizer", "rest"} | present) - absent,
    )


def test_the_pipeline_stays_as_it_was(runner, examples):
    model = runner.pipe.model

    def state():
        texts = [example.text for example in examples]
        entities = [[e.text for e in get_entities(doc)] for doc in runner.nlp.pipe(texts)]
        layers = [layer._func for layer in (model.get_ref("grid"), model.get_ref("tok2vec"))]
        return entities, layers, "forward" in vars(runner.encoder.network or object)

    before = state()
    prediction_shares(runner, examples)
    training_shares(runner, examples)
    assert state() == before
