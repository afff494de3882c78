"""Make a corpus of made-up patient reports with contiguous and discontinuous entities.

Writes train.json, dev.json and test.json in W2NER format, and unseen.txt with raw sentences. The
test sentences and half of the dev sentences use words and sentence frames that training never
shows, apart from common words. No text comes from any corpus.
"""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import typer
from sample_grammar import Grammar, Phrase, detokenize, load_parts

from spacy_gapdner.formats.outputs import replacing

# in tokens
MAX_LENGTH = 18
# rules and words give only so many different sentences
MAX_TRIES = 1000


def make_corpus(
    seed: int = 0,
    n_train: int = 5000,
    n_dev: int = 300,
    n_test: int = 400,
    n_unseen: int = 20,
) -> dict[str, list[Phrase]]:
    """Draw the sentences of all parts; no sentence occurs twice.

    seed (int): Seed of the random choices.
    n_train (int): Number of training sentences.
    n_dev (int): Number of development sentences.
    n_test (int): Number of test sentences.
    n_unseen (int): Number of sentences to show predictions on.
    RETURNS (dict[str, list[Phrase]]): Sentences by part: train, dev, test, unseen.
    RAISES (ValueError): If the grammar does not give that many different sentences.
    """
    rng = random.Random(seed)
    grammars = {part: Grammar(words, rules, rng) for part, (words, rules) in load_parts().items()}
    seen: set[str] = set()
    return {
        "train": _draw(n_train, [grammars["train"]], seen),
        "dev": _draw(n_dev, [grammars["train"], grammars["dev"]], seen),
        "test": _draw(n_test, [grammars["test"]], seen),
        "unseen": _draw(n_unseen, [grammars["unseen"]], seen),
    }


def to_w2ner(phrase: Phrase) -> dict[str, object]:
    """Convert a sentence to W2NER's JSON form.

    phrase (Phrase): The sentence.
    RETURNS (dict[str, object]): Tokens under "sentence", entities under "ner".
    """
    ner = [{"index": list(indices), "type": label} for label, indices in phrase.entities]
    return {"sentence": list(phrase.tokens), "ner": ner}


def write_corpus(corpus: dict[str, list[Phrase]], directory: Path) -> None:
    """Write the files, each of them whole or not at all.

    corpus (dict[str, list[Phrase]]): Sentences by part.
    directory (Path): Where to write; made if missing.
    """
    for name, phrases in corpus.items():
        file, text = "unseen.txt", "".join(f"{detokenize(p.tokens)}\n" for p in phrases)
        if name != "unseen":
            rows = (json.dumps(to_w2ner(phrase), ensure_ascii=False) for phrase in phrases)
            file, text = f"{name}.json", "[\n" + ",\n".join(rows) + "\n]\n"
        with replacing(directory / file) as temporary:
            temporary.write_text(text, encoding="utf-8")


def main(
    directory: Path = typer.Argument(..., help="Where to write the corpus", file_okay=False),
    seed: int = typer.Option(0, help="Seed of the random choices"),
    n_train: int = typer.Option(5000, min=0, help="Training sentences"),
    n_dev: int = typer.Option(300, min=0, help="Development sentences"),
    n_test: int = typer.Option(400, min=0, help="Test sentences"),
    n_unseen: int = typer.Option(20, min=0, help="Raw sentences for a demonstration"),
) -> None:
    """Make a corpus of made-up patient reports with contiguous and discontinuous entities."""
    try:
        corpus = make_corpus(seed, n_train, n_dev, n_test, n_unseen)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    write_corpus(corpus, directory)
    for name, phrases in corpus.items():
        n_entities = sum(len(phrase.entities) for phrase in phrases)
        typer.echo(f"{name}: {len(phrases)} sentences, {n_entities} entities")


def _draw(n: int, grammars: Sequence[Grammar], seen: set[str]) -> list[Phrase]:
    phrases: list[Phrase] = []
    while len(phrases) < n:
        grammar = grammars[len(phrases) % len(grammars)]
        for _ in range(MAX_TRIES):
            phrase = grammar.sentence()
            if len(phrase.tokens) <= MAX_LENGTH and detokenize(phrase.tokens) not in seen:
                break
        else:
            raise ValueError(
                f"The grammar gives no more than about {len(phrases)} different sentences of "
                f"this kind, but {n} were asked for."
            )
        seen.add(detokenize(phrase.tokens))
        phrases.append(phrase)
    return phrases


if __name__ == "__main__":
    typer.run(main)
