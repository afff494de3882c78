"""The formats, with their readers, writers and detectors."""

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

# or MODULE:FUNCTION, imported when it is used
Function = Callable[..., Any] | str


@dataclass(frozen=True)
class Format:
    """A format of annotated text. Its functions can be given as names that are imported when they
    are used, such as ``spacy_gapdner.formats.brat:read_brat``.

    name (str): The name.
    reader (Union[str, Callable, None]): Takes a path, a Report and options as keyword arguments,
        and yields records. None if the format is only written.
    writer (Union[str, Callable, None]): Takes Docs, a path, a spans key and a Report, writes the
        path completely or not at all, and returns a count. None if the format is only read.
    detector (Union[str, Callable, None]): Takes a path and returns whether its first bytes or its
        layout fit. None if the file extensions are sufficient.
    options (tuple[str, ...]): Keyword arguments of the reader.
    suffixes (tuple[str, ...]): The file extensions; empty if a corpus is a folder.
    ending (Optional[str]): The file extension for which the writer is chosen; "" for a folder.
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
        """RETURNS (Optional[Callable[..., Iterator[Record]]]): The imported reader."""
        return None if self.reader is None else _resolve(self.reader)

    @property
    def write(self) -> Callable[..., int] | None:
        """RETURNS (Optional[Callable[..., int]]): The imported writer."""
        return None if self.writer is None else _resolve(self.writer)

    def fits(self, path: Path) -> bool:
        """RETURNS (bool): Whether a file, or a corpus folder, can be read in this format."""
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
    # a format of this package: its module and functions are named after it
    module = f"{__package__}.{module or name}"
    writer = None if ending is None else f"{module}:write_{name}"
    finder = detector and f"{module}:{detector}"
    return Format(name, f"{module}:read_{name}", writer, finder, options, suffixes, ending)


def _write_html(*args: Any) -> int:
    # drawing imports formats, so it is imported through its entry point
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
    """Add a format for `read`, `write` and all commands, or replace the one with the same name."""
    FORMATS[format.name] = format


def readable() -> list[str]:
    """RETURNS (list[str]): The names of all formats that can be read."""
    return [name for name, format in FORMATS.items() if format.reader]


def writable() -> list[str]:
    """RETURNS (list[str]): The names of all formats that can be written."""
    return [name for name, format in FORMATS.items() if format.writer]


def get_format(name: str, verb: Literal["read", "write"] = "read") -> Format:
    """RETURNS (Format): The format with a name; a GapDNERError if it cannot be read or written."""
    names = readable() if verb == "read" else writable()
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
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    corpora = [format for format in FORMATS.values() if not format.suffixes]
    if path.is_dir() and (found := next((f.name for f in corpora if f.fits(path)), None)):
        return found
    files = _annotation_files(path) if path.is_dir() else [path]
    # a folder can contain thousands of files: check the first with each extension
    firsts = {file.suffix: file for file in reversed(files)}
    of_files = [format for format in FORMATS.values() if format.suffixes]
    # in the order of FORMATS: a text next to a .ann file is brat, even if it looks like inline text
    fitting = {next((f.name for f in of_files if f.fits(file)), None) for file in firsts.values()}
    names = sorted(name for name in fitting if name)
    if len(names) == 1:
        return names[0]
    seen = f"several formats fit ({', '.join(names)})" if names else "no format fits"
    raise GapDNERError(
        f"Cannot tell the format of {path}: {seen}. Choose it: {', '.join(readable())}."
    )


def choose_output(path: Path, name: str | None = None) -> Format:
    """Choose the format to write by its name or by the file extension of the path.

    RETURNS (Format): The format.
    RAISES (GapDNERError): If the format is unknown, cannot be written, or needs another path.
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
    # texts last: other formats store them next to their annotations
    texts = (".txt", ".inline")
    suffixes = dict.fromkeys(s for f in FORMATS.values() for s in f.suffixes if s not in texts)
    files = visible_files(folder, tuple(suffixes)) or visible_files(folder, texts)
    if not files:
        raise GapDNERError(f"{folder} contains no annotation file ({', '.join(suffixes)}).")
    return files


def _resolve(function: Function) -> Callable[..., Any]:
    return resolve_name(function) if isinstance(function, str) else function
