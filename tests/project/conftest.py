import pytest
import torch

from project.corpora import readers as corpora_readers  # noqa: F401  # registers the formats
from project.paper import readers as paper_readers  # noqa: F401


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)
