"""Find .spacy files."""

from pathlib import Path

from spacy_gapdner import GapDNERError
from spacy_gapdner.formats.files import require_data, visible_files


def find_docbins(path: Path) -> list[Path]:
    """RETURNS (list[Path]): The .spacy file, or the sorted .spacy files of a folder."""
    if path.is_dir():
        return visible_files(path, (".spacy",))
    return [path] if path.suffix == ".spacy" else []


def require_docbins(path: Path) -> list[Path]:
    """RETURNS (list[Path]): The files of `find_docbins`. Raises a GapDNERError if it finds none."""
    require_data(path)
    files = find_docbins(path)
    if not files:
        raise GapDNERError(
            f"{path} is neither a .spacy file nor a folder with .spacy files. Convert it: "
            f"python -m spacy gapdner convert {path} data.spacy"
        )
    return files
