"""Compute matrix products of thinc's layers on a CPU."""

from typing import Any, cast

import torch
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d


class TorchProductOps(NumpyOps):
    """thinc's CPU operations, with matrix products computed by PyTorch.

    thinc uses BLIS, which takes three times as long and is single-threaded
    (https://github.com/explosion/spaCy/pull/2966)::

        x = numpy.ones((2048, 96), dtype="f")
        %timeit NumpyOps().gemm(x, x, trans2=True)
        %timeit TorchProductOps().gemm(x, x, trans2=True)
    """

    def gemm(
        self,
        x: Floats2d,
        y: Floats2d,
        *,
        out: Floats2d | None = None,
        trans1: bool = False,
        trans2: bool = False,
    ) -> Floats2d:
        """RETURNS (Floats2d): The product of two matrices. See `NumpyOps.gemm`."""
        if x.dtype != y.dtype:
            # as NumpyOps, whose error spaCy explains
            raise ValueError(f"Cannot multiply {x.dtype} and {y.dtype}.")
        left, right = torch.from_numpy(x), torch.from_numpy(y)
        into = None if out is None else torch.from_numpy(out)
        left, right = left.T if trans1 else left, right.T if trans2 else right
        # the caller may use autocast, but NumPy has no bfloat16
        with torch.autocast("cpu", enabled=False):
            product = torch.mm(left, right, out=into)
        return cast(Floats2d, product.numpy())


def multiply_by_torch(model: Model[Any, Any]) -> None:
    """Replace thinc's NumpyOps with `TorchProductOps` in all layers of a model, in place."""
    ops = TorchProductOps()
    for node in model.walk():
        if type(node.ops) is NumpyOps:
            node.ops = ops
