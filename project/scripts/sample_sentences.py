"""Sample sentences, with a preference for sentences with discontinuous entities."""

import random
from itertools import accumulate, groupby
from pathlib import Path

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.docbin import read_docbin, write_docbin
from spacy_gapdner.formats.files import require_file
from spacy_gapdner.formats.outputs import check_output
from spacy_gapdner.inference.workarounds import apply_workarounds

# consecutive sentences that are treated as an article if there are no names
_BLOCK = 100


def sample(docs: list[Doc], n: int, seed: int) -> list[Doc]:
    """Sample n documents (0: all): all with a discontinuous entity, up to n / 2 with other
    entities, and documents without entities. The order does not change."""
    if not n or n >= len(docs):
        return docs
    discontinuous, contiguous, empty = [], [], []
    for i, doc in enumerate(docs):
        entities = get_entities(doc)
        if any(entity.is_discontinuous for entity in entities):
            discontinuous.append(i)
        else:
            (contiguous if entities else empty).append(i)
    rng = random.Random(seed)
    sampled = discontinuous if len(discontinuous) <= n else rng.sample(discontinuous, n)
    for pool, limit in ((contiguous, n // 2), (empty, n)):
        sampled += rng.sample(pool, min(limit, n - len(sampled), len(pool)))
    return [docs[i] for i in sorted(sampled)]


def hold_out(
    docs: list[Doc], sizes: list[int], share: float, seed: int
) -> tuple[list[Doc], list[Doc]]:
    """Hold out complete articles with at least this share of the sentences. Returns the other
    documents, and the held-out documents."""
    articles = list(zip(sizes, accumulate(sizes), strict=True))
    random.Random(seed).shuffle(articles)
    held_out: set[int] = set()
    while articles and len(held_out) < share * len(docs):
        size, end = articles.pop()
        held_out.update(range(end - size, end))
    others = [doc for i, doc in enumerate(docs) if i not in held_out]
    return others, [docs[i] for i in sorted(held_out)]


def article_sizes(docs: list[Doc], separator: str | None = None) -> list[int]:
    """Count the sentences of each article. Articles have the names that `convert` stores, up to the
    separator. Without names, every 100 sentences count as an article."""
    names = [doc.user_data.get(DOC_NAME) for doc in docs]
    if None in names:
        return [len(docs[i : i + _BLOCK]) for i in range(0, len(docs), _BLOCK)]
    articles = (name.split(separator)[0] if separator else name for name in names)
    return [sum(1 for _ in group) for _, group in groupby(articles)]


@clean_errors()
def main(
    input_path: Path = typer.Argument(..., help=".spacy file with one sentence per Doc"),
    output_path: Path = typer.Argument(..., help="Output .spacy file"),
    n: int = typer.Option(0, min=0, help="Number of sentences, 0 for all"),
    seed: int = typer.Option(0, help="Random seed"),
    held_out_path: Path | None = typer.Option(
        None, "--held-out", help="Second output file, for sentences of other articles"
    ),
    n_held_out: int = typer.Option(0, min=0, help="Number of sentences in --held-out, 0 for all"),
    share: float = typer.Option(0.15, min=0, max=1, help="Fraction of sentences to hold out"),
    separator: str | None = typer.Option(
        None, help="Documents whose names are equal up to this text belong to the same article"
    ),
    max_words: int | None = typer.Option(
        None, min=1, help="Skip longer sentences in the first output file"
    ),
) -> None:
    """Sample sentences, including all with discontinuous entities.

    Optionally hold out articles, and sample sentences from them, too."""
    require_file(input_path)
    if held_out_path is None and n_held_out:
        raise GapDNERError("--n-held-out requires --held-out.")
    others: dict[str, Path | None] = {"input": input_path}
    for role, path in (("output", output_path), ("held-out", held_out_path)):
        check_output(path, others, force=True)
        others[role] = path
    # reads Docs several times as fast
    apply_workarounds()
    docs = list(read_docbin(input_path, Vocab()))
    held_out: list[Doc] = []
    if held_out_path:
        docs, held_out = hold_out(docs, article_sizes(docs, separator), share, seed)
    short = [doc for doc in docs if max_words is None or len(doc) <= max_words]
    samples = (
        (output_path, sample(short, n, seed), docs),
        (held_out_path, sample(held_out, n_held_out, seed), held_out),
    )
    # nothing is written if one of them is empty
    for path, sampled, _ in samples:
        if path and not sampled:
            raise GapDNERError(f"No sentences are left for {path}. Change the sizes.")
    for path, sampled, pool in samples:
        if path:
            write_docbin(sampled, path)
            msg.good(f"{len(sampled)} of {len(pool)} sentences: {path}")


if __name__ == "__main__":
    typer.run(main)
