import pytest
import torch


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture
def assert_same():
    """Compare two results, and their gradients by the given tensors."""

    def compare(actual, expected, tensors, atol=1e-10):
        torch.testing.assert_close(actual, expected, rtol=0, atol=atol)
        weights = torch.randn_like(expected)
        gradients = [
            torch.autograd.grad((result * weights).sum(), tensors, materialize_grads=True)
            for result in (actual, expected)
        ]
        assert any(gradient.abs().max() > 1e-3 for gradient in gradients[1])
        for gradient, expected_gradient in zip(*gradients, strict=True):
            torch.testing.assert_close(gradient, expected_gradient, rtol=0, atol=atol)

    return compare
