"""Products of matrices for word representations on a CPU."""

from typing import Any, cast

import torch
from thinc.api import Model, NumpyOps
from thinc.types import Floats2d


class TorchProductOps(NumpyOps):
    """thinc's operations on a CPU, with products by PyTorch: it takes a third of the time of BLIS,
    and the threads that the grid network uses, too.
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
        """RETURNS (Floats2d): The product of two matrices; see `NumpyOps.gemm`."""
        left, right = torch.from_numpy(x), torch.from_numpy(y)
        into = None if out is None else torch.from_numpy(out)
        product = torch.mm(left.T if trans1 else left, right.T if trans2 else right, out=into)
        return cast(Floats2d, product.numpy())


def multiply_by_torch(model: Model[Any, Any]) -> None:
    """Have the layers of a model that compute by thinc's NumpyOps use `TorchProductOps`.

    model (Model): The model, which is changed.
    """
    ops = TorchProductOps()
    for node in model.walk():
        if type(node.ops) is NumpyOps:
            node.ops = ops
