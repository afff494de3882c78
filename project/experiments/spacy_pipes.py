"""Train spaCy's `ner` and `spancat`, and score them on discontinuous entities."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import filter_spans
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis.matching import index_positions, positions_of
from spacy_gapdner.entities import DEFAULT_SPANS_KEY
from spacy_gapdner.formats.docbin import read_docbin, write_docbin
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.pipe.scorer import compare

from ..docbins import require_docbins
from ..tables import Table
from .training import MODEL_BEST, MODEL_LAST, train

PIPES = ("ner", "spancat")
SPANS_KEY = "sc"
# spancat classifies all n-grams up to this length
MAX_NGRAM = 12


def make_config(
    pipe: str, transformer: str, *, steps: int, rate: float, seed: int, eval_frequency: int
) -> Config:
    """Make the config that `spacy init config` recommends, with the batches of our configs: 12
    sentences with a transformer, and 24 without. With a transformer, the learning rate has our
    schedule, and the first tenth of the steps is the warm-up."""
    config = init_config(lang="en", pipeline=[pipe], gpu=bool(transformer))
    config["system"]["seed"] = config["training"]["seed"] = seed
    if pipe == "spancat":
        config["components"][pipe]["suggester"]["sizes"] = list(range(1, MAX_NGRAM + 1))
    config["training"] |= {
        "accumulate_gradient": 1,
        "max_steps": steps,
        "patience": 0,
        "eval_frequency": eval_frequency,
        "batcher": {"@batchers": "spacy.batch_by_sequence.v1", "size": 12 if transformer else 24},
        "logger": {"@loggers": "spacy.ConsoleLogger.v3", "progress_bar": None},
    }
    if transformer:
        config["components"]["transformer"]["model"]["name"] = transformer
        config["training"]["optimizer"]["learn_rate"] |= {
            "initial_rate": rate,
            "warmup_steps": steps // 10,
            "total_steps": steps,
        }
    return config


def convert(source: Path, target: Path) -> None:
    """Convert a .spacy file, or a folder of such files, for `ner` and `spancat`, see
    `add_spans`."""
    docs = [doc for file in require_docbins(source) for doc in read_docbin(file, Vocab())]
    for doc in docs:
        add_spans(doc)
    write_docbin(docs, target)


def add_spans(doc: Doc) -> None:
    """Copy the contiguous entities of a Doc to the span group of `spancat` and to ``doc.ents``,
    which keeps the longest of overlapping entities."""
    spans = [e.spans[0] for e in get_entities(doc) if not e.is_discontinuous]
    doc.ents = filter_spans(spans)
    doc.spans[SPANS_KEY] = spans


def train_pipe(config: Config, folder: Path, train_path: Path, dev_path: Path, gpu_id: int) -> None:
    """Train `ner` or `spancat`. The folder contains the converted data, the log and the best
    model."""
    for name, path in (("train", train_path), ("dev", dev_path)):
        config["paths"][name] = str(folder / f"{name}.spacy")
        convert(path, folder / f"{name}.spacy")
    train(config, folder, gpu_id)
    shutil.rmtree(folder / MODEL_LAST)


def is_trained(folder: Path) -> bool:
    """RETURNS (bool): Whether `train_pipe` is complete in a folder."""
    return (folder / MODEL_BEST).exists() and not (folder / MODEL_LAST).exists()


def score(nlp: Language, golds: Iterable[Doc]) -> dict[str, PRFScore]:
    """Score a pipeline with `ner`, `spancat` or our pipe by exact match.

    "Contiguous, no overlap" contains only contiguous gold entities that share no token with another
    gold entity. Predicted entities that share a token with any other gold entity are ignored.
    """
    names = ("All entities", "Contiguous, no overlap", "Discontinuous")
    scores = {name: PRFScore() for name in names}
    golds = list(golds)
    for doc, gold in zip(nlp.pipe([gold.text for gold in golds]), golds, strict=True):
        if not any(isinstance(p, DiscontinuousEntityRecognizer) for _, p in nlp.pipeline):
            spans = doc.spans.get(SPANS_KEY, doc.ents)
            set_entities(doc, [Entity(s.label_, ((s.start, s.end),)) for s in spans])
        compared = compare(Example(doc, gold), DEFAULT_SPANS_KEY)
        predicted, expected = list(compared.predicted), list(compared.gold)
        disc_predicted, disc = (
            {m for m in side if len(m[1]) > 1} for side in (predicted, expected)
        )
        at = index_positions(expected)
        others = disc | {m for m in expected if any(len(at[p]) > 1 for p in positions_of(m))}
        taken = {p for m in others for p in positions_of(m)}
        near = {m for m in predicted if not taken.isdisjoint(positions_of(m))}
        scores[names[0]].score_set(set(predicted), set(expected))
        scores[names[1]].score_set(set(predicted) - near, set(expected) - others)
        scores[names[2]].score_set(disc_predicted, disc)
    return scores


def make_table(found: dict[str, dict[str, PRFScore]]) -> Table:
    rows = []
    for model, scores in found.items():
        for i, (subset, prf) in enumerate(scores.items()):
            cells = [f"{100 * n:.1f}" for n in (prf.precision, prf.recall, prf.fscore)]
            rows.append([model if i == 0 else "", subset, *cells, str(prf.tp + prf.fn)])
    return Table("Exact match", ["Pipeline", "Entities", "P", "R", "F", "Gold"], rows)
