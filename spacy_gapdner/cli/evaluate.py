"""evaluate: score a trained pipeline on annotated data."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import analysis, formats
from ..docs import count_languages, describe_other_languages
from . import _options as options
from ._util import counted, msg, percent, print_table, progress, split_list, warn_no_entities


def evaluate_cli(
    model: str = options.MODEL,
    data: Path = options.DATA,
    output_path: Path | None = options.output(help="JSON file for the scores"),
    force: bool = options.FORCE,
    spans_key: str | None = options.GOLD_KEY,
    threshold: float | None = options.THRESHOLD,
    types: str | None = options.TYPES,
    line_breaks: options.LineBreaks | None = options.LINE_BREAKS,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
    code: Path | None = options.CODE,
) -> None:
    """Score a trained pipeline on annotated data.

    Prints exact-match scores for all entities, for discontinuous and overlapping entities, by type
    and by gap length, as well as scores of partial matches."""
    from ..analysis.matching import MATCHES
    from ..formats.outputs import check_output, write_json
    from ..inference.loading import load_recognizer
    from ..pipe.scorer import SUBSETS

    # report missing files before loading a model
    formats.guess_format(data)
    check_output(output_path, {"data": data, "model": model}, force=force)
    nlp, pipe = load_recognizer(
        model,
        gold_key=spans_key,
        threshold=threshold,
        line_breaks=line_breaks,
        gpu_id=gpu_id,
        bf16=bf16,
    )
    kept = split_list(types)
    languages: Counter[str] = Counter()
    docs = formats.load_docs(nlp, data, spans_key or pipe.key, types=kept)
    docs = progress(count_languages(docs, languages))
    found = analysis.evaluate(nlp, docs, spans_key=spans_key, types=kept, batch_size=batch_size)
    scores = {"model": model, "data": str(data), **found}
    write_json(scores, output_path)
    name = f"spans_{scores['spans_key']}"
    counts, gold = scores[f"{name}_counts"], scores["gold_per_type"]
    rows: list[tuple[Any, ...]] = []
    for subset, title in SUBSETS.items():
        prefix = "" if subset == "all" else f"{subset}_"
        numbers = (counts[f"{prefix}{kind}"] for kind in ("gold", "predicted", "correct"))
        rows.append((title, *_prf(scores, f"{name}_{prefix}"), *numbers))
    print_table(rows, ("Exact match", "P", "R", "F", "Gold", "Predicted", "Correct"))
    rows = [(title, *_prf(scores["matches"][match])) for match, title in MATCHES.items()]
    print_table(rows, ("Other matches", "P", "R", "F"))
    by_type = scores[f"{name}_per_type"] or {}
    rows = [(label, *_prf(prf), gold.get(label, 0)) for label, prf in by_type.items()]
    print_table(rows, ("Type", "P", "R", "F", "Gold"))
    by_gap, n_gold = scores[f"{name}_gap_lengths"] or {}, scores["gold_per_gap_length"]
    rows = [(gap, *_prf(prf), n_gold[gap]) for gap, prf in by_gap.items()]
    print_table(rows, ("Tokens in gaps", "P", "R", "F", "Gold"))
    rows = []
    for part in scores["reliability"]:
        shown = percent(part["mean_score"]), percent(part["precision"])
        rows.append((f"{part['start']:.1f}-{part['start'] + 0.1:.1f}", part["n"], *shown))
    print_table(rows, ("Score", "Entities", "Mean score", "Precision"))
    if scores["calibration_error"] is not None:
        errors = [percent(scores[f"{kind}calibration_error"]) for kind in ("", "disc_")]
        print(f"Calibration error: {errors[0]}, for discontinuous entities: {errors[1]}\n")
    if n := scores["crossing"]:
        msg.info(f"Gold entities across sentence boundaries, which cannot be found: {n}")
    if not counts["gold"]:
        warn_no_entities(scores["data"], scores["spans_key"], scores["gold_elsewhere"])
    if message := describe_other_languages(languages, nlp.lang):
        msg.warn(message)
    if labels := scores["labels_unknown_to_model"]:
        msg.warn(f"The model has no labels for these types in the data: {', '.join(labels)}")
    speed = f"{scores['words']} words, {scores['speed']:.0f} words/s"
    msg.good(f"{counted(scores['docs'], 'Doc')}, {speed}")


def _prf(scores: Mapping[str, float | None], prefix: str = "") -> list[str]:
    return [percent(scores[f"{prefix}{measure}"]) for measure in "prf"]
