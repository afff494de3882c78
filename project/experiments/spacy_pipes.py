"""spaCy's own `ner` and `spancat` on the data of our pipe, and scores to compare all three."""

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
from spacy_gapdner.entities import DEFAULT_SPANS_KEY
from spacy_gapdner.formats.docbin import read_docbin, require_docbins, write_docbin
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.scorer import Mention, compare

from ..tables import Table
from .training import MODEL_BEST, MODEL_LAST, train

PIPES = ("ner", "spancat")
SPANS_KEY = "sc"
# spancat classifies all n-grams up to this length
MAX_NGRAM = 12


def make_config(
    pipe: str, transformer: str, *, steps: int, rate: float, seed: int, eval_frequency: int
) -> Config:
    """Take the config that `spacy init config` recommends for a GPU, and train as ours is trained.

    pipe (str): "ner" or "spancat".
    transformer (str): The encoder: a name on the Hugging Face hub or a directory.
    steps (int): Batches of 12 sentences to train on; a tenth of them for warmup.
    rate (float): The learning rate at its highest.
    seed (int): The seed.
    eval_frequency (int): Batches between evaluations on the development data.
    RETURNS (Config): The config.
    """
    config = init_config(lang="en", pipeline=[pipe], gpu=True)
    config["system"]["seed"] = config["training"]["seed"] = seed
    config["components"]["transformer"]["model"]["name"] = transformer
    if pipe == "spancat":
        config["components"][pipe]["suggester"]["sizes"] = list(range(1, MAX_NGRAM + 1))
    config["training"] |= {
        "accumulate_gradient": 1,
        "max_steps": steps,
        "patience": 0,
        "eval_frequency": eval_frequency,
        "batcher": {"@batchers": "spacy.batch_by_sequence.v1", "size": 12},
        "logger": {"@loggers": "spacy.ConsoleLogger.v3", "progress_bar": None},
    }
    config["training"]["optimizer"]["learn_rate"] |= {
        "initial_rate": rate,
        "warmup_steps": steps // 10,
        "total_steps": steps,
    }
    return config


def convert(source: Path, target: Path) -> None:
    """Give Docs in a file what spaCy's pipes learn from, see `add_spans`.

    source (Path): A .spacy file with discontinuous entities, or a folder of such files.
    target (Path): The .spacy file to write.
    """
    docs = [doc for file in require_docbins(source) for doc in read_docbin(file, Vocab())]
    for doc in docs:
        add_spans(doc)
    write_docbin(docs, target)


def add_spans(doc: Doc) -> None:
    """Copy the contiguous entities of a Doc to the span group that spancat learns from, and those
    that do not overlap to ``doc.ents`` for ner. Of overlapping ones the longest is copied.

    doc (Doc): The document.
    """
    spans = [e.spans[0] for e in get_entities(doc) if not e.is_discontinuous]
    doc.ents = filter_spans(spans)
    doc.spans[SPANS_KEY] = spans


def train_pipe(config: Config, folder: Path, train_path: Path, dev_path: Path, gpu_id: int) -> None:
    """Train a pipeline of spaCy's.

    config (Config): Its config, see `make_config`.
    folder (Path): Takes the data, the log and the best model.
    train_path (Path): Training data of our pipe.
    dev_path (Path): Development data of our pipe.
    gpu_id (int): GPU to use; -1 for the CPU.
    RAISES (GapDNERError): If the training fails.
    """
    for name, path in (("train", train_path), ("dev", dev_path)):
        config["paths"][name] = str(folder / f"{name}.spacy")
        convert(path, folder / f"{name}.spacy")
    train(config, folder, gpu_id)
    shutil.rmtree(folder / MODEL_LAST)


def is_trained(folder: Path) -> bool:
    """RETURNS (bool): Whether `train_pipe` has finished in a folder."""
    return (folder / MODEL_BEST).exists() and not (folder / MODEL_LAST).exists()


def score(nlp: Language, golds: Iterable[Doc]) -> dict[str, PRFScore]:
    """Score a pipeline of spaCy's or of ours by exact match.

    "Contiguous, no overlap" counts the gold entities without a gap that share no token with
    another one, and the predicted entities that share no token with other gold entities than these.

    nlp (Language): The pipeline.
    golds (Iterable[Doc]): Docs with gold entities.
    RETURNS (dict[str, PRFScore]): The counts by subset.
    """
    names = ("All entities", "Contiguous, no overlap", "Discontinuous")
    scores = {name: PRFScore() for name in names}
    golds = list(golds)
    for doc, gold in zip(nlp.pipe([gold.text for gold in golds]), golds, strict=True):
        if not any(isinstance(p, DiscontinuousEntityRecognizer) for _, p in nlp.pipeline):
            spans = doc.spans.get(SPANS_KEY, doc.ents)
            set_entities(doc, [Entity(s.label_, ((s.start, s.end),)) for s in spans])
        compared = compare(Example(doc, gold), DEFAULT_SPANS_KEY)
        found, wanted = set(compared.predicted), set(compared.gold)
        plain = {item for item in wanted if _is_plain(item, wanted)}
        others = wanted - plain
        pairs = (
            (found, wanted),
            ({item for item in found if not any(_overlap(item, o) for o in others)}, plain),
            (_discontinuous(found), _discontinuous(wanted)),
        )
        for name, (predicted, expected) in zip(names, pairs, strict=True):
            scores[name].score_set(predicted, expected)
    return scores


def make_table(found: dict[str, dict[str, PRFScore]]) -> Table:
    """RETURNS (Table): P, R and F by subset of what `score` returned for each pipeline."""
    rows = []
    for model, scores in found.items():
        for i, (subset, of) in enumerate(scores.items()):
            numbers = (of.precision, of.recall, of.fscore)
            cells = [f"{100 * number:.1f}" for number in numbers]
            rows.append([model if i == 0 else "", subset, *cells, str(of.tp + of.fn)])
    return Table("Exact match", ["Pipeline", "Over", "P", "R", "F", "gold"], rows)


def _discontinuous(items: set[Mention]) -> set[Mention]:
    return {item for item in items if len(item[1]) > 1}


def _is_plain(item: Mention, items: set[Mention]) -> bool:
    return len(item[1]) == 1 and not any(o != item and _overlap(item, o) for o in items)


def _overlap(one: Mention, other: Mention) -> bool:
    return any(a < d and c < b for a, b in one[1] for c, d in other[1])
