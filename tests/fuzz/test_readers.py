"""Readers return each entity of random files. Each entity of randomly damaged files is in the
output or in the report, or the reader raises one of our errors.
"""

import random
import re

import pytest
import spacy
from spacy.tokens import Doc
from tool_files import CONTIGUOUS, LINKING

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, Report, guess_format, read, write
from spacy_gapdner.inference.texts import read_texts

NLP = spacy.blank("en")
WORDS = ["severe", "joint", ",", "(x", "n't", "Zürich", "α-2", "𝒳", "e\u0301", "#", "O", "NaN"]
# the file that each format is written to
WRITTEN = {"jsonl": "a.jsonl", "brat": "", "w2ner": "a.json", "pubannotation": ""}
WRITTEN |= {"inline": "a.inline", "spacy": "a.spacy", "bioc": "a.xml"}
# formats that are only read, with regions that do not overlap
TOOLS = LINKING | CONTIGUOUS
# entities that no reader may skip without a report
_ENTITIES = {
    "jsonl": rb'"fragments": \[\{',
    "brat": rb"(?m)T\d+\t\w+ \d+ \d+(?:;\d+ \d+)*(?:\t|\r?$)",
    "w2ner": rb'"index": \[\d',
    "bioc": rb"<annotation id",
}
_ODD = [
    *(b"-1", b"1e999", b"1.5", b"9" * 30, b"NaN", b"null", b"true", b"[]", b"{}", b'""', b"T1"),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\t", b"|", b";", b"<", b"&x;", b"x" * 3000),
    *(b"T1\tADR 0 3\tsev", b"R1\tx", b"<!DOCTYPE a [<!ENTITY x 'x'>]>", b"\xe2\x80\xa8", b"\n"),
]
_VALUE = re.compile(rb'"[^"\n]*"|[\w.-]+')


def _make_doc(rng, name, contiguous, overlapping):
    words = rng.choices(WORDS, k=rng.randint(1, 10))
    doc = Doc(NLP.vocab, words=words, user_data={DOC_NAME: name})
    entities, taken = {}, set()
    for _ in range(rng.randint(0, 4)):
        tokens = rng.sample(range(len(words)), rng.randint(1, min(4, len(words))))
        if contiguous:
            tokens = range(min(tokens), max(tokens) + 1)
        if overlapping or taken.isdisjoint(tokens):
            taken.update(tokens)
            score = rng.choice([None, 0.5])
            entities[Entity.from_tokens(rng.choice(["ADR", "B-x", "T1"]), tokens, score)] = None
    set_entities(doc, [*entities])
    return doc


def _make(rng, reader, root):
    root.mkdir(exist_ok=True)
    n_docs = rng.randint(1, 3)
    kind = reader in CONTIGUOUS, reader not in TOOLS
    docs = [_make_doc(rng, str(number), *kind) for number in range(n_docs)]
    if reader == "texts":
        for number, doc in enumerate(docs):
            (root / f"{number}.txt").write_bytes(doc.text.encode())
    elif reader in TOOLS:
        TOOLS[reader](docs, root)
    else:
        write(docs, root / WRITTEN[reader], reader, report=Report())
    return docs


def _damage(rng, raw, reader):
    at, end = sorted(rng.randint(0, len(raw)) for _ in range(2))
    lines = raw.split(b"\n")
    line = rng.randrange(len(lines))
    damages = [
        lambda: raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :],
        lambda: raw[:at] + rng.choice(_ODD) + raw[rng.choice([at, end]) :],
        lambda: _with_odd_value(rng, raw),
        lambda: raw[:at],
        lambda: b"\n".join([*lines[:line], *lines[line + 1 :]]),
        lambda: b"\n".join([*lines[:line], lines[line], *lines[line:]]),
        lambda: raw.replace(b"\n", b"\r\n"),
        lambda: raw.decode("utf-8", "replace").encode("utf-16"),
        lambda: raw.replace(b"UTF-8", rng.choice([b"GB18030", b"UTF-16", b"x"])),
    ]
    if reader != "jsonl":
        # can repeat a key of a JSON object, which only keeps the last value
        damages.append(lambda: raw[:end] + raw[at:])
    return rng.choice(damages)()


def _with_odd_value(rng, raw):
    found = list(_VALUE.finditer(raw))
    if not found:
        return raw
    start, end = rng.choice(found).span()
    return raw[:start] + rng.choice(_ODD) + raw[end:]


def _entities(doc):
    return [(entity.label_, entity.text) for entity in get_entities(doc)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reader", [*WRITTEN, *TOOLS])
def test_every_entity_is_read(tmp_path, reader, seed):
    docs = _make(random.Random(f"{reader} {seed}"), reader, tmp_path)
    path, report = tmp_path / WRITTEN.get(reader, ""), Report()
    # inline text without mentions looks like any text
    assert not any(map(_entities, docs)) or guess_format(path) == reader
    found = list(read(path, reader, nlp=NLP, report=report))
    assert list(map(_entities, found)) == list(map(_entities, docs))
    if reader not in ("inline", "w2ner"):
        assert [doc.text.strip() for doc in found] == [doc.text.strip() for doc in docs]
        assert [doc.user_data[DOC_NAME] for doc in found] == [str(n) for n in range(len(docs))]
    assert not report.counts("dropped")


@pytest.mark.parametrize("reader", [*WRITTEN, *TOOLS, "texts"])
def test_damaged_files_lose_no_entity_silently(tmp_path, reader):
    is_read = [
        _read_damaged(random.Random(f"{reader} {seed}"), reader, tmp_path / str(seed))
        for seed in range(60)
    ]
    # not every file is refused
    assert any(is_read)


def _read_damaged(rng, reader, root):
    _make(rng, reader, root)
    for _ in range(rng.choice([1, 1, 2, 4])):
        file = rng.choice(sorted(path for path in root.rglob("*") if path.is_file()))
        file.write_bytes(_damage(rng, file.read_bytes(), reader))
    report = Report()
    try:
        if reader == "texts":
            return list(read_texts(root))
        docs = list(read(root, reader, report=report, nlp=NLP))
    except GapDNERError:
        return False
    found = sum(len(get_entities(doc)) for doc in docs)
    accounted = found + report.counts("dropped").total()
    accounted += report.counts("kept")["duplicate entity"]
    if reader in _ENTITIES:
        files = [path.read_bytes() for path in root.rglob("*.*") if path.suffix != ".txt"]
        assert accounted >= sum(len(re.findall(_ENTITIES[reader], raw)) for raw in files), root
    return found
