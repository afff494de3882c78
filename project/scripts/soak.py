"""Keep the server, or a pipeline, at work for long, and see whether memory, threads or files grow.

Needs Linux, and for the server the extra "serve". Prints a line of figures a minute:

    python project/scripts/soak.py serve MODEL --minutes 60
    python project/scripts/soak.py pipe MODEL --minutes 60
"""

import os
import random
import string
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import spacy
import srsly
import typer

KNOWN = ("severe", "joint", "and", "back", "pain", "took", "aspirin", "no", "fever", ".", "\n")
ODD = ("", " ", "\n\n", "😀 e\u0301 \u200d", "<script>alert(1)</script>", "x" * 3000, "a." * 500)
BAD_REQUESTS = (
    ("POST", "/predict", b"{"),
    ("POST", "/predict", b'{"text": 3}'),
    ("POST", "/predict", b'{"text": "\\ud800"}'),
    ("POST", "/predict", srsly.json_dumps({"text": "x " * 30_000}).encode()),
    ("POST", "/draw", b'{"text": "ab", "entities": [{"label": "A", "fragments": []}]}'),
    ("POST", "/export/pickle", b'{"text": "ab", "entities": []}'),
    ("GET", "/../app.py", None),
    ("DELETE", "/predict", None),
)


def make_text(chance: random.Random) -> str:
    """RETURNS (str): A text, mostly of known words, sometimes odd, sometimes long."""
    if chance.random() < 0.1:
        return chance.choice(ODD)
    n_words = 2000 if chance.random() < 0.02 else chance.randint(1, 60)
    unseen = ("".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(n_words))
    return " ".join(chance.choice(KNOWN) if chance.random() < 0.8 else word for word in unseen)


def measure(pid: int) -> dict[str, int]:
    """RETURNS (dict[str, int]): Memory in MB, threads and open files of a process."""
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return {
        "rss_mb": int(status["VmRSS"].split()[0]) // 1024,
        "threads": int(status["Threads"]),
        "files": len(list(Path(f"/proc/{pid}/fd").iterdir())),
    }


def ask(port: int, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
    """Send a request on a connection of its own.

    RETURNS (tuple[int, bytes]): Status and body of the answer.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def hang_up(port: int) -> None:
    """Begin a request, and go before it is answered."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/predict", b'{"text": "severe joint and back pain"}')
    connection.close()


def use_server(port: int, chance: random.Random) -> Iterator[int]:
    """Do one of the things that people and programs do to a server.

    YIELDS (int): The status of each answer.
    """
    kind = chance.choices(("read", "page", "bad", "gone", "crowd"), (60, 15, 15, 8, 2))[0]
    if kind == "read":
        status, found = ask(
            port, "POST", "/predict", srsly.json_dumps({"text": make_text(chance)}).encode()
        )
        yield status
        for path in ("/draw", f"/export/{chance.choice(('jsonl', 'csv', 'brat'))}"):
            yield ask(port, "POST", path, found)[0]
    elif kind == "page":
        for path in ("/", "/app.js", "/app.css", "/health"):
            yield ask(port, "GET", path, None)[0]
    elif kind == "bad":
        yield ask(port, *chance.choice(BAD_REQUESTS))[0]
    elif kind == "gone":
        hang_up(port)
    else:
        body = srsly.json_dumps({"text": make_text(chance)}).encode()
        with ThreadPoolExecutor(40) as pool:
            asked = [pool.submit(ask, port, "POST", "/predict", body) for _ in range(40)]
            yield from (future.result()[0] for future in asked)


@contextmanager
def serving(model: Path) -> Iterator[tuple[int, int]]:
    """Run `gapdner serve` at a free port.

    YIELDS (tuple[int, int]): Its process and its port.
    """
    command = [sys.executable, "-m", "spacy", "gapdner", "serve", str(model), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.pid, int(server.stdout.readline().rsplit(":", 1)[1])
        finally:
            server.terminate()


def keep_going(step: Callable[[], Counter[str]], pid: int, minutes: int, load: float) -> None:
    """Take steps for a time and print figures every minute.

    step (Callable[[], Counter[str]]): Does something and counts what came of it.
    pid (int): The process to measure.
    minutes (int): How long.
    load (float): Share of the time that is spent in steps; the rest is slept.
    """
    start = time.monotonic()
    counts: Counter[str] = Counter()
    minute = 0
    while minute <= minutes:
        began = time.monotonic()
        counts.update(step())
        time.sleep((time.monotonic() - began) * (1 - load) / load)
        if time.monotonic() - start >= minute * 60:
            figures = {"minute": minute, **measure(pid), **dict(sorted(counts.items()))}
            print(srsly.json_dumps(figures), flush=True)
            minute += 1


def main(what: str, model: Path, minutes: int = 60, load: float = 0.2, seed: int = 0) -> None:
    """Soak "serve", the server of a pipeline, or "pipe", the pipeline in this process."""
    if what not in ("serve", "pipe"):
        raise typer.BadParameter(f"There is serve and pipe, but no {what}.")
    chance = random.Random(seed)
    if what == "serve":
        with serving(model) as (pid, port):
            keep_going(
                lambda: Counter(str(status) for status in use_server(port, chance)),
                pid,
                minutes,
                load,
            )
        return
    nlp = spacy.load(model)

    def read() -> Counter[str]:
        with nlp.memory_zone():
            docs = nlp.pipe(make_text(chance) for _ in range(20))
            return Counter(documents=sum(1 for _ in docs))

    keep_going(read, os.getpid(), minutes, load)


if __name__ == "__main__":
    typer.run(main)
