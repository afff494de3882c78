import numpy
import pytest
from thinc.api import Linear, NumpyOps

from spacy_gapdner.model.products import TorchProductOps, multiply_by_torch


@pytest.mark.parametrize("trans1", [False, True])
@pytest.mark.parametrize("trans2", [False, True])
def test_products_are_those_of_thinc(trans1, trans2):
    # of no words, too
    for n in (5, 0):
        x = numpy.random.rand(*((5, n) if trans1 else (n, 5))).astype("f")
        y = numpy.random.rand(5, 5).astype("f")
        expected = NumpyOps().gemm(x, y, trans1=trans1, trans2=trans2)
        given = numpy.zeros((n, 5), dtype="f")
        found = TorchProductOps().gemm(x, y, out=given, trans1=trans1, trans2=trans2)
        assert numpy.allclose(found, expected)
        assert numpy.array_equal(given, found)
        assert numpy.array_equal(TorchProductOps().gemm(x, y, trans1=trans1, trans2=trans2), found)


def test_other_operations_stay():
    class GPUOps(NumpyOps):
        pass

    for ops, expected in ((NumpyOps(), TorchProductOps), (GPUOps(), GPUOps)):
        model = Linear(2, 2)
        model.ops = ops
        multiply_by_torch(model)
        assert type(model.ops) is expected
