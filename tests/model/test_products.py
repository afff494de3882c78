import numpy
import pytest
from thinc.api import Linear, NumpyOps, Ops

from spacy_gapdner.model.products import TorchProductOps, multiply_by_torch


@pytest.mark.parametrize("trans1", [False, True])
@pytest.mark.parametrize("trans2", [False, True])
def test_products_are_those_of_thinc(trans1, trans2):
    x, y = numpy.random.rand(5, 5).astype("f"), numpy.random.rand(5, 5).astype("f")
    expected = NumpyOps().gemm(x, y, trans1=trans1, trans2=trans2)
    given = numpy.zeros((5, 5), dtype="f")
    found = TorchProductOps().gemm(x, y, out=given, trans1=trans1, trans2=trans2)
    assert numpy.allclose(found, expected)
    assert numpy.array_equal(given, found)
    assert numpy.array_equal(TorchProductOps().gemm(x, y, trans1=trans1, trans2=trans2), found)


def test_no_words():
    product = TorchProductOps().gemm(numpy.zeros((0, 3), "f"), numpy.ones((4, 3), "f"), trans2=True)
    assert product.shape == (0, 4)


def test_other_operations_stay():
    class GPUOps(NumpyOps):
        pass

    ours, theirs = Linear(2, 2), Linear(2, 2)
    theirs.ops = GPUOps()
    for model in ours, theirs:
        assert isinstance(model.ops, Ops)
        multiply_by_torch(model)
    assert type(ours.ops) is TorchProductOps
    assert type(theirs.ops) is GPUOps
