import os

# before torch is imported, and for subprocesses: threads are slow on shared cores
os.environ.setdefault("OMP_NUM_THREADS", "1")
# tests do not download models
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
from hypothesis import settings

# examples can be slow on shared machines
settings.register_profile("spacy_gapdner", deadline=None, max_examples=40)
settings.load_profile("spacy_gapdner")


@pytest.fixture
def assert_same():
    """Compare two results, and their gradients by the given tensors."""
    import torch

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
