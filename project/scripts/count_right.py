"""Count the sentences in which a trained pipeline finds all entities and no others."""

from pathlib import Path

import spacy
import typer
from spacy.tokens import Doc
from wasabi import msg

from spacy_gapdner import Entity, get_entities, read


def main(
    model: Path = typer.Argument(..., help="Directory of a trained pipeline"),
    sentences: list[Path] = typer.Argument(..., help="Files with annotated sentences"),
) -> None:
    """Print what is missed (-) and invented (+) in sentences, and how many are wholly right."""
    for path in (model, *sentences):
        if not path.exists():
            msg.fail(f"There is no {path}. Run `python -m spacy project run all` first.", exits=1)
    nlp = spacy.load(model)
    for path in sentences:
        docs = list(read(path, nlp=nlp, n_sents=1))
        wrong = [lines for gold in docs if (lines := _differences(nlp, gold))]
        for lines in wrong:
            print("\n".join(lines))
        print(f"{len(docs) - len(wrong)} of {len(docs)} sentences wholly right: {path}\n")


def _differences(nlp: spacy.Language, gold: Doc) -> list[str]:
    # nothing if all is right
    predicted = nlp(Doc(nlp.vocab, words=[token.text for token in gold]))
    expected, found = (
        {entity.to_entity() for entity in get_entities(doc)} for doc in (gold, predicted)
    )
    lines = [
        f"  {sign} {entity.label} {_text(gold, entity)}"
        for sign, entities in (("-", expected - found), ("+", found - expected))
        for entity in sorted(entities, key=lambda entity: entity.token_indices)
    ]
    return [gold.text.strip(), *lines] if lines else []


def _text(doc: Doc, entity: Entity) -> str:
    return " ... ".join(doc[start:end].text for start, end in entity.fragments)


if __name__ == "__main__":
    typer.run(main)
