"""predict in several processes, with signals, and with pipes."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from python_process import wait_until
from tiny_pipeline import ANNOTATED

ASPIRIN = ANNOTATED[1][0]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc"),
]


@pytest.fixture
def start(model):
    """Starts predict in another process, which is killed after the test."""
    with ExitStack() as stack:

        def invoke(*args, **kwargs):
            command = [sys.executable, "-m", "spacy", "gapdner", "predict", model, *args]
            kwargs |= {"stderr": subprocess.PIPE}
            process = stack.enter_context(subprocess.Popen([*map(str, command)], **kwargs))
            stack.callback(process.kill)
            return process

        yield invoke


def write_texts(path, n):
    lines = [json.dumps({"id": f"d{i}", "text": ASPIRIN}) for i in range(n)]
    path.write_text("\n".join(lines) + "\n")
    return path


def is_running(pid):
    try:
        # the name in parentheses can contain anything
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_stopped_run_leaves_no_workers_and_can_be_resumed(start, run, model, tmp_path, sent):
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    source = write_texts(tmp_path / "in.jsonl", 400)
    process = start(source, "-o", output, "--n-process", 2, "--batch-size", 5)
    wait_until(lambda: part.exists() and part.stat().st_size > 5000)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(workers) >= 2
    process.send_signal(sent)
    process.wait()
    wait_until(lambda: not any(map(is_running, workers)))
    assert not output.exists()
    if sent == signal.SIGTERM:
        stopped = f"Stopped. {part} contains the results. Use --resume to continue.\n"
        assert (process.returncode, process.stderr.read().decode()) == (128 + sent, stopped)
        return
    # as if the process had been killed while writing a line
    part.write_bytes(part.read_bytes()[:-7])
    result = run("predict", model, source, "-o", output, "--resume")
    assert "400 documents" in result.stdout, result.output
    assert not part.exists()
    other = tmp_path / "other.jsonl"
    run("predict", model, source, "-o", other)
    assert output.read_bytes() == other.read_bytes()


def test_each_line_of_an_open_pipe_is_processed_immediately(start):
    process = start("-", "--batch-size", 1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number in range(3):
        process.stdin.write(f"{ASPIRIN} {number}\n".encode())
        process.stdin.flush()
        # this would block if the command waited for more lines
        record = json.loads(process.stdout.readline())
        assert record["text"] == f"{ASPIRIN} {number}"
        assert record["entities"][0]["text"] == "aspirin"
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert process.stderr.read() == b"Stopped.\n"


def test_closed_pipe_ends_the_command(start, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    process = start(write_texts(tmp_path / "in.jsonl", 40), stdout=writing)
    os.close(writing)
    assert (process.communicate()[1], process.returncode) == (b"", 1)
