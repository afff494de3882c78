"""What the commands share: errors in one line, and reading and writing of .spacy files."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from wasabi import color, msg
from wasabi.util import locale_escape

if TYPE_CHECKING:
    from ..calibration import ReliabilityBin
    from ..formats import Report

_N_EXAMPLES = 3


@contextmanager
def clean_errors() -> Iterator[None]:
    """Turn errors that are the input's into one line on stderr and exit code 1.

    RAISES (typer.Exit): In place of a FormatError, an OSError, or the ImportError of a language
        that spaCy does not have.
    """
    from ..formats import FormatError

    try:
        yield
    except (FormatError, OSError, ImportError) as error:
        fail(str(error))


def fail(message: str) -> None:
    """Print an error as one line on stderr and end the command.

    message (str): What is wrong, and what to do.
    RAISES (typer.Exit): Always, with exit code 1.
    """
    line = locale_escape(f"✘ {' '.join(message.split())}")
    typer.echo(color(line, fg="red"), err=True)
    raise typer.Exit(1)


def split_list(text: str | None) -> tuple[str, ...]:
    """Take apart an option such as "CL,GO_BP".

    text (Optional[str]): Names with commas between them.
    RETURNS (tuple[str, ...]): The names, without whitespace around them.
    """
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def find_docbins(path: Path) -> list[Path]:
    """Find .spacy files.

    path (Path): Such a file, or a folder.
    RETURNS (list[Path]): The file, or the .spacy files at any depth of the folder in order of
        their names; empty if it is something else.
    """
    from ..formats.files import visible_files

    if path.is_dir():
        return visible_files(path, (".spacy",))
    return [path] if path.suffix == ".spacy" else []


def require_docbins(path: Path) -> list[Path]:
    """Find .spacy files where there must be some.

    path (Path): Such a file, or a folder.
    RETURNS (list[Path]): See `find_docbins`.
    RAISES (FormatError): If there are none.
    """
    from ..formats import FormatError

    files = find_docbins(path)
    if not files and not path.exists():
        raise FormatError(f"There is nothing at {path}. Check the path.")
    if not files:
        raise FormatError(
            f"{path} is no .spacy file nor a folder of such. Convert it: python -m spacy gapdner "
            f"convert {path} data.spacy"
        )
    return files


def read_docbin(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a .spacy file.

    path (Path): The file.
    vocab (Vocab): The Docs' vocab.
    YIELDS (Doc): The Docs.
    RAISES (FormatError): If the file is missing, cut off, or something else.
    """
    from ..formats import FormatError
    from ..formats.files import require_file

    require_file(path)
    try:
        docs = DocBin().from_disk(path).get_docs(vocab)
        first = next(docs, None)
    # bytes of another kind can fail in zlib, msgpack or spaCy
    except Exception as error:
        if isinstance(error, OSError):
            raise
        raise FormatError(
            f"{path} is not a .spacy file, or is cut off ({type(error).__name__}). Make it anew "
            "with convert."
        ) from None
    if first is not None:
        yield first
        yield from docs


def write_docbin(
    docs: Iterable[Doc],
    path: Path,
    *,
    store_user_data: bool = False,
    attrs: Iterable[str] | None = None,
) -> int:
    """Write Docs to a .spacy file, whole or not at all.

    docs (Iterable[Doc]): The Docs.
    path (Path): The file; its folder is made.
    store_user_data (bool): Keep ``doc.user_data``, which hold the documents' names.
    attrs (Optional[Iterable[str]]): What the tokens have beyond their text; all that a DocBin
        knows if None. Each takes 8 bytes per token of memory, also where it is empty.
    RETURNS (int): The number of Docs.
    RAISES (FormatError): If the path is a folder.
    """
    from ..formats.files import replacing

    kwargs = {} if attrs is None else {"attrs": attrs}
    docbin = DocBin(docs=docs, store_user_data=store_user_data, **kwargs)
    with replacing(path) as temporary:
        docbin.to_disk(temporary)
    return len(docbin)


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """Write files of a folder all or none: the caller writes to a temporary folder beside it.

    path (Path): The folder, made if need be; files of the same name are replaced.
    YIELDS (Path): The temporary folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as name:
        yield Path(name)
        path.mkdir(exist_ok=True)
        for file in sorted(Path(name).rglob("*")):
            target = path / file.relative_to(name)
            if file.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(file, target)


def check_replaceable(path: Path, must_hold: str) -> None:
    """Find out whether a folder may be written.

    path (Path): The folder.
    must_hold (str): A file that an older folder must have, so that no other is replaced.
    RAISES (FormatError): If there is a file, or a folder of another kind.
    """
    from ..formats import FormatError

    if (
        path.exists()
        and not (path / must_hold).is_file()
        and (not path.is_dir() or any(path.iterdir()))
    ):
        raise FormatError(f"{path} is there and has no {must_hold}. Give another name.")


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Write a folder whole or not at all, in the place of an older one; see `check_replaceable`.

    path (Path): The folder.
    YIELDS (Path): A temporary folder beside it, to be filled.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as name:
        new, old = Path(name) / "new", Path(name) / "old"
        new.mkdir()
        yield new
        if path.exists():
            os.replace(path, old)
        try:
            os.replace(new, path)
        except BaseException:
            if old.exists():
                os.replace(old, path)
            raise


def write_json(value: object, path: Path) -> None:
    """Write a JSON file, whole or not at all.

    value (object): What srsly can write.
    path (Path): The file; its folder is made.
    RAISES (FormatError): If the path is a folder.
    """
    import srsly

    from ..formats.files import replacing

    with replacing(path) as temporary:
        srsly.write_json(temporary, value)


def print_report(report: "Report") -> None:
    """Print what a reader dropped, repaired or kept, by kind with the first examples of each.

    report (Report): The report.
    """
    if report.left_out:
        counted = ", ".join(f"{label} {n}" for label, n in report.left_out.most_common())
        msg.text(f"Entities of types that were not asked for: {counted}")
    for action in ("dropped", "repaired", "kept"):
        counts = report.counts(action)
        if counts:
            msg.divider(action.capitalize())
        for kind, count in counts.most_common():
            msg.text(f"{count:6d}  {kind}")
            of_kind = (i for i in report.issues if (i.action, i.kind) == (action, kind))
            for issue in islice(of_kind, _N_EXAMPLES):
                # not msg.text: wrapped lines could not be searched for
                offsets = ";".join(f"{start} {end}" for start, end in issue.offsets)
                print(f"          {issue}{f' [{offsets}]' if offsets else ''}")


def print_reliability(bins: "list[ReliabilityBin]") -> None:
    """Print how often the entities of each range of scores are right.

    bins (list[ReliabilityBin]): The ranges; nothing is printed if there are none.
    """
    if not bins:
        return
    rows = [
        (
            f"{part.start:.1f}-{part.start + 0.1:.1f}",
            str(part.n),
            f"{100 * part.mean_score:.1f}",
            f"{100 * part.precision:.1f}",
        )
        for part in bins
    ]
    header = ("Score", "Entities", "Mean score", "Precision")
    msg.table(rows, header=header, divider=True, aligns=list("lrrr"))
