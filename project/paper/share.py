"""Read the ShARe/CLEF corpora of 2013 (task 1) and 2014 (task 2)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from project.corpora.knowtator import read_annotation_file
from spacy_gapdner.entities import Fragments
from spacy_gapdner.entities.attributes import ensure_extensions
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_lines, visible_files
from spacy_gapdner.formats.records import TextEntity
from spacy_gapdner.formats.report import Place, Report
from spacy_gapdner.formats.sentences import TokenRecord, make_docs

from .dai import align_share, find_documents, flatten, read_documents
from .dai_tokens import share_sentences
from .id_lists import check_split, note_missing, read_ids
from .share_folders import ARCHIVES, PARTS, Part, find_folders

LABEL = "Disorder"
# the fields of 2014 after document, offsets and concept: a value and its cue in the text for each
# slot, except for the document time (DT), which has no cue
_SLOTS = ("NI", "SC", "UI", "CC", "SV", "CO", "GC", "BL", "DT", "TE")
_FIELDS_2014 = [
    f"{kind}_{slot}" for slot in _SLOTS for kind in ("Norm", "Cue") if (kind, slot) != ("Cue", "DT")
]
_NUMBER = re.compile(r"\d{1,18}")
_SPANS_2014 = re.compile(r"\d{1,18}-\d{1,18}(\s*,\s*\d{1,18}-\d{1,18})*")

# (annotation file, name of the text, Report) -> entities with the offsets of the file
_AnnotationReader = Callable[[Path, str, Report], Iterable[TextEntity]]


def read_share(
    path: Path,
    report: Report,
    *,
    corpus: str,
    split: str | None = None,
    ids: Path | None = None,
) -> Iterator[TokenRecord]:
    """Read a ShARe/CLEF corpus as Dai et al. do, sorted by part and document. Concepts and slots
    are attributes of entities.

    path (Path): The folder with the unpacked archives, or with the folders train/text, train/ann,
        test/text and test/ann.
    split (Optional[str]): "train", "dev" or "test". None for the complete corpus.
    ids (Optional[Path]): The list of development documents, or the folder with dev.list. Required
        for train and dev.
    """
    check_split(split, ids)
    dev: set[str] | None = None
    if split in ("train", "dev"):
        dev = read_ids(ids, "dev.list", corpus, "dev", report)
    parts = PARTS if split is None else ("test" if split == "test" else "train",)
    folders = {part: find_folders(path, corpus, part) for part in parts}
    used: set[Path] = set()
    for part, where in folders.items():
        read, suffix = _READERS[corpus, part]
        # a.txt.knowtator.xml, a.pipe.txt or a.txt annotate a.txt
        endings = (suffix,) if suffix.endswith(".xml") else (".txt", suffix)
        annotations = find_documents(where.ann, endings, suffix)
        if not annotations:
            archive = ARCHIVES[corpus, part, "ann"][0]
            raise GapDNERError(f"{where.ann} contains no annotation file. Unpack {archive} again.")
        texts = find_documents(where.text, (".txt",), "")
        names = set(annotations) if where.shared else set(texts)
        if dev is not None:
            note_missing(dev, names, ids, report)
            names = names & dev if split == "dev" else names - dev
        used.update(texts[name] for name in names & texts.keys())
        read_entities = partial(_read_entities, read, report)
        files = (texts, annotations, names)
        yield from read_documents(*files, read_entities, share_sentences, align_share, report)
    if split is None:
        found = {
            file for where in folders.values() for file in visible_files(where.text, (".txt",))
        }
        for file in sorted(found - used):
            message = f"{file.name} has no annotation file, so its part is unknown"
            report.add("dropped", "document of unknown part", message, Place(str(file)))


def read_share_docs(
    path: Path,
    report: Report,
    *,
    corpus: str,
    vocab: Vocab,
    spans_key: str,
    n_sents: int,
    split: str | None = None,
    ids: Path | None = None,
) -> Iterator[Doc]:
    """Make Docs, see `read_share`."""
    sentences = read_share(path, report, corpus=corpus, split=split, ids=ids)
    yield from make_docs(sentences, vocab, spans_key, n_sents)


def _read_entities(
    read: _AnnotationReader, report: Report, path: Path, name: str, text: str
) -> Iterator[TextEntity]:
    places: dict[Fragments, Place] = {}
    for entity in read(path, name, report):
        flat = flatten(entity, text, report)
        if flat is None:
            continue
        gaps = [text[left[1] : right[0]] for left, right in pairwise(flat.fragments)]
        if gaps and not "".join(gaps).strip():
            message = f"{flat.label} has only whitespace between its fragments"
            kind = "whitespace between fragments"
            report.add("repaired", kind, message, flat.place, flat.fragments)
            flat = replace(flat, fragments=((flat.fragments[0][0], flat.fragments[-1][1]),))
        if flat.fragments in places:
            message = f"{flat.label} repeats the one at {places[flat.fragments]}"
            report.add("dropped", "duplicate entity", message, flat.place, flat.fragments)
        else:
            places[flat.fragments] = flat.place
            yield flat


def _read_knowtator(path: Path, text_name: str, report: Report) -> Iterable[TextEntity]:
    return read_annotation_file(path, report, label=LABEL)[1]


def _read_double_pipes(path: Path, text_name: str, report: Report) -> Iterator[TextEntity]:
    for fields, place in _lines(path, "||"):
        numbers = fields[3:]
        is_valid = fields[0] == text_name and fields[1:2] == ["Disease_Disorder"] and numbers
        if not is_valid or len(numbers) % 2 or not all(map(_NUMBER.fullmatch, numbers)):
            raise _invalid_line(place, fields, f"{text_name}||Disease_Disorder||CUI||START||END...")
        yield _entity(numbers, place, {"kb_id": fields[2]})


def _read_single_pipes(path: Path, text_name: str, report: Report) -> Iterator[TextEntity]:
    ensure_extensions(_FIELDS_2014)
    for fields, place in _lines(path, "|"):
        if len(fields) < 3 or fields[0] != text_name or not _SPANS_2014.fullmatch(fields[1]):
            raise _invalid_line(place, fields, f"{text_name}|START-END,...|CUI|...")
        slots = dict(zip(_FIELDS_2014, fields[3:], strict=False))
        yield _entity(_NUMBER.findall(fields[1]), place, {"kb_id": fields[2], "_": slots})


def _lines(path: Path, separator: str) -> Iterator[tuple[list[str], Place]]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            yield line.strip().split(separator), Place(str(path), number)


def _entity(offsets: Iterable[str], place: Place, attrs: dict[str, Any]) -> TextEntity:
    numbers = [*map(int, offsets)]
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    return TextEntity(LABEL, fragments, None, place, attrs=attrs)


def _invalid_line(place: Place, fields: list[str], expected: str) -> GapDNERError:
    return GapDNERError(
        f"{place} has {len(fields)} fields, starting with {fields[:2]}, but should have the form "
        f"{expected}. Is the file damaged, or from another year?"
    )


# by corpus and part: the reader of annotation files, and their part of the file name
_READERS: dict[tuple[str, Part], tuple[_AnnotationReader, str]] = {
    ("share13", "train"): (_read_knowtator, ".knowtator.xml"),
    ("share13", "test"): (_read_double_pipes, ".pipe"),
    ("share14", "train"): (_read_single_pipes, ".pipe"),
    ("share14", "test"): (_read_single_pipes, ".pipe"),
}
