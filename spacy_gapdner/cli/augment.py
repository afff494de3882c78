"""augment: show synthetic sentences of the coordination augmenter."""

from pathlib import Path

import typer

from .. import analysis, formats
from . import _options as options
from ._util import counted, msg, split_list, warn_no_entities


def augment_cli(
    data: Path = options.DATA,
    n_examples: int = typer.Option(20, "--examples", "-e", min=0, help="Sentences to print"),
    share: float = typer.Option(0.5, min=0, max=1, help="Probability of a synthetic copy of a Doc"),
    insertion_share: float = typer.Option(
        0.25, min=0, max=1, help="Probability of trying an insertion first"
    ),
    conjunctions: str | None = typer.Option(
        None,
        help="Comma-separated conjunctions (default: and, or in the language of the tokenizer)",
    ),
    seed: int = typer.Option(0, help="Random seed"),
    lang: str | None = options.DATA_LANG,
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(help=".spacy file for all synthetic Docs"),
    force: bool = options.FORCE,
    code: Path | None = options.CODE,
) -> None:
    """Show what the augmenter adds to a corpus.

    Use it to check spacy-gapdner.coordination_augmenter.v1 before training."""
    from ..drawing.render import text_rows
    from ..formats.outputs import check_output
    from ..training.augmentation import CoordinationAugmenter

    check_output(output_path, {"data": data}, force=force)
    nlp = formats.blank_pipeline(lang or formats.guess_data_language(data))
    corpus = list(formats.load_docs(nlp, data, spans_key))
    augmenter = CoordinationAugmenter(
        share=share,
        insertion_share=insertion_share,
        conjunctions=split_list(conjunctions) or None,
        spans_key=spans_key,
        seed=seed,
    )
    docs = [made for doc in corpus if (made := augmenter.synthesize(doc)) is not None]
    if output_path is not None:
        formats.write(docs, output_path, "spacy", spans_key=spans_key)
    for drawing in text_rows(((doc,) for doc in docs[:n_examples]), spans_key):
        print(drawing, end="")
    if not docs and not (statistics := analysis.stats(corpus, spans_key=spans_key)).entities:
        warn_no_entities(str(data), spans_key, statistics.elsewhere)
    msg.good(counted(len(docs), "synthetic Doc") + (f": {output_path}" if output_path else ""))
