"""Writing predictions as they come: JSONL, brat, W2NER, inline text or .spacy, each whole or not at
all."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wasabi import msg

from ..errors import GapDNERError
from .docbin import write_docbin
from .files import filling

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Docs, each with what else its input record holds
Predictions = Iterable[tuple["Doc", dict[str, Any]]]
# takes the predictions and the spans key
Writer = Callable[[Predictions, str], None]

DOCS_PER_FILE = 10_000


class ReaderGoneError(Exception):
    """Whoever read standard output has closed it."""


def choose_writer(path: Path | None, format: str | None = None) -> Writer:
    """Choose the way to write predictions.

    path (Optional[Path]): The file or folder; None for standard output.
    format (Optional[str]): "jsonl", "brat", "w2ner", "inline" or "spacy"; guessed from the path's
        ending if None.
    RETURNS (Writer): Takes the predictions and the spans key.
    RAISES (GapDNERError): If the format is unknown, cannot be guessed, or needs another path.
    """
    if format is not None and format not in _WRITERS:
        raise GapDNERError(f"Unknown format {format!r}: choose {', '.join(_WRITERS)}.")
    if path is None:
        if format in (None, "jsonl"):
            return _print_jsonl
        raise GapDNERError(f"The format {format} needs a place to write to: --output PATH.")
    if format is None:
        format = "brat" if path.is_dir() else _ENDINGS.get(path.suffix)
    if format is None:
        raise GapDNERError(
            f"Cannot tell the format from the name {path}. Choose one with --format: "
            f"{', '.join(_WRITERS)}."
        )
    folder = format == "brat" or (format == "spacy" and path.suffix != ".spacy")
    if folder and path.is_file():
        raise GapDNERError(f"{path} is a file. Give the name of the folder to write.")
    if not folder and path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")
    return partial(_WRITERS[format], path)


def to_record(doc: "Doc", key: str, extra: dict[str, Any]) -> dict[str, Any]:
    """Make the JSONL record of a Doc.

    doc (Doc): A Doc with entities.
    key (str): Prefix of the span groups.
    extra (dict[str, Any]): Further keys; "text" and "entities" are left out.
    RETURNS (dict[str, Any]): Text and entities with character offsets, and the further keys.
    """
    from ..entities import get_entities

    entities = [
        {
            "label": entity.label_,
            "text": entity.text,
            "start": entity.start_char,
            "end": entity.end_char,
            "fragments": [
                {"start": span.start_char, "end": span.end_char, "text": span.text}
                for span in entity.spans
            ],
            "score": None if entity.score is None else round(entity.score, 6),
            "discontinuous": entity.is_discontinuous,
        }
        for entity in get_entities(doc, key)
    ]
    carried = {name: value for name, value in extra.items() if name not in ("text", "entities")}
    return {"text": doc.text, "entities": entities, **carried}


def _jsonl_lines(predictions: Predictions, key: str) -> Iterator[bytes]:
    for doc, extra in predictions:
        line = json.dumps(to_record(doc, key, extra), ensure_ascii=False)
        yield line.encode("utf-8") + b"\n"


def _print_jsonl(predictions: Predictions, key: str) -> None:
    for line in _jsonl_lines(predictions, key):
        try:
            # as bytes: the terminal's encoding may not be UTF-8
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGoneError from None


def _write_jsonl(path: Path, predictions: Predictions, key: str) -> None:
    from .files import replacing

    with replacing(path) as temporary, temporary.open("wb") as stream:
        stream.writelines(_jsonl_lines(predictions, key))


def _write_brat(path: Path, predictions: Predictions, key: str) -> None:
    from . import write_brat

    with filling(path) as temporary:
        write_brat((doc for doc, _ in predictions), temporary, key)


def _write_sentences(format: str, path: Path, predictions: Predictions, key: str) -> None:
    from . import Report, write_inline, write_w2ner

    report = Report()
    write = {"w2ner": write_w2ner, "inline": write_inline}[format]
    write((doc for doc, _ in predictions), path, key, report)
    for kind, count in report.counts("dropped").items():
        msg.warn(f"Left out of {path}: {count} ({kind})")


def _write_spacy(path: Path, predictions: Predictions, key: str) -> None:
    docs = (doc for doc, _ in predictions)
    if path.suffix == ".spacy":
        write_docbin(docs, path, store_user_data=True)
        return
    if path.is_dir() and any(path.glob("*.spacy")):
        raise GapDNERError(f"{path} holds .spacy files already. Choose another folder.")
    with filling(path) as temporary:
        for number, first in enumerate(docs, start=1):
            part = chain([first], islice(docs, DOCS_PER_FILE - 1))
            write_docbin(part, temporary / f"{number:05d}.spacy", store_user_data=True)


_WRITERS: dict[str, Callable[[Path, Predictions, str], None]] = {
    "jsonl": _write_jsonl,
    "brat": _write_brat,
    "w2ner": partial(_write_sentences, "w2ner"),
    "inline": partial(_write_sentences, "inline"),
    "spacy": _write_spacy,
}
_ENDINGS = {
    ".jsonl": "jsonl",
    ".json": "w2ner",
    ".inline": "inline",
    ".spacy": "spacy",
    "": "brat",
}
