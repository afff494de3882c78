"""evaluate: the scores of a trained pipeline on annotated data."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from timeit import default_timer
from typing import TYPE_CHECKING, Any

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins
from ..formats.files import write_json
from ._model import (
    BATCH_SIZE,
    CELL_THRESHOLD,
    CONSISTENT,
    GPU_ID,
    THRESHOLD,
    load_pipeline,
)
from ._util import clean_errors, print_reliability

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..pipe import DiscontinuousEntityRecognizer

_N_GAP_LENGTHS = 10
# row of the table, prefix of its scores and counts
_SUBSETS = (
    ("All entities", ""),
    ("Discontinuous entities", "disc_"),
    ("Sentences with discontinuous", "disc_sents_"),
    ("Sentences with overlap", "overlap_sents_"),
)


def evaluate_cli(
    model: str = typer.Argument(..., help="Folder of a trained pipeline, or installed package"),
    data: Path = typer.Argument(..., help=".spacy file with gold entities, or folder of such"),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="JSON file for the scores"
    ),
    spans_key: str | None = typer.Option(
        None,
        "--spans-key",
        "-sk",
        help="Prefix of the span groups with gold entities; the pipe's own if not given",
    ),
    threshold: float | None = THRESHOLD,
    cell_threshold: float | None = CELL_THRESHOLD,
    consistent: bool | None = CONSISTENT,
    batch_size: int | None = BATCH_SIZE,
    gpu_id: int = GPU_ID,
) -> None:
    """Score a trained pipeline by exact match: all entities, the subsets with discontinuous and
    overlapping ones, per type and by gap length."""
    with clean_errors():
        scores = evaluate(
            model,
            data,
            spans_key=spans_key,
            threshold=threshold,
            cell_threshold=cell_threshold,
            consistent=consistent,
            batch_size=batch_size,
            gpu_id=gpu_id,
        )
        if output_path is not None:
            write_json(scores, output_path)
    print_scores(scores)


def evaluate(
    model: str | Path,
    data: Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    cell_threshold: float | None = None,
    consistent: bool | None = None,
    batch_size: int | None = None,
    gpu_id: int = -1,
) -> dict[str, Any]:
    """Score a trained pipeline on annotated data.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    data (Path): A .spacy file with gold entities, or a folder of such files.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    threshold (Optional[float]): Entities with a lower score are dropped; the pipe's own if None.
    cell_threshold (Optional[float]): Labels of the grid are used from this probability on; the
        pipe's own if None.
    consistent (Optional[bool]): Keep only entities that account for a label of their own; the
        pipe's own setting if None.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (dict[str, Any]): The scores of `spacy_gapdner.scorer.score_discontinuous`, and
        `model`, `data`, `spans_key`, the pipe's `threshold`, `type_thresholds`, `cell_threshold`,
        `entity_score` and `consistent`, `docs`, `words`, `speed`
        (words per second, tokenisation included), `gold_per_type` (number of gold entities),
        `reliability` (how often the entities of each range of scores are right),
        `calibration_error` (see `spacy_gapdner.calibration.expected_calibration_error`),
        `labels_unknown_to_model`, and `spans_keys_found` (all prefixes in the data).
    RAISES (GapDNERError): If the pipeline or the data is missing or cannot be used.
    """

    files = require_docbins(data)
    nlp, pipe = load_pipeline(
        model,
        spans_key=spans_key,
        threshold=threshold,
        cell_threshold=cell_threshold,
        consistent=consistent,
        gpu_id=gpu_id,
    )
    pipe.key = spans_key or pipe.key
    docs = (doc for file in files for doc in read_docbin(file, nlp.vocab))
    scores = score_docs(nlp, pipe, docs, batch_size=batch_size)
    if not scores["docs"]:
        raise GapDNERError(f"{data} holds no document. Check the path.")
    settings = {"model": str(model), "data": str(data)}
    names = ("threshold", "type_thresholds", "cell_threshold", "entity_score", "consistent")
    settings |= {name: getattr(pipe, name) for name in names}
    return settings | {"spans_key": pipe.key} | scores


def score_docs(
    nlp: "Language",
    pipe: "DiscontinuousEntityRecognizer",
    docs: Iterable["Doc"],
    *,
    batch_size: int | None = None,
) -> dict[str, Any]:
    """Score a pipeline on Docs, one batch in memory at a time.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe; the gold entities are under the same key.
    docs (Iterable[Doc]): Docs with gold entities.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    RETURNS (dict[str, Any]): The scores, see `evaluate`.
    RAISES (GapDNERError): If the fragments of a gold entity carry different labels.
    """
    from ..analysis.predictions import Judged, judge_predictions, predict_examples
    from ..calibration import expected_calibration_error, reliability
    from ..entities import get_entities, get_spans_keys
    from ..scorer import Tally, compare

    gold: Counter[str] = Counter()
    keys: set[str] = set()
    judged: list[Judged] = []
    tally = Tally()
    n_docs = n_words = 0
    start = default_timer()
    for example in predict_examples(nlp, docs, batch_size):
        n_docs += 1
        n_words += len(example.predicted)
        keys.update(get_spans_keys(example.reference))
        try:
            found = get_entities(example.reference, pipe.key)
        except ValueError as error:
            raise GapDNERError(f"Document {n_docs}: {error}") from None
        # of equal entities one counts, as in the scores
        entities = {entity.to_entity() for entity in found}
        gold.update(entity.label for entity in entities)
        compared = compare(example, pipe.key)
        tally.add(compared)
        judged.extend(judge_predictions(example, compared, pipe.key))
    seconds = default_timer() - start
    unknown = set(gold) - set(pipe.labels)
    bins = reliability((j.score for j in judged), (j.correct for j in judged))
    return {
        "docs": n_docs,
        "words": n_words,
        "speed": n_words / seconds,
        **tally.scores(pipe.key),
        "gold_per_type": {label: gold[label] for label in sorted(gold)},
        "reliability": [part._asdict() for part in bins],
        "calibration_error": expected_calibration_error(bins),
        "labels_unknown_to_model": sorted(unknown),
        "spans_keys_found": sorted(keys),
    }


def print_scores(scores: dict[str, Any]) -> None:
    """Print scores as tables.

    scores (dict[str, Any]): What `evaluate` returns.
    """
    from ..calibration import ReliabilityBin

    key = scores["spans_key"]
    name = f"spans_{key}"
    counts = scores[f"{name}_counts"]
    rows: list[tuple] = []
    for title, prefix in _SUBSETS:
        prf = (_percent(scores[f"{name}_{prefix}{measure}"]) for measure in "prf")
        numbers = (str(counts[f"{prefix}{k}"]) for k in ("gold", "predicted", "correct"))
        rows.append((title, *prf, *numbers))
    header: tuple[str, ...] = ("Exact match", "P", "R", "F", "Gold", "Predicted", "Correct")
    msg.table(rows, header=header, divider=True, aligns=list("lrrrrrr"))

    types = scores[f"{name}_per_type"] or {}
    gold = scores["gold_per_type"]
    rows = [(label, *_prf(prf), str(gold.get(label, 0))) for label, prf in types.items()]
    if rows:
        header = ("Type", "P", "R", "F", "Gold")
        msg.table(rows, header=header, divider=True, aligns=list("lrrrr"), max_col=60)

    lengths = scores[f"{name}_gap_lengths"] or {}
    rows = [(length, *_prf(prf)) for length, prf in lengths.items()]
    if rows:
        header = ("Gap length", "P", "R", "F")
        msg.table(rows[:_N_GAP_LENGTHS], header=header, divider=True, aligns=list("lrrr"))
    if len(rows) > _N_GAP_LENGTHS:
        print(f"({len(rows) - _N_GAP_LENGTHS} longer gap lengths are in the JSON of --output)\n")

    print_reliability([ReliabilityBin(**part) for part in scores["reliability"]])
    if scores["calibration_error"] is not None:
        print(f"Expected calibration error: {100 * scores['calibration_error']:.1f} points\n")

    if not counts["gold"]:
        others = [other for other in scores["spans_keys_found"] if other != key]
        hint = f" There are some under {', '.join(others)}." if others else ""
        msg.warn(f"No gold entities under the spans key {key!r} in {scores['data']}.{hint}")
    if scores["labels_unknown_to_model"]:
        labels = ", ".join(scores["labels_unknown_to_model"])
        msg.warn(f"The model does not know these types of the data, and misses them: {labels}")
    msg.good(f"{scores['docs']} Docs, {scores['words']} words, {scores['speed']:.0f} words/s")


def _prf(scores: dict[str, float]) -> tuple[str, str, str]:
    return _percent(scores["p"]), _percent(scores["r"]), _percent(scores["f"])


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.2f}"
