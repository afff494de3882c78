"""Workers that wait for threads are tested in tests/pipe/test_processes.py."""

import pytest
from python_process import run_python

FORKS = """
import multiprocessing, os, torch
from tiny_pipeline import annotate, make_nlp

def count_threads():
    annotate(nlp, "fever")
    return torch.get_num_threads()

def load_and_count_threads():
    global nlp
    nlp = make_nlp()
    torch.set_num_threads(2)
    return count_threads()

def run_in_worker(function):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.apply(function), flush=True)

run_in_worker(load_and_count_threads)
nlp = make_nlp()
torch.set_num_threads(2)
run_in_worker(count_threads)
child = os.fork()
if child == 0:
    print(count_threads(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(count_threads())
"""


@pytest.mark.slow
def test_forked_processes_with_the_model_of_their_parent_use_one_thread():
    # a worker with its own model, a worker, a process that has not set its own number, and the
    # parent
    assert run_python("-c", FORKS).split() == ["2", "1", "1", "2"]
