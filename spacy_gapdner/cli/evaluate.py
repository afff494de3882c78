"""evaluate: the scores of a trained pipeline on annotated data."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import typer

from . import _options as options
from ._printing import msg, percent, print_reliability, print_table, warn_no_entities
from ._progress import count_documents, progress
from ._util import split_list

_N_GAP_LENGTHS = 10


def evaluate_cli(
    model: str = options.MODEL,
    data: Path = options.DATA,
    output_path: Path | None = options.output(help="JSON file for the scores"),
    spans_key: str | None = options.GOLD_KEY,
    threshold: float | None = options.THRESHOLD,
    bootstrap: int = typer.Option(
        0, min=0, help="Number of bootstrap samples for 95% confidence intervals, e.g. 1000"
    ),
    types: str | None = options.TYPES,
    line_breaks: options.LineBreaks | None = options.LINE_BREAKS,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
    code: Path | None = options.CODE,
) -> None:
    """Score a trained pipeline on annotated data.

    Prints exact-match scores for all entities, for discontinuous and overlapping entities, by type
    and by gap length, and scores of partial matches."""
    from ..analysis.evaluation import evaluate
    from ..analysis.pipes import load_recognizer
    from ..formats import find_format, load_docs
    from ..formats.outputs import check_output, write_json

    # report missing files before loading a model
    find_format(data)
    check_output(output_path, {"data": data, "model": model})
    how: dict[str, Any] = {"line_breaks": line_breaks, "gpu_id": gpu_id, "bf16": bf16}
    nlp, pipe = load_recognizer(model, spans_key=spans_key, threshold=threshold, **how)
    docs = load_docs(nlp, data, spans_key or pipe.key, types=split_list(types))
    scores: dict[str, Any] = {"model": str(model), "data": str(data)}
    with progress(partial(count_documents, data), docs) as counted:
        how = {"spans_key": spans_key, "batch_size": batch_size, "bootstrap": bootstrap}
        scores |= evaluate(nlp, counted, **how)
    if output_path is not None:
        write_json(scores, output_path)
    _print_scores(scores)


def _print_scores(scores: dict[str, Any]) -> None:
    from ..analysis.matching import MATCHES
    from ..scorer import SUBSETS

    key = scores["spans_key"]
    name = f"spans_{key}"
    counts = scores[f"{name}_counts"]
    rows: list[tuple[str, ...]] = []
    for subset, title in SUBSETS.items():
        prefix = "" if subset == "all" else f"{subset}_"
        prf = (percent(scores[f"{name}_{prefix}{measure}"]) for measure in "prf")
        numbers = (str(counts[f"{prefix}{k}"]) for k in ("gold", "predicted", "correct"))
        rows.append((title, *prf, *numbers))
    print_table(rows, ("Exact match", "P", "R", "F", "Gold", "Predicted", "Correct"))
    rows = [(title, *_prf(scores["matches"][measure])) for measure, title in MATCHES.items()]
    print_table(rows, ("Other matches", "P", "R", "F"))
    titles = SUBSETS | MATCHES
    intervals = scores.get("intervals", {})
    rows = [(titles[name], *map(_range, bounds.values())) for name, bounds in intervals.items()]
    print_table(rows, ("95% intervals", "P", "R", "F"))
    gold = scores["gold_per_type"]
    types = scores[f"{name}_per_type"] or {}
    rows = [(label, *_prf(prf), str(gold.get(label, 0))) for label, prf in types.items()]
    print_table(rows, ("Type", "P", "R", "F", "Gold"))
    lengths = scores[f"{name}_gap_lengths"] or {}
    rows = [(length, *_prf(prf)) for length, prf in lengths.items()]
    print_table(rows[:_N_GAP_LENGTHS], ("Gap length", "P", "R", "F"))
    if len(rows) > _N_GAP_LENGTHS:
        print(f"({len(rows) - _N_GAP_LENGTHS} more gap lengths in the JSON file of --output)\n")
    print_reliability(scores["reliability"])
    if scores["calibration_error"] is not None:
        errors = (percent(scores[f"{kind}calibration_error"]) for kind in ("", "disc_"))
        print("Calibration error: {}, for discontinuous entities: {}\n".format(*errors))
    if scores["crossing"]:
        msg.info(
            f"{scores['crossing']} gold entities cross sentence boundaries of the pipeline and "
            "cannot be found. Data that convert splits into sentences does not contain such "
            "entities, so scores are higher."
        )
    if not counts["gold"]:
        warn_no_entities(scores["data"], key, scores["gold_elsewhere"])
    if scores["labels_unknown_to_model"]:
        labels = ", ".join(scores["labels_unknown_to_model"])
        msg.warn(f"The model has no labels for these types in the data: {labels}")
    msg.good(f"{scores['docs']} Docs, {scores['words']} words, {scores['speed']:.0f} words/s")


def _prf(scores: Mapping[str, float | None]) -> tuple[str, str, str]:
    return percent(scores["p"]), percent(scores["r"]), percent(scores["f"])


def _range(bounds: tuple[float, float] | None) -> str:
    return "-" if bounds is None else f"{percent(bounds[0])}-{percent(bounds[1])}"
