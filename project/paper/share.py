"""The ShARe/CLEF corpora of 2013 (task 1) and 2014 (task 2), as published figures count them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy_gapdner.entities.attributes import offer_extensions
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files, with_unix_line_ends
from spacy_gapdner.formats.knowtator import read_annotation_file
from spacy_gapdner.formats.records import TextEntity, TokenRecord
from spacy_gapdner.formats.report import Place, Report

from .dai import flatten, nearest_share, read_documents
from .dai_tokens import share_sentences
from .id_lists import check_split, check_texts, map_names, note_missing, read_ids
from .share_folders import ARCHIVES, PARTS, Part, PartFolders, find_folders

LABEL = "Disorder"
# what a line of 2014 says after document, offsets and concept: values and, but for the time of
# the document (DT), the words that tell them
_SLOTS = ("NI", "SC", "UI", "CC", "SV", "CO", "GC", "BL", "DT", "TE")
_FIELDS_2014 = [
    f"{kind}_{slot}" for slot in _SLOTS for kind in ("Norm", "Cue") if (kind, slot) != ("Cue", "DT")
]
_NUMBER = re.compile(r"\d{1,18}")
_SPANS_2014 = re.compile(r"\d{1,18}-\d{1,18}(\s*,\s*\d{1,18}-\d{1,18})*")

# (annotation file, report it annotates, Report) -> entities with offsets as the file gives them
_AnnotationReader = Callable[[Path, str, Report], Iterable[TextEntity]]


def read_share(
    path: Path,
    report: Report,
    *,
    corpus: str,
    split: str | None = None,
    ids: Path | None = None,
) -> Iterator[TokenRecord]:
    """Read a ShARe/CLEF corpus as Dai et al. do. Entities carry their concepts and slots.

    path (Path): The folder in which the official archives were unpacked, or one with train/text,
        train/ann, test/text and test/ann.
    report (Report): Takes what is dropped, repaired or repeated.
    corpus (str): "share13" or "share14".
    split (Optional[str]): "train", "dev" or "test"; the whole corpus if None.
    ids (Optional[Path]): The list of the development documents, or the folder with it as
        dev.list; train and dev need it.
    YIELDS (TokenRecord): Sentences, by the order of their documents' names within a part.
    RAISES (GapDNERError): If something is missing, or is not what its name says.
    """
    check_split(split, ids)
    dev: set[str] | None = None
    if split in ("train", "dev"):
        dev = read_ids(ids, "dev.list", corpus, "dev", report)
    parts = PARTS if split is None else ("test" if split == "test" else "train",)
    folders = {part: find_folders(Path(path), corpus, part) for part in parts}
    used: set[Path] = set()
    for part, where in folders.items():
        annotations = _find_annotations(where, corpus, part)
        texts = map_names(visible_files(where.text, (".txt",)), "")
        check_texts(texts, annotations, where.text, ARCHIVES[corpus, part, "text"][0])
        names = set(annotations) if where.shared else set(texts)
        if dev is not None:
            note_missing(dev, names, Path(ids or ""), report)
            names = names & dev if split == "dev" else names - dev
        used.update(texts[name] for name in names)
        read = partial(_read_entities, _READERS[corpus, part], report)
        given = (texts, annotations, names)
        yield from read_documents(*given, read, share_sentences, nearest_share, report)
    if split is None:
        _note_unused(folders.values(), used, report)


def _find_annotations(where: PartFolders, corpus: str, part: Part) -> dict[str, Path]:
    if (corpus, part) == ("share13", "train"):
        suffix, files = ".knowtator.xml", visible_files(where.ann, (".knowtator.xml",))
    else:
        suffix, files = ".pipe", visible_files(where.ann, (".txt", ".pipe"))
    if not files:
        raise GapDNERError(
            f"{where.ann} holds no annotation file. Unpack {ARCHIVES[corpus, part, 'ann'][0]} anew."
        )
    # a.txt.knowtator.xml, a.pipe.txt and a.txt all annotate a.txt
    return map_names(files, suffix)


def _note_unused(folders: Iterable[PartFolders], used: set[Path], report: Report) -> None:
    for folder in sorted({where.text for where in folders}):
        for file in visible_files(folder, (".txt",)):
            if file not in used:
                message = f"{file.name} has no annotation file that tells its part"
                report.add("dropped", "document of no part", message, Place(str(file)))


def _read_entities(
    read: _AnnotationReader, report: Report, path: Path, name: str, text: str
) -> list[TextEntity]:
    cleaned: dict[object, TextEntity] = {}
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
        if flat.fragments in cleaned:
            other = cleaned[flat.fragments]
            message = f"{flat.label} repeats the one at {other.place}"
            report.add("dropped", "duplicate entity", message, flat.place, flat.fragments)
            continue
        cleaned[flat.fragments] = flat
    return list(cleaned.values())


def _read_knowtator(path: Path, text_name: str, report: Report) -> Iterable[TextEntity]:
    named, found = read_annotation_file(path, report, label=LABEL)
    if named != text_name:
        message = f"the file says that it annotates {named or 'nothing'}"
        report.add("kept", "other text named", message, Place(str(path), None, text_name))
    return found


def _read_double_pipes(path: Path, text_name: str, report: Report) -> Iterator[TextEntity]:
    for fields, place in _lines(path, "||", report):
        numbers = fields[3:]
        fits = fields[0] == text_name and fields[1:2] == ["Disease_Disorder"]
        if not fits or not numbers or len(numbers) % 2 or not all(map(_NUMBER.fullmatch, numbers)):
            raise _wrong_line(place, fields, f"{text_name}||Disease_Disorder||CUI||START||END...")
        yield _entity(map(int, numbers), place, {"kb_id": fields[2]})


def _read_single_pipes(path: Path, text_name: str, report: Report) -> Iterator[TextEntity]:
    offer_extensions(_FIELDS_2014)
    for fields, place in _lines(path, "|", report):
        if len(fields) < 2 or fields[0] != text_name or not _SPANS_2014.fullmatch(fields[1]):
            raise _wrong_line(place, fields, f"{text_name}|START-END,...|CUI|...")
        attrs: dict[str, Any] = {}
        if len(fields) == 3 + len(_FIELDS_2014):
            attrs = {"kb_id": fields[2], "_": dict(zip(_FIELDS_2014, fields[3:], strict=True))}
        else:
            message = f"{len(fields)} fields, not {3 + len(_FIELDS_2014)}; the first two were read"
            report.add("kept", "other number of fields", message, place)
        yield _entity(map(int, _NUMBER.findall(fields[1])), place, attrs)


def _lines(path: Path, separator: str, report: Report) -> Iterator[tuple[list[str], Place]]:
    lines = with_unix_line_ends(read_text(path, report)).split("\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield line.strip().split(separator), Place(str(path), number)


def _entity(offsets: Iterable[int], place: Place, attrs: dict[str, Any]) -> TextEntity:
    numbers = list(offsets)
    fragments = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    return TextEntity(LABEL, fragments, None, place, attrs=attrs)


def _wrong_line(place: Place, fields: list[str], wanted: str) -> GapDNERError:
    return GapDNERError(
        f"{place} has {len(fields)} fields, beginning with {fields[:2]}, and is no line of "
        f"{wanted}. Is the file damaged, or of another year?"
    )


_READERS: dict[tuple[str, Part], _AnnotationReader] = {
    ("share13", "train"): _read_knowtator,
    ("share13", "test"): _read_double_pipes,
    ("share14", "train"): _read_single_pipes,
    ("share14", "test"): _read_single_pipes,
}
read_share13 = partial(read_share, corpus="share13")
read_share14 = partial(read_share, corpus="share14")
