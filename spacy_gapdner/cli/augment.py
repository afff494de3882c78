"""augment: the synthetic sentences that the coordination augmenter makes of a corpus."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins, write_docbin
from ._util import clean_errors, split_list

if TYPE_CHECKING:
    from spacy.tokens import Doc


def augment_cli(
    data: Path = typer.Argument(..., help=".spacy file with gold entities, or folder of such"),
    n: int = typer.Option(20, "--n-examples", "-n", min=0, help="Sentences to print"),
    share: float = typer.Option(
        0.5, "--share", min=0, max=1, help="Share of the Docs with a place to be augmented"
    ),
    insertion_share: float = typer.Option(
        0.25, "--insertion-share", min=0, max=1, help="Share that tries an insertion first"
    ),
    conjunctions: str = typer.Option(
        "and,or", "--conjunctions", help="Words that coordinate, with commas between them"
    ),
    seed: int = typer.Option(0, "--seed", help="Seed of all choices"),
    spans_key: str = typer.Option(
        "gapdner", "--spans-key", "-sk", help="Prefix of the span groups that hold the entities"
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="The .spacy file for all synthetic Docs"
    ),
) -> None:
    """Show what the augmenter spacy-gapdner.coordination_augmenter.v1 would add to a corpus, to
    judge it before a training."""
    with clean_errors():
        made = augment(
            data,
            share=share,
            insertion_share=insertion_share,
            conjunctions=split_list(conjunctions),
            seed=seed,
            spans_key=spans_key,
        )
        _print(made[:n], spans_key)
        if output_path is not None:
            write_docbin(made, output_path)
    msg.good(f"{len(made)} synthetic Docs" + (f": {output_path}" if output_path else ""))


def augment(
    data: Path,
    *,
    share: float = 0.5,
    insertion_share: float = 0.25,
    conjunctions: tuple[str, ...] = ("and", "or"),
    seed: int = 0,
    spans_key: str = "gapdner",
) -> list["Doc"]:
    """Make the synthetic documents of a corpus.

    data (Path): A .spacy file with gold entities, or a folder of such files.
    share (float): See `spacy_gapdner.augmentation.CoordinationAugmenter`, as of the others.
    insertion_share (float): See there.
    conjunctions (tuple[str, ...]): See there.
    seed (int): See there.
    spans_key (str): Prefix of the span groups.
    RETURNS (list[Doc]): The documents with their entities.
    RAISES (GapDNERError): If the data are missing, or a setting is out of its range.
    """
    import spacy
    from spacy.training import Example

    from ..augmentation import CoordinationAugmenter

    files = require_docbins(data)
    nlp = spacy.blank("xx")
    try:
        augmenter = CoordinationAugmenter(share, insertion_share, conjunctions, spans_key, seed)
    except ValueError as error:
        raise GapDNERError(str(error)) from None

    def synthetic() -> Iterator["Doc"]:
        for file in files:
            for doc in read_docbin(file, nlp.vocab):
                examples = augmenter(nlp, Example(doc.copy(), doc))
                try:
                    yield from (example.reference for example in islice(examples, 1, None))
                except ValueError as error:
                    raise GapDNERError(f"{file}: {error}") from None

    return list(synthetic())


def _print(docs: list["Doc"], spans_key: str) -> None:
    from ..entities import get_entities

    for doc in docs:
        print(" ".join(doc.text.split()))
        for entity in get_entities(doc, spans_key):
            if entity.is_discontinuous:
                print(f"    {entity.label_}: {' … '.join(span.text for span in entity.spans)}")
