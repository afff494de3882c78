from contextlib import contextmanager

import pytest
import torch
from thinc.api import Model, PyTorchWrapper
from thinc.types import ArgsKwargs

from spacy_gapdner.benchmark.instruments import (
    around_layer,
    around_method,
    around_pipe,
    around_shim,
)


class Log:
    """Notes when its context managers are entered and left."""

    def __init__(self):
        self.notes = []

    def section(self, name):
        @contextmanager
        def noted():
            self.notes.append(f"<{name}")
            yield
            self.notes.append(f"{name}>")

        return noted


@pytest.fixture
def log():
    return Log()


class Component:
    def __init__(self, log, name):
        self.log = log
        self.name = name

    def call(self, number):
        self.log.notes.append(f"{self.name} {number}")
        return number + 1

    def pipe(self, stream, factor=1):
        for number in stream:
            yield self.call(number) * factor


def test_method(log):
    component = Component(log, "a")
    with around_method(component, "call", log.section("s")):
        assert component.call(1) == 2
    assert component.call(number=5) == 6
    assert log.notes == ["<s", "a 1", "s>", "a 5"]
    assert "call" not in vars(component)


def test_a_method_that_is_wrapped_twice(log):
    component = Component(log, "a")
    with around_method(component, "call", log.section("s")):
        with around_method(component, "call", log.section("t")):
            component.call(1)
        component.call(2)
    assert log.notes == ["<t", "<s", "a 1", "s>", "t>", "<s", "a 2", "s>"]


def test_an_object_that_takes_no_attributes(log):
    text = "a b"
    with around_method(text, "split", log.section("s")):
        assert text.split() == ["a", "b"]
    assert log.notes == []


def test_pipes_are_lazy_and_lie_within_each_other(log):
    first, second = Component(log, "a"), Component(log, "b")
    with around_pipe(first, log.section("s")), around_pipe(second, log.section("t")):
        stream = second.pipe(first.pipe(iter([1, 5])), factor=10)
        assert log.notes == []
        assert next(stream) == 30
        assert log.notes == ["<t", "<s", "a 1", "s>", "b 2", "t>"]
        assert list(stream) == [70]
    assert "pipe" not in vars(first)


def test_a_component_without_pipe(log):
    def component(doc):
        return doc

    with around_pipe(component, log.section("s")):
        assert not hasattr(component, "pipe")


def make_layer(log):
    def forward(model, X, is_train):
        log.notes.append(f"forward {X} {is_train}")

        def backprop(dY):
            log.notes.append(f"backward {dY}")
            return dY

        return X, backprop

    return Model("layer", forward)


@pytest.mark.parametrize(
    ("backward", "noted"),
    [
        (True, ["<s", "forward 1 True", "s>", "<s", "backward 2", "s>"]),
        (False, ["<s", "forward 1 True", "s>", "backward 2"]),
    ],
)
def test_layer(log, backward, noted):
    layer = make_layer(log)
    with around_layer(layer, log.section("s"), backward=backward):
        _, backprop = layer.begin_update(1)
        assert backprop(2) == 2
    assert log.notes == noted
    layer.predict(3)
    assert log.notes[len(noted) :] == ["forward 3 False"]


def test_shim(log):
    shim = PyTorchWrapper(torch.nn.Linear(2, 2)).shims[0]
    inputs = ArgsKwargs(args=(torch.ones(1, 2),), kwargs={})
    with around_shim(shim, log.section("s")):
        shim(inputs, False)
        assert log.notes == ["<s", "s>"]
        outputs, backprop = shim(inputs, True)
        assert log.notes == ["<s", "s>"] * 2
        gradient = {"grad_tensors": (torch.ones(1, 2),)}
        backprop(ArgsKwargs(args=((outputs,),), kwargs=gradient))
        assert log.notes == ["<s", "s>"] * 3
    shim(inputs, True)
    assert log.notes == ["<s", "s>"] * 3
