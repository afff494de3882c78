"""The formats: how each is read, written and recognized."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

from spacy.util import registry

from ..errors import GapDNERError
from .files import visible_files

if TYPE_CHECKING:
    from .records import Record

# or its name
Function = Callable[..., Any] | str


@dataclass(frozen=True)
class Format:
    """A format of annotated text. Its functions, or their names as MODULE:FUNCTION, such as
    ``spacy_gapdner.formats.brat:read_brat``; those are imported when they are used.

    name (str): Its name.
    reader (Union[str, Callable, None]): Takes a path, a Report, and the options as keywords, and
        gives records one at a time. None if the format is only written.
    writer (Union[str, Callable, None]): Takes Docs, a path, a spans key and a Report, writes the
        path whole or not at all, and returns how much it wrote. None if it is only read.
    detector (Union[str, Callable, None]): Tells of a path whether its names and first bytes fit;
        None if the endings alone tell.
    options (tuple[str, ...]): Keywords that the reader takes.
    suffixes (tuple[str, ...]): Endings of its files; empty if it is a folder in one layout.
    ending (Optional[str]): Ending of a name that the writer is chosen by; "" for a folder.
    """

    name: str
    reader: Function | None = None
    writer: Function | None = None
    detector: Function | None = None
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    ending: str | None = None

    @property
    def read(self) -> Callable[..., "Iterator[Record]"] | None:
        """RETURNS (Optional[Callable[..., Iterator[Record]]]): The reader, imported."""
        return None if self.reader is None else _resolve(self.reader)

    @property
    def write(self) -> Callable[..., int] | None:
        """RETURNS (Optional[Callable[..., int]]): The writer, imported."""
        return None if self.writer is None else _resolve(self.writer)

    def fits(self, path: Path) -> bool:
        """RETURNS (bool): Whether a file, or the folder of a corpus, can be read in this format."""
        if self.reader is None:
            return False
        if self.suffixes and not (path.suffix in self.suffixes and path.is_file()):
            return False
        return self.detector is None or _resolve(self.detector)(path)


def _format(
    name: str,
    detector: str | None,
    suffixes: tuple[str, ...],
    ending: str | None = None,
    options: tuple[str, ...] = (),
    module: str | None = None,
) -> Format:
    # of this package, whose modules and functions are named after the format
    module = f"{__package__}.{module or name}"
    writer = None if ending is None else f"{module}:write_{name}"
    finder = detector and f"{module}:{detector}"
    return Format(name, f"{module}:read_{name}", writer, finder, options, suffixes, ending)


def _write_html(*args: Any) -> int:
    # pages are drawings, which stand above formats: spaCy's registry finds them by entry point
    write: Callable[..., int] = registry.misc.get("spacy-gapdner.write_html.v1")
    return write(*args)


DOCBIN_OPTIONS = ("spans_key", "vocab", "from_ents", "from_spans")
# in the order in which they are tried
FORMATS = {
    format.name: format
    for format in (
        _format("prodigy", "is_prodigy", (".jsonl",), module="annotation_tools"),
        _format("doccano", "is_doccano", (".jsonl",), module="annotation_tools"),
        _format("labelstudio", "is_labelstudio", (".json",), module="annotation_tools"),
        _format("cas", "is_cas", (".xmi", ".zip", ".json")),
        _format("jsonl", "has_entities", (".jsonl",), ".jsonl"),
        _format("brat", "has_annotations", (".ann", ".a1", ".a2", ".txt"), "", options=("done",)),
        _format("w2ner", "has_sentences", (".json", ".jsonl"), ".json"),
        _format("pubannotation", "has_denotations", (".json",), ""),
        _format("inline", "has_inline_mentions", (".txt", ".inline"), ".inline"),
        _format("spacy", None, (".spacy",), ".spacy", DOCBIN_OPTIONS, "docbin"),
        _format("bioc", "has_passages", (".xml", ".json"), ".xml"),
        _format("pubtator", "has_title", (".pubtator", ".PubTator", ".txt")),
        _format("conll", "has_tags", (".conll", ".iob", ".bio", ".tsv", ".txt")),
        Format("html", writer=_write_html, ending=".html"),
        Format("csv", writer=f"{__package__}.tables:write_csv", ending=".csv"),
        Format("parquet", writer=f"{__package__}.tables:write_parquet", ending=".parquet"),
    )
}


def register_format(format: Format) -> None:
    """Add a format for `read`, `write` and every command. It replaces one of the same name."""
    FORMATS[format.name] = format


def readable() -> list[str]:
    """RETURNS (list[str]): The names of the formats that can be read."""
    return [name for name, format in FORMATS.items() if format.reader]


def writable() -> list[str]:
    """RETURNS (list[str]): The names of the formats that can be written."""
    return [name for name, format in FORMATS.items() if format.writer]


def get_format(name: str, verb: Literal["read", "write"] = "read") -> Format:
    """RETURNS (Format): The format of a name; a GapDNERError if it cannot be read, or written."""
    names = readable() if verb == "read" else writable()
    if name not in names:
        problem = f"Cannot {verb} the" if name in FORMATS else "Unknown"
        raise GapDNERError(f"{problem} format {name!r}: choose {', '.join(names)}.")
    return FORMATS[name]


def guess_format(path: Path) -> str:
    """Guess the name of the format of a file or folder by its names and first bytes.

    RAISES (GapDNERError): If there is nothing there, or nothing or more than one format fits.
    """
    path = Path(path)
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    corpora = [format for format in FORMATS.values() if not format.suffixes]
    if path.is_dir() and (found := next((f.name for f in corpora if f.fits(path)), None)):
        return found
    files = _annotation_files(path) if path.is_dir() else [path]
    # a folder may hold thousands of files: the first of each ending tells
    firsts = {file.suffix: file for file in reversed(files)}
    of_files = [format for format in FORMATS.values() if format.suffixes]
    # the first of them: a text with annotations beside it is brat's, whatever it looks like
    fitting = {next((f.name for f in of_files if f.fits(file)), None) for file in firsts.values()}
    names = sorted(name for name in fitting if name)
    if len(names) == 1:
        return names[0]
    seen = f"several formats fit ({', '.join(names)})" if names else "no format fits"
    raise GapDNERError(
        f"Cannot tell the format of {path}: {seen}. Choose it: {', '.join(readable())}."
    )


def choose_output(path: Path, name: str | None = None) -> Format:
    """Choose the format to write: by its name, or by the ending of the path.

    RAISES (GapDNERError): If it is unknown, cannot be written or guessed, or needs another path.
    """
    if name is None:
        ending = "" if path.is_dir() else path.suffix
        name = next((f.name for f in FORMATS.values() if f.ending == ending), None)
    if name is None:
        raise GapDNERError(
            f"Cannot tell the format from the name {path}. Choose one: {', '.join(writable())}."
        )
    format = get_format(name, "write")
    folder = format.ending == "" or (name == "spacy" and path.suffix != ".spacy")
    if folder and path.is_file():
        raise GapDNERError(f"{path} is a file. Give the name of the folder to write.")
    if not folder and path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")
    return format


def _annotation_files(folder: Path) -> list[Path]:
    # texts last: they also lie beside other annotations
    texts = (".txt", ".inline")
    suffixes = dict.fromkeys(s for f in FORMATS.values() for s in f.suffixes if s not in texts)
    files = visible_files(folder, tuple(suffixes)) or visible_files(folder, texts)
    if not files:
        raise GapDNERError(f"{folder} holds no annotation file ({', '.join(suffixes)}).")
    return files


def _resolve(function: Function) -> Callable[..., Any]:
    return resolve_name(function) if isinstance(function, str) else function
