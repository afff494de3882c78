"""One case: a corpus, damaged at random, is read; what must hold is checked."""

import os
import random
import re
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

from project.paper import readers as readers
from spacy_gapdner import get_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import (
    FORMATS,
    Report,
    blank_pipeline,
    read_records,
    to_docs,
    write,
)
from spacy_gapdner.formats.registry import writable
from spacy_gapdner.formats.texts import read_texts

from .corpora import MAKERS, count_entities

READERS = tuple(MAKERS)
_SECONDS = 20
_LONGEST_MESSAGE = 1010
_NLP = blank_pipeline("en")
_ODD = [
    *(b"NaN", b"-1", b"9" * 30, b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\t"),
    *(b"T1\tADR 0 3\tsev", b"#", b"R1\tx", b"|", b"||", b";", b"<", b"&x;", b"\xe2\x80\xa8"),
    *(b"<!DOCTYPE a [<!ENTITY x 'x'>]>", b"null", b"[" * 50, b"1e999", b"true", b"x" * 3000, b"\n"),
]
# in place of a number, a name, or a value of JSON
_ODD_VALUES = [
    *(b"-1", b"0", b"1e999", b"1.5", b"9" * 12, b"9" * 30, b"NaN", b"null", b"true", b"[]", b"{}"),
    *(b'""', b'"\\ud800"', b'"\\u0000"', b"\xd9\xa3", b"\xc2\xb2", b"\xc2\xa0", b"\x0c", b"T1"),
]
_VALUE = re.compile(rb'"[^"\n]*"|[\w.-]+')
# how the kinds begin of what is dropped while its entity stays
_OF_ENTITIES = ("attribute", "normalisation", "note", "document metadata")
# html, csv and parquet are not read back
_WRITTEN = [name for name in writable() if name != "parquet"]


class FuzzError(AssertionError):
    """What must hold does not."""


def check(reader, seed):
    """Make, damage and read a corpus.

    reader (str): One of READERS.
    seed (int): Of all that is random.
    RAISES (FuzzError): If the reader raises anything but a GapDNERError, takes too long, or loses
        or invents entities.
    RETURNS (str): "read", or "refused".
    """
    rng = random.Random(f"{reader} {seed}")
    files = {name: _encode(content) for name, content in MAKERS[reader](rng).items()}
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        name = rng.choice(sorted(files))
        files[name] = _damage(rng, files[name])
    with tempfile.TemporaryDirectory() as folder, _limited():
        root = Path(folder) / "corpus"
        _write(rng, root, files)
        try:
            return _read(rng, reader, root, files)
        except GapDNERError as error:
            if len(str(error)) > _LONGEST_MESSAGE:
                raise FuzzError(f"a message of {len(str(error))} characters") from None
            return "refused"
        except FuzzError:
            raise
        except Exception as error:
            raise FuzzError(f"{type(error).__name__}: {error}") from error


def _read(rng, reader, root, files):
    report = Report()
    if reader == "texts":
        path = root / "a.jsonl" if "a.jsonl" in files else root
        n_texts = sum(1 for _ in read_texts(path))
        if "a.jsonl" not in files and n_texts < sum(file.is_file() for file in root.glob("*.txt")):
            raise FuzzError(f"{n_texts} texts of {len(files)}")
        return "read"
    options = {"types": ("all",)} if reader == "cadec" else {}
    name = reader
    if reader == "spacy":
        options = {"known": {"vocab": _NLP.vocab, "spans_key": "gapdner"}}
    docs = to_docs(read_records(root, report, name, **options), _NLP, report, n_sents=0)
    docs = list(docs)
    found = sum(len(get_entities(doc)) for doc in docs)
    dropped = [issue for issue in report.issues if issue.action == "dropped"]
    if any(len(issue.message) > _LONGEST_MESSAGE for issue in report.issues):
        raise FuzzError("a long message in the report")
    try:
        expected = count_entities(files)
    # what the readers take may be beyond the counts
    except (ValueError, AttributeError, TypeError, SyntaxError):
        expected = None
    # an entity that repeats another stays one in the Doc
    kinds = ("duplicate entity", "mention in place of tokens")
    told = found + len(dropped)
    told += sum(issue.action == "kept" and issue.kind in kinds for issue in report.issues)
    if expected is not None and told < expected:
        raise FuzzError(f"{expected} entities in, {found} out, {len(dropped)} dropped: {files}")
    _write_back(rng, docs, root.parent, found)
    return "read"


def _write_back(rng, docs, folder, found):
    name = rng.choice(_WRITTEN)
    path = (
        folder / f"out{rng.choice(['.xml', '.json']) if name == 'bioc' else FORMATS[name].ending}"
    )
    report = Report()
    try:
        write(docs, path, name, report=report)
        if FORMATS[name].reader is None or not (found or path.suffix):
            return
        known = {"vocab": _NLP.vocab, "spans_key": "gapdner"}
        back = to_docs(read_records(path, report, name, known=known), _NLP, report, n_sents=0)
        back = sum(len(get_entities(doc)) for doc in back)
    except GapDNERError as error:
        if "cannot" in str(error):
            # what the format cannot have, or an input that is too long for the tokeniser
            return
        raise FuzzError(f"as {name}: {error}") from None
    except Exception as error:
        raise FuzzError(f"as {name}: {type(error).__name__}: {error}") from error
    dropped = report.counts("dropped")
    told = back + sum(n for kind, n in dropped.items() if not kind.startswith(_OF_ENTITIES))
    told += sum(issue.kind == "duplicate entity" for issue in report.issues)
    if told < found:
        raise FuzzError(f"as {name}: {found} entities in, {back} out: {report.counts()}")


def _encode(content):
    return content.encode("utf-8") if isinstance(content, str) else content


def _damage(rng, raw):
    at, end = sorted(rng.randint(0, len(raw)) for _ in range(2))
    lines = raw.split(b"\n")
    line = rng.randrange(len(lines))
    return rng.choice(
        [
            lambda: raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :],
            lambda: raw[:at] + rng.choice(_ODD) + raw[at:],
            lambda: raw[:at] + rng.choice(_ODD) + raw[end:],
            lambda: raw[:at] + raw[at + rng.randint(1, 3) :],
            lambda: _with_odd_value(rng, raw),
            lambda: _with_odd_value(rng, raw),
            lambda: raw[:end] + raw[at:],
            lambda: raw[:at],
            lambda: b"\n".join([*lines[:line], *lines[line + 1 :]]),
            lambda: b"\n".join([*lines[:line], lines[line], *lines[line:]]),
            lambda: b"\n".join(lines[:line]) + b"\n".join(lines[line:]),
            lambda: raw.replace(b"\n", b"\r\n"),
            lambda: raw.decode("utf-8", "replace").encode(
                rng.choice(["utf-16", "latin-1"]), "replace"
            ),
            lambda: raw.replace(b"UTF-8", rng.choice([b"GB18030", b"UTF-16", b"x", b"shift_jis"])),
        ]
    )()


def _with_odd_value(rng, raw):
    found = list(_VALUE.finditer(raw))
    if not found:
        return raw
    start, end = rng.choice(found).span()
    return raw[:start] + rng.choice(_ODD_VALUES) + raw[end:]


def _write(rng, root, files):
    kind = rng.random()
    for name, raw in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    folder = rng.choice(sorted({path.parent for path in root.rglob("*") if path.is_file()}))
    suffix = rng.choice([Path(name).suffix for name in files])
    if kind < 0.03:
        os.mkfifo(folder / f"pipe{suffix}")
    elif kind < 0.06:
        (folder / f"folder{suffix}").mkdir()
    elif kind < 0.09:
        (folder / f"link{suffix}").symlink_to("link" + suffix)
    elif kind < 0.14:
        # a name that is not UTF-8
        for name in list(files):
            path = root / name
            path.rename(
                Path(os.fsdecode(os.fsencode(path.with_suffix("")) + b"\xe9")).with_name(
                    os.fsdecode(os.fsencode(path.name.split(".")[0]) + b"\xe9")
                    + path.name[len(path.name.split(".")[0]) :]
                )
            )


@contextmanager
def _limited():
    def stop(number, frame):
        raise FuzzError(f"takes more than {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
