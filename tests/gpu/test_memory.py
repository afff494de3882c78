"""A batch that does not fit into the memory of the GPU ends in one sentence."""

import pytest
import torch
from command_lines import invoke
from learning import build, find, learn
from spacy.training import Example
from tiny_pipeline import make_doc

from spacy_gapdner import GapDNERError
from spacy_gapdner.cli import app

pytestmark = pytest.mark.gpu

# with all grids in one batch, 6.5 MB per feature of a cell
N_DOCS, N_WORDS = 100, 128
LARGE = {"max_batch_cells": 10**9}


@pytest.fixture
def limit_memory():
    """Limits further allocations to 32 MB."""
    total = torch.cuda.get_device_properties(0).total_memory

    def limit():
        torch.cuda.empty_cache()
        allowed = torch.cuda.memory_reserved() + 2**25
        torch.cuda.set_per_process_memory_fraction(allowed / total)

    yield limit
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


def make_large_docs(nlp):
    return [make_doc(nlp, "fever " * N_WORDS) for _ in range(N_DOCS)]


def check_message(text):
    assert "memory" in text
    assert "max_batch_cells" in text
    assert len(text.strip().splitlines()) == 1


@pytest.mark.parametrize("is_train", [False, True])
def test_full_memory(is_train, limit_memory):
    nlp = build(None, **LARGE)
    before, _ = find(nlp)
    docs = make_large_docs(nlp)
    examples = [Example(doc, make_doc(nlp, doc.text, [("DRUG", [0])])) for doc in docs]
    limit_memory()
    with pytest.raises(GapDNERError) as caught:
        nlp.update(examples) if is_train else list(nlp.pipe(docs, batch_size=N_DOCS))
    check_message(str(caught.value))
    # smaller batches still work
    torch.cuda.set_per_process_memory_fraction(1.0)
    assert find(nlp)[0] == before
    assert learn(nlp, 1)


def test_full_memory_of_a_command(tmp_path, limit_memory):
    build(None, **LARGE).to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("\n\n".join(["fever " * N_WORDS] * 50))
    limit_memory()
    paths = tmp_path / "model", tmp_path / "a.txt", "--output", tmp_path / "out.jsonl"
    result = invoke(app, "predict", *paths, "--gpu-id", 0, exit_code=1)
    check_message(result.stderr)
