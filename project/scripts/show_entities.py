"""Print the entities that a trained pipeline finds in sentences, one per line of a text file."""

from pathlib import Path

import spacy
import typer
from wasabi import msg


def main(
    model: Path = typer.Argument(..., help="Directory of a trained pipeline"),
    sentences: Path = typer.Argument(..., help="Text file with a sentence per line"),
) -> None:
    """Print every sentence with the entities found in it; ... stands for a gap."""
    for path in (model, sentences):
        if not path.exists():
            msg.fail(f"There is no {path}. Run `python -m spacy project run all` first.", exits=1)
    nlp = spacy.load(model)
    for doc in nlp.pipe(sentences.read_text(encoding="utf8").splitlines()):
        print(f"\n{doc.text}")
        for entity in doc._.discontinuous_ents:
            fragments = " ... ".join(span.text for span in entity.spans)
            print(f"    {entity.label_:5} {entity.score:.2f}  {fragments}")


if __name__ == "__main__":
    typer.run(main)
