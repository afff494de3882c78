"""Split the coordinations of a brat corpus like the page of `gapdner annotate`, and count keys.

A coordination consists of entities of one type that overlap in a line, with at least one
discontinuous entity and with a comma, a slash, "and" or "or". Its words are marked once, and split
with the key "c". The script compares the suggestion with the entities in the corpus. Suggestions
use the entities in the other documents. Node must be installed.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import typer

from spacy_gapdner.entities import Fragments
from spacy_gapdner.formats import Report
from spacy_gapdner.formats.brat import read_brat

NODE = Path(__file__).with_suffix(".mjs")
SEPARATOR = re.compile(r"[,;/&]|\b(?:and|or)\b", re.IGNORECASE)


def find_coordinations(text: str, entities: set[tuple[str, Fragments]]) -> Iterator[dict[str, Any]]:
    """Find the coordinations in a line."""
    for label in sorted({label for label, _ in entities}):
        groups: list[list[Fragments]] = []
        for fragments in sorted(f for other, f in entities if other == label):
            if groups and max(f[-1][1] for f in groups[-1]) > fragments[0][0]:
                groups[-1].append(fragments)
            else:
                groups.append([fragments])
        for gold in groups:
            start, end = gold[0][0][0], max(fragments[-1][1] for fragments in gold)
            is_discontinuous = any(len(fragments) > 1 for fragments in gold)
            if len(gold) > 1 and is_discontinuous and SEPARATOR.search(text[start:end]):
                yield {"text": text, "range": (start, end), "gold": gold}


def read_documents(folders: list[Path]) -> Iterator[dict[str, Any]]:
    """Read the coordinations of each document, and the numbers of its phrases."""
    for record in (record for folder in folders for record in read_brat(folder, Report())):
        phrases = (" ".join(record.text[s:t] for s, t in e.fragments) for e in record.entities)
        coordinations: list[dict[str, Any]] = []
        start = 0
        for line in record.text.split("\n"):
            end = start + len(line)
            entities = {
                (e.label, tuple((s - start, t - start) for s, t in e.fragments))
                for e in record.entities
                if start <= e.fragments[0][0] and e.fragments[-1][1] <= end
            }
            coordinations += find_coordinations(line, entities)
            start = end + 1
        yield {"phrases": Counter(phrases), "coordinations": coordinations}


def estimate(found: list[dict[str, Any]]) -> dict[str, float]:
    """Estimate the weights of the features: the probability of the right readings is maximized."""
    cases = [case for case in found if case["rank"] >= 0]
    names = list(cases[0]["features"][0])
    size = max(len(case["features"]) for case in cases)
    values, mask = torch.zeros(len(cases), size, len(names)), torch.full((len(cases), size), -1e9)
    for i, case in enumerate(cases):
        rows = torch.tensor([list(map(float, row.values())) for row in case["features"]])
        values[i, : len(rows)], mask[i, : len(rows)] = rows, 0
    gold = torch.tensor([case["rank"] for case in cases])
    weights = torch.zeros(len(names), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        result = torch.nn.functional.cross_entropy(values @ weights + mask, gold)
        result = result + 0.005 * weights.square().sum()
        result.backward()
        return result

    optimizer.step(loss)
    return dict(zip(names, (round(weight, 1) for weight in weights.tolist()), strict=True))


def main(
    folders: list[Path] = typer.Argument(..., help="Folders of .txt and .ann files"),
    alone: bool = typer.Option(False, help="Do not use the entities of other documents"),
    fit: bool = typer.Option(False, help="Print weights for readings.js, estimated on the folders"),
    errors: int = typer.Option(0, help="Print this number of wrong suggestions"),
) -> None:
    """Print how many coordinations are split without a key, and with up to two keys."""
    documents = list(read_documents(folders))
    lexicon: Counter[str] = Counter()
    for document in documents if not alone else ():
        lexicon.update(document["phrases"])
    used = [document for document in documents if document["coordinations"]]
    job = json.dumps({"documents": used, "lexicon": lexicon})
    run = subprocess.run(["node", NODE], input=job, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    if fit:
        print(json.dumps(estimate(found)))
    cases = [case for document in used for case in document["coordinations"]]
    for case, result in zip(cases, found, strict=True):
        if errors and result["keys"] != 0:
            errors -= 1
            print(case["text"][slice(*case["range"])])
            for entities in (case["gold"], result["first"]):
                words = (" ... ".join(case["text"][s:t] for s, t in own) for own in entities)
                print("   ", "; ".join(words))
    n = len(found)
    numbers = Counter(result["keys"] for result in found)
    for most in range(3):
        exact = sum(numbers[i] for i in range(most + 1))
        print(f"{n} coordinations, exact after {most} keys: {exact} ({exact / n:.1%})")
    sure = [result for result in found if result["isSure"]]
    right = sum(result["rank"] == 0 for result in sure)
    print(f"preselected: {len(sure)}, exact: {right} ({right / max(len(sure), 1):.1%})")
    print(f"among all readings: {sum(result['rank'] >= 0 for result in found)}")


if __name__ == "__main__":
    typer.run(main)
