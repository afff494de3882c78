"""Draw subsets of sentences that keep those with discontinuous entities."""

import random
from itertools import accumulate, groupby
from pathlib import Path

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.docbin import read_docbin, write_docbin

# sentences in a row that are held out together where the articles are not known
_BLOCK = 100


def draw(docs: list[Doc], n: int, seed: int, key: str = "gapdner") -> list[Doc]:
    """Draw documents: all with a discontinuous entity, up to n / 2 with other entities, and fill
    up with documents without any.

    docs (list[Doc]): One sentence each.
    n (int): Number of documents to draw; 0 for all.
    seed (int): Seed of the draw.
    key (str): Prefix of the span groups.
    RETURNS (list[Doc]): The subset in the order of the documents.
    """
    if not n or n >= len(docs):
        return docs
    discontinuous, contiguous, without = [], [], []
    for i, doc in enumerate(docs):
        entities = get_entities(doc, key)
        if any(entity.is_discontinuous for entity in entities):
            discontinuous.append(i)
        else:
            (contiguous if entities else without).append(i)
    rng = random.Random(seed)
    drawn = discontinuous[:n]
    for pool, limit in ((contiguous, n // 2), (without, n)):
        drawn += rng.sample(pool, min(limit, n - len(drawn), len(pool)))
    return [docs[i] for i in sorted(drawn)]


def hold_out(
    docs: list[Doc], sizes: list[int], share: float, seed: int
) -> tuple[list[Doc], list[Doc]]:
    """Set whole articles aside.

    docs (list[Doc]): One sentence each, in the order of the articles.
    sizes (list[int]): Number of sentences of every article.
    share (float): Share of the sentences to set aside; as many articles as reach it.
    seed (int): Seed of the choice.
    RETURNS (tuple[list[Doc], list[Doc]]): What stays, and what is set aside, in order.
    """
    ends = list(accumulate(sizes))
    articles = list(zip(sizes, ends, strict=True))
    random.Random(seed).shuffle(articles)
    held: set[int] = set()
    while articles and len(held) < share * len(docs):
        size, end = articles.pop()
        held.update(range(end - size, end))
    stays = [doc for i, doc in enumerate(docs) if i not in held]
    return stays, [docs[i] for i in sorted(held)]


def article_sizes(docs: list[Doc], separator: str | None = None) -> list[int]:
    """Count the sentences of every article.

    docs (list[Doc]): One sentence each, in the order of the articles, with their names as `convert`
        keeps them. Without names, every 100 sentences in a row count as an article, so that few
        articles are divided.
    separator (Optional[str]): Names that are equal up to it belong to the same article.
    RETURNS (list[int]): The numbers.
    """
    names = [doc.user_data.get(DOC_NAME) for doc in docs]
    if None in names:
        return [len(docs[i : i + _BLOCK]) for i in range(0, len(docs), _BLOCK)]
    articles = (name.split(separator)[0] if separator else name for name in names)
    return [sum(1 for _ in same) for _, same in groupby(articles)]


def main(
    input_path: Path = typer.Argument(..., help=".spacy file with a sentence per Doc"),
    output_path: Path = typer.Argument(..., help="The .spacy file to write"),
    n: int = typer.Option(0, help="Number of sentences to draw; 0 for all"),
    seed: int = typer.Option(0, help="Seed of the draw"),
    held_out_path: Path | None = typer.Option(
        None, "--held-out", help="A second .spacy file, for sentences of other articles"
    ),
    n_held_out: int = typer.Option(0, help="Number of sentences to draw for it; 0 for all"),
    share: float = typer.Option(0.15, min=0, max=1, help="Share of the sentences to hold out"),
    tune_path: Path | None = typer.Option(
        None, "--tune", help="A third .spacy file, for all held-out sentences, to tune on"
    ),
    separator: str | None = typer.Option(
        None, help="Names that are equal up to this text belong to the same article"
    ),
    max_words: int | None = typer.Option(
        None, min=1, help="Ignore sentences with more words in the first file"
    ),
) -> None:
    """Draw a subset of sentences that keeps all that hold a discontinuous entity; on demand, a
    second one from articles that are held out of the first, and these articles whole: where
    discontinuous entities are more frequent than they will be, `tune` trusts them too much."""
    if not input_path.is_file():
        msg.fail(f"There is no file {input_path}.", exits=1)
    stays = docs = list(read_docbin(input_path, Vocab()))
    if held_out_path:
        stays, held = hold_out(docs, article_sizes(docs, separator), share, seed)
    short = [doc for doc in stays if max_words is None or len(doc) <= max_words]
    _write(draw(short, n, seed), len(stays), output_path)
    if held_out_path:
        _write(draw(held, n_held_out, seed), len(held), held_out_path)
        if tune_path:
            _write(held, len(held), tune_path)


def _write(subset: list[Doc], n_pool: int, path: Path) -> None:
    write_docbin(subset, path, store_user_data=True)
    msg.good(f"{len(subset)} of {n_pool} sentences: {path}")


if __name__ == "__main__":
    typer.run(main)
