"""Set the text that the page of `serve` begins with."""

from pathlib import Path

import srsly
import typer
from spacy.vocab import Vocab

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.formats.docbin import read_docbin

_MAX_WORDS = 25


@clean_errors()
def main(
    pipeline: Path = typer.Argument(..., help="Folder of the pipeline"),
    data: Path = typer.Argument(..., help=".spacy file with one sentence per Doc"),
) -> None:
    """Save a sentence of at most 25 words in the meta.json of the pipeline: the sentence with the
    most discontinuous entities, then with the most entities."""
    best, example = (0, 0), ""
    for doc in read_docbin(data, Vocab()):
        entities = get_entities(doc)
        counts = sum(entity.is_discontinuous for entity in entities), len(entities)
        if counts > best and len(doc) <= _MAX_WORDS:
            best, example = counts, doc.text.strip()
    if not example:
        raise GapDNERError(f"{data} has no sentence of at most {_MAX_WORDS} words with entities.")
    meta = srsly.read_json(pipeline / "meta.json")
    srsly.write_json(pipeline / "meta.json", meta | {"example": example})
    print(example)


if __name__ == "__main__":
    typer.run(main)
