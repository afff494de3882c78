"""The tables of the benchmark."""

from collections.abc import Sequence
from typing import Any

from ..tables import Table


def make_tables(found: Sequence[dict[str, Any]]) -> list[Table]:
    """RETURNS (list[Table]): The tables of the results of `run_benchmark` for each pipeline."""
    clock = _describe_clock(found[0])
    on_gpu = bool(found[0]["device"]["gpu"])
    header = ["", "Words/s", "Seconds", "x encoder", "ms/batch", *["GPU busy (%)"] * on_gpu]
    speed = Table(f"Speed, {clock}", header, [])
    parts = Table(f"Share of the {clock.split(',')[0]} (%)", ["", "nlp.pipe", "Training"], [])
    memory = Table(f"Peak {'GPU ' * on_gpu}memory (MB)", ["", "Loading", "Running"], [])
    for result in found:
        name = result["model"]
        speed.rows.append([name, *[""] * (len(header) - 1)])
        for row, of in result["speed"].items():
            cells = [f"{of['words_per_second']:,.0f}", f"{of['seconds']:.2f}", f"{of['ratio']:.2f}"]
            cells.append(_format(of["seconds_per_batch"], 1000, ".1f"))
            cells += [_format(of["utilization"], 100, ".0f")] * on_gpu
            speed.rows.append([row, *cells])
        columns = result["parts"].values()
        if columns:
            parts.rows.append([name, "", ""])
        for part in dict.fromkeys(part for of in columns for part in of):
            shares = (of[part] / sum(of.values()) if part in of else None for of in columns)
            parts.rows.append([part, *(_format(share, 100, ".1f") for share in shares)])
        memory.rows.append([name, "", ""])
        for task, sizes in result["memory"].items():
            memory.rows.append([task, *(_format(size, 1e-6, ",.0f") for size in sizes.values())])
    return [speed, parts, memory]


def make_overhead_tables(found: Sequence[dict[str, Any]]) -> list[Table]:
    """RETURNS (list[Table]): The table of the results of `measure_overhead` for each pipeline."""
    header = ["", "Training, ms/batch", "Training, words/s", "nlp.pipe, words/s"]
    rows = [
        [
            of["model"],
            f"{1000 * of['seconds_per_batch']:.1f}",
            f"{of['training_words_per_second']:,.0f}",
            f"{of['prediction_words_per_second']:,.0f}",
        ]
        for of in found
    ]
    return [Table(f"Overhead, {_describe_clock(found[0])}", header, rows)]


def _format(value: float | None, factor: float, form: str) -> str:
    return "-" if value is None else f"{factor * value:{form}}"


def _describe_clock(result: dict[str, Any]) -> str:
    n = result["threads"]
    return f"{'CPU time' if result['cpu_time'] else 'time'}, {n} thread{'s' * (n > 1)}"
