import numpy
import pytest
import torch
from thinc.api import NumpyOps
from tiny_pipeline import make_nlp

from spacy_gapdner.model.products import TorchProductOps


@pytest.mark.parametrize("trans1", [False, True])
@pytest.mark.parametrize("trans2", [False, True])
# also without words
@pytest.mark.parametrize("n", [5, 0])
def test_products_match_thinc(trans1, trans2, n):
    x = numpy.random.rand(*((5, n) if trans1 else (n, 5))).astype("f")
    y, into = numpy.random.rand(5, 5).astype("f"), numpy.zeros((n, 5), dtype="f")
    expected = NumpyOps().gemm(x, y, trans1=trans1, trans2=trans2)
    for out in (into, None):
        found = TorchProductOps().gemm(x, y, out=out, trans1=trans1, trans2=trans2)
        assert numpy.allclose(found, expected)
    assert numpy.array_equal(into, found)
    with pytest.raises(ValueError, match="Cannot multiply float64 and float32"):
        TorchProductOps().gemm(x.astype("d"), y)


def test_products_in_autocast():
    x = numpy.random.rand(3, 3).astype("f")
    expected = TorchProductOps().gemm(x, x)
    with torch.autocast("cpu", torch.bfloat16):
        found = TorchProductOps().gemm(x, x)
    assert numpy.array_equal(found, expected)
    assert found.dtype == numpy.float32


def test_word_representations_use_products_of_torch():
    tok2vec = make_nlp().get_pipe("gapdner").model.get_ref("tok2vec")
    assert {type(node.ops) for node in tok2vec.walk()} == {TorchProductOps}
