"""predict where it is stopped, killed, or meets documents that it cannot read; and open pipes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tiny_pipeline import ANNOTATED

ASPIRIN = ANNOTATED[1][0]
posix = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def records(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def write_texts(path, n, start=0):
    lines = [json.dumps({"id": f"d{i}", "text": ASPIRIN}) for i in range(start, start + n)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def start(model):
    """Starts predict in a process of its own; whatever it leaves running is ended."""
    started = []

    def invoke(*args, **kwargs):
        command = [sys.executable, "-m", "spacy", "gapdner", "predict", str(model)]
        process = subprocess.Popen(
            [*command, *map(str, args)], stderr=subprocess.PIPE, start_new_session=True, **kwargs
        )
        started.append(process)
        return process

    yield invoke
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def children(pid):
    """The processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # the name, in parentheses, may hold anything
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(path.parent.name))
    return found


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the processes' table")
@pytest.mark.parametrize("sent", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_no_worker_survives(start, tmp_path, sent):
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    source = write_texts(tmp_path / "in.jsonl", 200_000)
    process = start(source, "-o", output, "--n-process", 2, "--batch-size", 20)
    wait_until(lambda: part.exists() and part.stat().st_size > 10_000)
    workers = children(process.pid)
    assert len(workers) >= 2
    process.send_signal(getattr(signal, sent))
    process.wait(timeout=20)
    wait_until(lambda: not any(map(is_running, workers)), seconds=10)
    number = getattr(signal, sent)
    assert process.returncode == (-number if sent == "SIGKILL" else 128 + number)
    # what is whole is kept, the rest done later
    assert not output.exists()
    lines = part.read_bytes().splitlines()
    assert [json.loads(line)["id"] for line in lines[:-1]] == [
        f"d{i}" for i in range(len(lines) - 1)
    ]
    if sent != "SIGKILL":
        assert process.stderr.read().decode().strip() == (
            f"Stopped. What is done is in {part}; go on with --resume."
        )


@posix
def test_a_stopped_run_into_a_pipe_has_nothing_to_resume(start, tmp_path):
    os.mkfifo(tmp_path / "out.jsonl")
    process = start("-", "-o", tmp_path / "out.jsonl", stdin=subprocess.PIPE)
    with (tmp_path / "out.jsonl").open("rb"):
        process.terminate()
        assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert process.stderr.read().decode().strip() == "Stopped."


@posix
def test_resumed_output_is_that_of_one_run(run, model, start, tmp_path):
    source = write_texts(tmp_path / "in.jsonl", 2000)
    process = start(source, "-o", tmp_path / "out.jsonl", "--batch-size", 5)
    part = tmp_path / "out.jsonl.part"
    wait_until(lambda: part.exists() and part.stat().st_size > 5000)
    process.kill()
    process.wait()
    before = part.read_bytes()
    # the process may have been ended within a line
    part.write_bytes(before[:-7])
    assert run("predict", model, source, "-o", tmp_path / "whole.jsonl").exit_code == 0
    result = run("predict", model, source, "-o", tmp_path / "out.jsonl", "--resume")
    assert result.exit_code == 0, result.output
    assert "2000 documents" in result.stdout
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not part.exists()


def test_resume_goes_on_with_a_whole_file(run, model, tmp_path):
    output = tmp_path / "out.jsonl"
    source = write_texts(tmp_path / "in.jsonl", 3)
    assert run("predict", model, source, "-o", output, "--resume").exit_code == 0
    first = output.read_bytes()
    # two documents may have one id
    source.write_text(source.read_text() + source.read_text().splitlines()[0] + "\n")
    assert run("predict", model, source, "-o", output, "--resume").exit_code == 0
    assert [r["id"] for r in records(output)] == ["d0", "d1", "d2", "d0"]
    assert output.read_bytes().startswith(first)


def test_resume_needs_ids_and_the_same_texts(fails, model, tmp_path):
    output = tmp_path / "out.jsonl"
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": ASPIRIN}))
    fails(f'{source}:1 has no "id"', "predict", model, source, "-o", output, "--resume")
    fails("needs JSONL", "predict", model, source, "-o", tmp_path / "x.json", "--resume")
    fails("needs JSONL", "predict", model, source, "--resume")
    output.write_text(json.dumps({"id": "d0", "text": "other", "entities": []}) + "\n")
    write_texts(source, 1)
    fails("another text of the document d0", "predict", model, source, "-o", output, "--resume")
    assert [r["text"] for r in records(output)] == ["other"]


@posix
def test_two_runs_do_not_write_one_file(start, fails, model, tmp_path):
    source = write_texts(tmp_path / "in.jsonl", 200_000)
    start(source, "-o", tmp_path / "out.jsonl")
    wait_until((tmp_path / "out.jsonl.part").exists)
    fails("being written by another run", "predict", model, source, "-o", tmp_path / "out.jsonl")


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_broken_line_costs_one_document(run, model, tmp_path, n_process):
    source, output = write_texts(tmp_path / "in.jsonl", 400), tmp_path / "out.jsonl"
    lines = source.read_bytes().splitlines()
    lines[300], lines[310] = b'{"text": "cut o', '{"text": "Schädel"}'.encode("latin-1")
    source.write_bytes(b"\n".join(lines))
    report = tmp_path / "report.json"
    args = ("predict", model, source, "-o", output, "--n-process", n_process, "--batch-size", 50)
    result = run(*args, "--on-error", "skip", "--report", report)
    assert result.exit_code == 3, result.output
    assert [r["id"] for r in records(output)] == [
        f"d{i}" for i in range(400) if i not in (300, 310)
    ]
    issues = json.loads(report.read_text())["issues"]
    assert [(i["kind"], i["file"], i["line"]) for i in issues] == [
        ("unreadable document", str(source), 301),
        ("unreadable document", str(source), 311),
    ]
    assert f"left out: {source}:301: " in result.stderr
    assert "is not UTF-8" in result.stderr
    assert "2 documents were left out" in result.stderr
    output.unlink()
    stopped = run(*args)
    assert (stopped.exit_code, len(stopped.stderr.splitlines())) == (1, 1)
    assert not output.exists()
    assert not (tmp_path / "out.jsonl.part").exists()


@posix
def test_an_error_ends_the_workers_too(start, tmp_path):
    # more than fits into a pipe waits for the workers when the error comes
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join([json.dumps({"text": ASPIRIN + " " * 5000})] * 300 + ["broken"]))
    process = start(source, "-o", tmp_path / "out.jsonl", "--n-process", 2)
    assert process.wait(timeout=120) == 1
    assert b"in.jsonl:301 is not JSON" in process.stderr.read()


def test_a_file_of_another_encoding_costs_one_document(run, model, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(ASPIRIN)
    (folder / "b.txt").write_bytes("Schädel".encode("latin-1"))
    result = run("predict", model, folder, "--on-error", "skip")
    assert result.exit_code == 3
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["a", "c"]
    assert f"left out: {folder / 'b.txt'}: " in result.stderr


@posix
def test_answers_come_line_by_line(start):
    process = start("-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in range(3):
        process.stdin.write(f"{ASPIRIN} {number}\n".encode())
        process.stdin.flush()
        # would wait for ever if the command waited for more
        record = json.loads(process.stdout.readline())
        assert record["text"] == f"{ASPIRIN} {number}"
        assert record["entities"][0]["text"] == "aspirin"
    process.stdin.close()
    assert process.wait(timeout=30) == 0


@posix
def test_an_open_pipe_can_be_left(start):
    process = start("-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(f"{ASPIRIN}\n".encode())
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130, process.stderr.read()
    assert process.stderr.read() == b"Stopped.\n"
