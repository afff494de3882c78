"""Explain the output of the workflows `all` and `release`."""

from textwrap import fill

import typer

TEXTS = {
    "convert": [
        "Convert 800 clinical trials to sentences (half a minute). The pipeline learns four entity "
        "types. The corpus also has other types, relations, and entities that continue in the "
        "next sentence. They are listed as ignored, dropped or repaired, which is expected."
    ],
    "train": [
        "Train for 2,400 batches (4 to 8 minutes). F, P and R are F1, precision and recall for all "
        "entities in sentences that are not used for training. DISC_F is F1 for discontinuous "
        "entities. It rises late, and differs by several points between machines."
    ],
    "tune": ["Choose the thresholds and calibrate the scores on the same sentences (20 seconds)."],
    "evaluate": [
        "Evaluate on 100 other trials (20 seconds). These scores show how well the pipeline reads "
        "new trials."
    ],
    "show": [
        "Ten sentences of these trials, with the entities that the pipeline finds. Entities "
        'without a sign are correct. "+" marks spurious entities, which are not annotated. "-" '
        "marks missed entities, which are annotated and not found."
    ],
    "next": [
        "The pipeline is project/training/trials/tuned. Open these pages in a browser:",
        "  project/output/trials.html             predictions next to annotations, all sentences",
        "  project/output/analysis/report.html    which errors lower F1 most, in their sentences",
        "Next steps:",
        "  python -m spacy gapdner predict project/training/trials/tuned TEXTS --output out.jsonl",
        "  python -m spacy gapdner serve project/training/trials/tuned    (extra: serve)",
        "  project/docs/tutorial.md               train on your own texts",
    ],
}


def main(step: str = typer.Argument(..., help=f"One of {', '.join(TEXTS)}")) -> None:
    """Print what a step does, how long it takes, and what its output means."""
    # lists stay unchanged
    print("", *(fill(line, 100) if line[0] != " " else line for line in TEXTS[step]), "", sep="\n")


if __name__ == "__main__":
    typer.run(main)
