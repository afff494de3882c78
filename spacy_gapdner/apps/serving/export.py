"""Export texts with entities as files."""

import shutil
import tempfile
from pathlib import Path
from typing import Literal

from spacy.tokens import Doc

from ...formats.converting import write
from ...formats.docs import DOC_NAME

Export = Literal["jsonl", "csv", "brat"]
FILES = {
    "jsonl": ("entities.jsonl", "application/jsonl"),
    "csv": ("entities.csv", "text/csv"),
    "brat": ("entities.zip", "application/zip"),
}


def make_export(doc: Doc, format: Export) -> bytes:
    """Create a file of a document with entities under the default key. For brat, it is a zip file.
    Raises a GapDNERError if a label is not supported by the format."""
    if format == "brat":
        doc.user_data[DOC_NAME] = "text"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entities"
        write([doc], path, format)
        if path.is_dir():
            path = Path(shutil.make_archive(str(path), "zip", path))
        return path.read_bytes()
