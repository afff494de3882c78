"""augment: the synthetic sentences that the coordination augmenter makes of a corpus."""

from pathlib import Path

import typer

from . import _options as options
from ._printing import msg, print_line
from ._util import split_list


def augment_cli(
    data: Path = options.DATA,
    n_examples: int = options.examples(help="Sentences to print"),
    share: float = typer.Option(
        0.5, min=0, max=1, help="Share of the Docs with a place to be augmented"
    ),
    insertion_share: float = typer.Option(
        0.25, min=0, max=1, help="Share that tries an insertion first"
    ),
    conjunctions: str = typer.Option(
        "and,or", help="Words that coordinate, with commas between them"
    ),
    seed: int = typer.Option(0, help="Seed of all choices"),
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(help="The .spacy file for all synthetic Docs"),
) -> None:
    """Show what the augmenter would add to a corpus.

    The augmenter is spacy-gapdner.coordination_augmenter.v1; judge it before a training."""
    import spacy

    from ..augmentation import augment
    from ..entities import get_entities
    from ..formats import load_docs, write_docbin
    from ..formats.outputs import check_output

    check_output(output_path, {"data": data})
    docs = list(
        augment(
            load_docs(spacy.blank("en"), data, spans_key),
            share=share,
            insertion_share=insertion_share,
            conjunctions=split_list(conjunctions),
            seed=seed,
            spans_key=spans_key,
        )
    )
    if output_path is not None:
        write_docbin(docs, output_path)
    for doc in docs[:n_examples]:
        print_line(" ".join(doc.text.split()))
        for entity in get_entities(doc, spans_key):
            if entity.is_discontinuous:
                print_line(f"    {entity.label_}: {' … '.join(span.text for span in entity.spans)}")
    msg.good(f"{len(docs)} synthetic Docs" + (f": {output_path}" if output_path else ""))
