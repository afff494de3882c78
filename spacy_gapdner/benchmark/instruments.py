"""Context managers around the parts of a pipeline while it runs, taken off again afterwards."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.shims import Shim

# Entered wherever the part runs.
Section = Callable[[], AbstractContextManager[Any]]


@contextmanager
def around_method(owner: Any, name: str, section: Section) -> Iterator[None]:
    """Put a context manager around a method of one object.

    owner (Any): The object; one that cannot take attributes stays as it is.
    name (str): The method's name.
    section (Section): Makes the context manager of each call.
    """
    method = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        with section():
            return method(*args, **kwargs)

    with _attribute(owner, name, call):
        yield


@contextmanager
def around_pipe(component: Any, section: Section) -> Iterator[None]:
    """Put a context manager around what a component does to a stream of documents, not around what
    it does not see: the making of this stream, if that has a context manager of its own.

    component (Any): The component; one without `pipe` stays as it is.
    section (Section): Makes the context manager of each document asked for.
    """
    if not hasattr(component, "pipe"):
        yield
        return
    original = component.pipe

    def pipe(*args: Any, **kwargs: Any) -> Iterator[Doc]:
        docs = iter(original(*args, **kwargs))
        while True:
            with section():
                doc = next(docs, None)
            if doc is None:
                return
            yield doc

    with _attribute(component, "pipe", pipe):
        yield


@contextmanager
def around_layer(layer: Model, section: Section, *, backward: bool = True) -> Iterator[None]:
    """Put a context manager around a thinc layer.

    layer (Model): The layer.
    section (Section): Makes the context manager of each call.
    backward (bool): Also around each backward pass.
    """
    original = layer._func

    def forward(model: Model, X: Any, is_train: bool) -> tuple[Any, Callable]:
        with section():
            Y, backprop = original(model, X, is_train)
        return Y, _wrap(backprop, section) if backward else backprop

    layer._func = forward
    try:
        yield
    finally:
        layer._func = original


@contextmanager
def around_shim(shim: Shim, section: Section) -> Iterator[None]:
    """Put a context manager around a PyTorch network, forward and backward.

    shim (Shim): Holds the network.
    section (Section): Makes the context manager of each call.
    """
    begin_update = shim.begin_update

    def begin(*args: Any, **kwargs: Any) -> tuple[Any, Callable]:
        with section():
            output, backprop = begin_update(*args, **kwargs)
        return output, _wrap(backprop, section)

    with around_method(shim, "predict", section), _attribute(shim, "begin_update", begin):
        yield


def _wrap(function: Callable, section: Section) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        with section():
            return function(*args, **kwargs)

    return call


@contextmanager
def _attribute(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = dict(getattr(owner, "__dict__", {}))
    try:
        setattr(owner, name, value)
    except AttributeError:
        # a class of Cython's; its time counts for what it lies in
        yield
        return
    try:
        yield
    finally:
        if name in before:
            setattr(owner, name, before[name])
        else:
            delattr(owner, name)
