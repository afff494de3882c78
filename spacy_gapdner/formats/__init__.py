"""Readers and writers of annotation formats, and the way from what they read to Docs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import GapDNERError
from ..sentences import SENTENCIZER_CONFIG, LineSentencizer, blank_pipeline
from .brat import ANNOTATION_SUFFIXES, read_brat, write_brat
from .cadec import is_cadec, read_cadec
from .craft import is_craft
from .docs import DOC_NAME, Alignment, to_docs
from .files import visible_files
from .inline import SUFFIXES as INLINE_SUFFIXES
from .inline import has_inline_mentions, read_inline, write_inline
from .knowtator import has_knowtator_root, read_knowtator
from .records import Record, TextEntity, TextRecord, TokenRecord
from .report import NOWHERE, Issue, Place, Report
from .share import read_share13, read_share14
from .share_folders import guess_corpus
from .w2ner import read_w2ner, write_w2ner

__all__ = [
    "DOC_NAME",
    "FORMATS",
    "SENTENCIZER_CONFIG",
    "Alignment",
    "Format",
    "GapDNERError",
    "Issue",
    "LineSentencizer",
    "Place",
    "Record",
    "Report",
    "TextEntity",
    "TextRecord",
    "TokenRecord",
    "blank_pipeline",
    "get_format",
    "guess_format",
    "read_brat",
    "read_cadec",
    "read_inline",
    "read_knowtator",
    "read_records",
    "read_share13",
    "read_share14",
    "read_w2ner",
    "to_docs",
    "write_brat",
    "write_inline",
    "write_w2ner",
]


@dataclass(frozen=True)
class Format:
    """A format of annotated text.

    description (str): What its files are, for lists and messages.
    read (Callable[..., Iterator[Record]]): Takes a path, a Report and the options as keywords.
    write (Optional[Callable[..., int]]): Takes Docs, a path and a spans key.
    options (tuple[str, ...]): Keywords that `read` takes.
    """

    description: str
    read: Callable[..., Iterator[Record]]
    write: Callable[..., int] | None = None
    options: tuple[str, ...] = ()


FORMATS = {
    "brat": Format("brat standoff: .txt with .ann, or with .a1 and .a2", read_brat, write_brat),
    "knowtator": Format(
        "Knowtator XML of version 1 or 2 with .txt, or the CRAFT corpus",
        read_knowtator,
        options=("ontologies", "labels", "split"),
    ),
    "w2ner": Format("JSON of tokenised sentences with token indices", read_w2ner, write_w2ner),
    "inline": Format(
        "text of a line of tokens, one of mentions and a blank one a sentence",
        read_inline,
        write_inline,
    ),
    "cadec": Format(
        "CADEC: the folder with text and original", read_cadec, options=("types", "split", "ids")
    ),
    "share13": Format(
        "ShARe/CLEF 2013 task 1: the folder of the unpacked archives",
        read_share13,
        options=("split", "ids"),
    ),
    "share14": Format(
        "ShARe/CLEF 2014 task 2: the folder of the unpacked archives",
        read_share14,
        options=("split", "ids"),
    ),
}


def get_format(name: str) -> Format:
    """Look up a format.

    name (str): Its name, see FORMATS.
    RETURNS (Format): The format.
    RAISES (GapDNERError): If there is none of this name.
    """
    if name not in FORMATS:
        raise GapDNERError(f"Unknown format {name!r}: choose {', '.join(FORMATS)}.")
    return FORMATS[name]


def read_records(
    path: Path,
    report: Report,
    name: str | None = None,
    *,
    types: tuple[str, ...] = (),
    **options: object,
) -> Iterator[Record]:
    """Read a file or folder of any format.

    path (Path): The file or folder.
    report (Report): Takes what is dropped or repaired.
    name (Optional[str]): The format's name; guessed if None.
    types (tuple[str, ...]): The entity types to keep; all if empty. The report counts the
        entities of others. A format whose reader chooses types itself gets them as they are.
    **options: What the format's reader takes beyond; those that are None or empty count as not
        given.
    RETURNS (Iterator[Record]): The records, read as they are asked for.
    RAISES (GapDNERError): If the format is unknown, unclear, or has no such option.
    """
    name = name or guess_format(path)
    chosen = get_format(name)
    given = {key: value for key, value in options.items() if value not in (None, (), "")}
    unknown = [key for key in given if key not in chosen.options]
    if unknown:
        raise GapDNERError(f"The format {name} has no option {', '.join(unknown)}.")
    if types and "types" in chosen.options:
        return chosen.read(Path(path), report, types=types, **given)
    records = chosen.read(Path(path), report, **given)
    return _of_types(records, types, report) if types else records


def guess_format(path: Path) -> str:
    """Guess the format of a file or folder by its names and first bytes.

    path (Path): The file or folder.
    RETURNS (str): The format's name.
    RAISES (GapDNERError): If there is nothing there, or nothing or more than one format fits.
    """
    path = Path(path)
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    if path.is_dir() and is_craft(path):
        return "knowtator"
    if path.is_dir() and (is_cadec(path) or is_cadec(path / "cadec")):
        return "cadec"
    if path.is_dir() and (share := guess_corpus(path)):
        return share
    suffixes = (*ANNOTATION_SUFFIXES, ".xml", ".json", ".jsonl")
    files = [path]
    if path.is_dir():
        files = visible_files(path, suffixes) or visible_files(path, INLINE_SUFFIXES)
    if not files:
        raise GapDNERError(f"{path} holds no annotation file ({', '.join(suffixes)}).")
    # a folder may hold thousands of files: the first of each ending tells
    firsts = {file.suffix: file for file in reversed(files)}
    fitting = sorted({name for file in firsts.values() if (name := _guess_file(file))})
    if len(fitting) == 1:
        return fitting[0]
    seen = "several formats fit" if fitting else "no format fits"
    raise GapDNERError(
        f"Cannot tell the format of {path}: {seen}. Choose one of {', '.join(FORMATS)}."
    )


def _of_types(
    records: Iterator[Record], types: tuple[str, ...], report: Report
) -> Iterator[Record]:
    found: set[str] = set()
    for record in records:
        wanted = tuple(entity for entity in record.entities if entity.label in types)
        found.update(entity.label for entity in wanted)
        report.left_out.update(e.label for e in record.entities if e.label not in types)
        yield replace(record, entities=wanted)
    for label in types:
        if label not in found:
            others = ", ".join(sorted({*found, *report.left_out})) or "none"
            message = f"no entity has the type {label!r}; there are {others}"
            report.add("kept", "type without entities", message, NOWHERE)


def _guess_file(path: Path) -> str | None:
    if path.suffix in ANNOTATION_SUFFIXES:
        return "brat"
    if path.suffix == ".txt":
        beside = [path.with_suffix(suffix) for suffix in ANNOTATION_SUFFIXES]
        if any(file.is_file() for file in beside):
            return "brat"
    if path.suffix in INLINE_SUFFIXES:
        return "inline" if path.is_file() and has_inline_mentions(path) else None
    if path.suffix == ".xml":
        return "knowtator" if has_knowtator_root(path) else None
    if path.suffix in (".json", ".jsonl"):
        with path.open("rb") as stream:
            head = stream.read(1 << 16)
        return "w2ner" if b'"sentence"' in head else None
    return None
