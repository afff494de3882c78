"""Export of texts with entities as files."""

import shutil
import tempfile
from pathlib import Path
from typing import Literal

from fastapi import HTTPException
from spacy.tokens import Doc

from ..errors import GapDNERError
from ..formats.docs import DOC_NAME
from ..formats.writing import write

Export = Literal["jsonl", "csv", "brat"]
# name of the file and its media type
FILES = {
    "jsonl": ("entities.jsonl", "application/jsonl"),
    "csv": ("entities.csv", "text/csv"),
    "brat": ("entities.zip", "application/zip"),
}


def make_export(doc: Doc, format: Export) -> bytes:
    """Export a document.

    doc (Doc): A document with entities under the default key.
    format (Export): The format: JSONL, CSV, or a zip file with .txt and .ann files.
    RETURNS (bytes): The content of the file.
    RAISES (HTTPException): If a label is not supported by the format.
    """
    if format == "brat":
        doc.user_data[DOC_NAME] = "text"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entities"
        try:
            write([doc], path, format)
        except GapDNERError as error:
            raise HTTPException(422, str(error)) from None
        if path.is_dir():
            path = Path(shutil.make_archive(str(path), "zip", path))
        return path.read_bytes()
