"""predict --n-process under every way in which Python starts processes; the default differs by
system and version."""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import spacy
from spacy.util import import_file
from tiny_pipeline import ANNOTATED

MAIN = """
import multiprocessing
import sys
from spacy.cli import setup_cli

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    setup_cli()
"""
needs_table = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs the processes' table"
)
METHODS = multiprocessing.get_all_start_methods()


@pytest.fixture
def start(model, tmp_path):
    """Starts predict in a process of its own; whatever it leaves running is ended."""
    started = []
    (tmp_path / "main.py").write_text(MAIN)

    def invoke(method, *args, model=model):
        command = [sys.executable, tmp_path / "main.py", method, "gapdner", "predict", model, *args]
        process = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield invoke
    for process in started:
        process.kill()
        process.communicate()


def write_texts(path, n):
    lines = [json.dumps({"id": f"d{i}", "text": ANNOTATED[i % 4][0]}) for i in range(n)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("method", METHODS)
def test_the_documents_of_one_process(start, run, model, tmp_path, method):
    source = write_texts(tmp_path / "in.jsonl", 40)
    output = tmp_path / "out.jsonl"
    process = start(method, source, "-o", output, "--n-process", 2, "--batch-size", 5)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    assert run("predict", model, source, "-o", tmp_path / "one.jsonl").exit_code == 0
    ours, theirs = (
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in (output, tmp_path / "one.jsonl")
    )
    for record in (*ours, *theirs):
        for entity in record["entities"]:
            entity["score"] = round(entity["score"], 4)
    assert ours == theirs
    assert sum(len(record["entities"]) for record in ours) >= 20


@pytest.mark.parametrize("method", [method for method in METHODS if method != "fork"])
def test_a_pipeline_with_functions_of_its_own_is_told(start, model, tmp_path, method):
    code = tmp_path / "own.py"
    code.write_text(
        "from spacy.language import Language\n\n\n"
        "@Language.component('own')\ndef own(doc):\n    return doc\n"
    )
    import_file("python_code", code)
    nlp = spacy.load(model)
    nlp.add_pipe("own")
    nlp.to_disk(tmp_path / "model")
    source = write_texts(tmp_path / "in.jsonl", 40)
    options = ("-o", tmp_path / "out.jsonl", "--n-process", 2, "--code", code)
    process = start(method, source, *options, model=tmp_path / "model")
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, len(errors.splitlines())) == (1, 1), errors
    assert "cannot be sent to another process" in errors
    assert "Leave out --n-process" in errors
    assert sorted(path.name for path in tmp_path.glob("out*")) == []


def processes():
    """The parent of each process that runs."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # the name, in parentheses, may hold anything
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(path.parent.name)] = int(parent)
    return found


def descendants(pid):
    parents = processes()
    found = {pid}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {pid}


def workers_of(pid):
    """The processes that predict, at whatever distance: all but those that start or tidy up."""
    parents = processes()
    found = {child for child in descendants(pid) if child not in parents.values()}
    return {child for child in found if "resource_tracker" not in command_line(child)}


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.fixture
def start_long(start, tmp_path):
    """Starts predict on much text, and waits until it has written some of it."""

    def invoke(method):
        part = tmp_path / "out.jsonl.part"
        source = write_texts(tmp_path / "in.jsonl", 100_000)
        options = ["-o", tmp_path / "out.jsonl", "--n-process", 2, "--batch-size", 20]
        process = start(method, source, *options)
        end = time.monotonic() + 200
        while not (part.exists() and part.stat().st_size > 10_000):
            assert time.monotonic() < end
            time.sleep(0.1)
        return process

    return invoke


@needs_table
@pytest.mark.parametrize("method", METHODS)
def test_a_killed_worker_is_an_error(start_long, method):
    process = start_long(method)
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(min(workers), 9)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "was ended from outside" in errors


@needs_table
@pytest.mark.parametrize("method", [method for method in METHODS if method != "fork"])
def test_no_worker_survives_a_kill(start_long, method):
    process = start_long(method)
    workers = descendants(process.pid)
    assert len(workers) >= 2
    os.kill(process.pid, 9)
    process.wait(timeout=20)
    end = time.monotonic() + 20
    while alive := workers & set(processes()):
        assert time.monotonic() < end, alive
        time.sleep(0.1)
