"""Workers of nlp.pipe, which are forks, when PyTorch has computed with several threads before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# A network that is large enough for PyTorch to use its threads, in a process of its own: the tests
# themselves compute with one thread
PREDICT = """
import multiprocessing
import torch
from tiny_pipeline import annotate, make_doc, make_nlp
torch.set_num_threads(2)
nlp = make_nlp({"hidden_width": 128, "grid_width": 128})
text = " ".join(["pain"] * 100)
def make_docs():
    return [make_doc(nlp, text) for _ in range(4)]
expected = [len(doc.spans) for doc in nlp.pipe(make_docs())]
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.apply(torch.get_num_threads))
print([len(doc.spans) for doc in nlp.pipe(make_docs(), n_process=2, batch_size=1)] == expected)
print(torch.get_num_threads())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_workers_do_not_wait_for_threads_and_other_forks_keep_theirs():
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PREDICT],
        cwd=Path(__file__).parents[1],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["2", "True", "2"]
