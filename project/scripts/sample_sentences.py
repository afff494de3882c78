"""Draw a training or development subset that keeps the sentences with discontinuous entities."""

import random
from pathlib import Path

import typer
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from wasabi import msg

from spacy_gapdner import get_entities


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
    pools: dict[str, list[int]] = {"discontinuous": [], "contiguous": [], "none": []}
    for i, doc in enumerate(docs):
        entities = get_entities(doc, key)
        if any(entity.is_discontinuous for entity in entities):
            pools["discontinuous"].append(i)
        else:
            pools["contiguous" if entities else "none"].append(i)
    rng = random.Random(seed)
    drawn = pools["discontinuous"][:n]
    for pool, limit in (("contiguous", n // 2), ("none", n)):
        size = min(limit, n - len(drawn), len(pools[pool]))
        drawn += rng.sample(pools[pool], size)
    return [docs[i] for i in sorted(drawn)]


def main(
    input_path: Path = typer.Argument(..., help=".spacy file with a sentence per Doc"),
    output_path: Path = typer.Argument(..., help="The .spacy file to write"),
    n: int = typer.Option(0, help="Number of sentences to draw; 0 for all"),
    seed: int = typer.Option(0, help="Seed of the draw"),
) -> None:
    """Draw a subset of sentences that keeps all that hold a discontinuous entity."""
    if not input_path.is_file():
        msg.fail(f"There is no file {input_path}.", exits=1)
    docs = list(DocBin().from_disk(input_path).get_docs(Vocab()))
    subset = draw(docs, n, seed)
    output_path.parent.mkdir(parents=True, exist_ok=True)
    partial = output_path.with_suffix(".part")
    DocBin(docs=subset).to_disk(partial)
    partial.replace(output_path)
    msg.good(f"{len(subset)} of {len(docs)} sentences: {output_path}")


if __name__ == "__main__":
    typer.run(main)
