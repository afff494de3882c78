"""Files that the page offers for what it shows."""

import tempfile
from enum import Enum
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY
from ..formats import write_brat
from ..formats.docs import DOC_NAME
from ..formats.jsonl import to_line
from ..formats.tables import write_csv


class Export(str, Enum):
    """What a text with entities can be saved as."""

    jsonl = "jsonl"
    csv = "csv"
    brat = "brat"


# name of the file and its media type
EXPORTS = {
    Export.jsonl: ("entities.jsonl", "application/jsonl"),
    Export.csv: ("entities.csv", "text/csv"),
    Export.brat: ("entities.zip", "application/zip"),
}


def make_export(doc: Doc, format: Export) -> bytes:
    """Make the file of a document.

    doc (Doc): A document with entities under the default key.
    format (Export): What to make: a line of JSON, a table, or a zip file with .txt and .ann.
    RETURNS (bytes): Its content.
    """
    if format is Export.jsonl:
        return to_line(doc, DEFAULT_SPANS_KEY, {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if format is Export.csv:
            write_csv([doc], folder / "entities.csv")
            return (folder / "entities.csv").read_bytes()
        doc.user_data[DOC_NAME] = "text"
        write_brat([doc], folder, DEFAULT_SPANS_KEY)
        buffer = BytesIO()
        with ZipFile(buffer, "w") as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
        return buffer.getvalue()
