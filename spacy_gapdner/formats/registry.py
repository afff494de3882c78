"""List the formats with their readers and writers."""

import os
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Literal

from ..errors import GapDNERError
from . import annotation_tools as tools
from . import bioc, brat, cas, docbin, inline, jsonl, pubtator, tables, w2ner
from . import pubannotation as pub
from .files import NOT_TEXT, WORD_SUFFIXES, first_text, require_data, visible_files, word_files
from .outputs import check_no_stream
from .records import Record
from .sentences import docs_reader

# the attrs of entities that files can represent
ATTRS = frozenset({"id", "kb_id", "kb_name", "_", "score"})


@dataclass(frozen=True)
class Format:
    """A format of annotated text.

    name (str): The name.
    reader (Optional[Callable]): Takes a path, a Report and options as keyword arguments, and yields
        TextRecords or Docs. The options `vocab`, `spans_key`, `n_sents` and `types` get the values
        of `read`. None if the format cannot be read.
    writer (Optional[Callable]): Takes Docs, a path, a spans key and a Report, writes the path
        unless a Doc is invalid, and returns a count. None if the format cannot be written.
    suffixes (tuple[str, ...]): The file extensions; empty if a corpus is a folder.
    ending (Optional[str]): The file extension for which the writer is chosen; "" for a folder.
    detector (Union[str, Callable]): A regular expression that matches in the beginning of a file in
        this format, or a function that takes a path and returns whether it is in this format.
        Empty if the file extensions are sufficient.
    loses (frozenset[str]): Values that the writer cannot store and `write` reports: "relations",
        "metadata" of documents, and the attrs of entities: "id", "kb_id", "kb_name", "_", "score".
    has_tokens (bool): Whether the files contain tokens, which a pipeline learns from.
    """

    name: str
    reader: Callable[..., Iterator[Record]] | None = None
    writer: Callable[..., int] | None = None
    suffixes: tuple[str, ...] = ()
    ending: str | None = None
    detector: str | Callable[[Path], bool] = ""
    loses: frozenset[str] = frozenset({"relations", "metadata"})
    has_tokens: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): The keyword arguments of the reader."""
        # after the path and the report
        return tuple(signature(self.reader).parameters)[2:] if self.reader else ()

    def fits(self, path: Path) -> bool:
        """RETURNS (bool): Whether a file, or a corpus folder, can be read in this format."""
        if self.reader is None:
            return False
        if self.suffixes and not (path.suffix in self.suffixes and path.is_file()):
            return False
        if callable(self.detector):
            return self.detector(path)
        return not self.detector or re.search(self.detector, first_text(path)) is not None


_CAS = r'"%[A-Z_]+"\s*:|<(?:[\w.-]+:)?XMI\b|\APK'
_BIOC, _PUB = r'<collection|"passages"\s*:', r'"(denotations|tracks)"\s*:'
_JSONL, _PUBTATOR = jsonl.ENTITIES, r"\A\s*\S+\|t\|"
_W2NER, _INLINE = docs_reader(w2ner.read_w2ner), docs_reader(inline.read_inline)
_BRAT, _TXT = (*brat.ANNOTATION_SUFFIXES, ".txt"), inline.SUFFIXES
_NONE, _RELATIONS, _METADATA = frozenset[str](), frozenset({"relations"}), frozenset({"metadata"})
_ALL = ATTRS | _RELATIONS | _METADATA
_NOT_IN_TABLES = _ALL - {"kb_id", "score"}
# NUL bytes are left if a disk was full
_BLANK = string.whitespace + "\0"
JSON, JSONL, SPACY, TXT = ".json", ".jsonl", ".spacy", ".txt"
# formats that spaCy converts
_CONLL = (".conll", ".iob")
_OTHER_FORMATS = {
    "#FORMAT=WebAnno TSV": "is WebAnno TSV. Export UIMA CAS (XMI or JSON).",
    '"annotation_id"': "is JSON-MIN, CSV or TSV of Label Studio. Export JSON.",
    '"start_offset"': 'is JSON of doccano. Export "JSONL (text label)".',
}
_TABLE = (
    Format("prodigy", tools.read_prodigy, None, (JSONL,), None, tools.is_prodigy),
    Format("doccano", tools.read_doccano, None, (JSONL,), None, tools.is_doccano),
    Format("labelstudio", tools.read_labelstudio, None, (JSON,), None, r'"result"\s*:'),
    Format("cas", cas.read_cas, None, cas.SUFFIXES, None, _CAS),
    Format("jsonl", jsonl.read_jsonl, jsonl.write_jsonl, (JSONL,), JSONL, _JSONL, _RELATIONS),
    Format("brat", brat.read_brat, brat.write_brat, _BRAT, "", brat.has_annotations, _METADATA),
    Format("w2ner", _W2NER, w2ner.write_w2ner, (JSON,), JSON, r'"sentence"\s*:', _ALL, True),
    Format("pubannotation", pub.read_pubannotation, pub.write_pubannotation, (JSON,), "", _PUB),
    Format("inline", _INLINE, inline.write_inline, _TXT, ".inline", inline.is_inline, _ALL, True),
    Format("spacy", docbin.read_spacy, docbin.write_spacy, (SPACY,), SPACY, "", _NONE, True),
    Format("bioc", bioc.read_bioc, bioc.write_bioc, (".xml", JSON), ".xml", _BIOC),
    Format("pubtator", pubtator.read_pubtator, None, pubtator.SUFFIXES, None, _PUBTATOR),
    Format("csv", writer=tables.write_csv, ending=".csv", loses=_NOT_IN_TABLES),
    Format("parquet", writer=tables.write_parquet, ending=".parquet", loses=_NOT_IN_TABLES),
)
# in the order in which they are tried
FORMATS = {format.name: format for format in _TABLE}


def register_format(format: Format) -> None:
    """Add a format for `read`, `write` and all commands, or replace one with the same name."""
    FORMATS[format.name] = format


def names_of(verb: Literal["read", "write"]) -> list[str]:
    """RETURNS (list[str]): The names of all formats that can be read or written."""
    return [n for n, f in FORMATS.items() if (f.reader if verb == "read" else f.writer)]


def get_format(name: str, verb: Literal["read", "write"] = "read") -> Format:
    """RETURNS (Format): The format with a name; a GapDNERError if it cannot be read or written."""
    names = names_of(verb)
    if name not in names:
        problem = f"Cannot {verb} the" if name in FORMATS else "Unknown"
        raise GapDNERError(f"{problem} format {name!r}: choose {', '.join(names)}.")
    return FORMATS[name]


def guess_format(path: Path) -> str:
    """Guess the format of a file or folder from file names and first bytes.

    RETURNS (str): The name of the format.
    RAISES (GapDNERError): If the path does not exist, or not exactly one format fits.
    """
    path = Path(path)
    require_data(path)
    files = [path]
    if path.is_dir():
        corpora = (f.name for f in FORMATS.values() if not f.suffixes and f.fits(path))
        if found := next(corpora, None):
            return found
        # texts last: other formats store them next to their annotations
        others = dict.fromkeys(s for f in FORMATS.values() for s in f.suffixes if s != TXT)
        files = visible_files(path, tuple(others)) or visible_files(path, (TXT,))
        if not files:
            _explain_content(path, word_files(path) or visible_files(path, _CONLL))
            raise GapDNERError(f"{path} contains no annotation file ({', '.join(others)}).")
    # a folder can contain thousands of files: check the first with each extension
    firsts = {file.suffix: file for file in reversed(files)}
    of_files = [format for format in FORMATS.values() if format.suffixes]
    # in the order of FORMATS: a text next to a .ann file is brat, even if it looks like inline text
    fitting = {next((f.name for f in of_files if f.fits(file)), "") for file in firsts.values()}
    names = sorted(fitting - {""})
    if len(names) == 1:
        return names[0]
    if not names:
        _explain_content(path, files)
    seen = f"several formats fit ({', '.join(names)})" if names else "no format fits"
    raise GapDNERError(
        f"Cannot detect the format of {path}: {seen}. Choose one: {', '.join(names_of('read'))}."
    )


def choose_output(path: Path, name: str | None = None) -> Format:
    """RETURNS (Format): The format to write at a path; a GapDNERError if that is impossible."""
    check_no_stream(path)
    ending = "" if path.is_dir() else path.suffix
    name = name or next((f.name for f in FORMATS.values() if f.ending == ending), None)
    if name is None:
        choices = ", ".join(names_of("write"))
        raise GapDNERError(f"Cannot detect the format from the name {path}. Choose one: {choices}.")
    format = get_format(name, "write")
    # also a device or a broken link
    if os.path.lexists(path) and not path.is_dir() and format.ending == "":
        raise GapDNERError(
            f"The format {name} writes a folder, but {path} is not one. Use another name, or "
            "choose a format that writes a file, such as jsonl."
        )
    if path.is_dir() and format.ending != "":
        raise GapDNERError(f"{path} is a folder. Specify a file.")
    return format


def _explain_content(path: Path, files: Sequence[Path]) -> None:
    # raises an error if the files have no annotation for an obvious reason
    if files and not any(file.stat().st_size and first_text(file).strip(_BLANK) for file in files):
        raise GapDNERError(f"{path} {'has only empty files' if path.is_dir() else 'is empty'}.")
    for file in {file.suffix: file for file in reversed(files)}.values():
        if file.suffix.lower() in (*WORD_SUFFIXES, ".pdf"):
            raise GapDNERError(f"{file} {NOT_TEXT}")
        if file.suffix in _CONLL:
            raise GapDNERError(
                f"{file} is CoNLL. Convert it to .spacy with python -m spacy convert, and import "
                "that with --from-ents."
            )
        text = first_text(file, strict=True)
        if re.fullmatch(r"\s*[\[{][\[\]{}\s]*|\s*null\s*", text):
            raise GapDNERError(f"{file} contains no document.")
        for part, advice in _OTHER_FORMATS.items():
            if part in text:
                raise GapDNERError(f"{file} {advice}")
        written = [f.name for f in FORMATS.values() if f.reader is None and f.ending == file.suffix]
        if written:
            raise GapDNERError(f"{file}: {written[0]} can only be written. Use the original data.")
    if files and all(file.suffix == TXT for file in files):
        hint = brat.shared_hint(path) or "Annotate it, or use predict to find entities."
        raise GapDNERError(
            f"{path} has text without annotation: there is no .ann file or inline text. {hint}"
        )
