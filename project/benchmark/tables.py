"""Make the tables of the benchmark."""

import sys
from collections.abc import Sequence
from typing import Any

from ..tables import Table


def make_tables(result: dict[str, Any]) -> list[Table]:
    """RETURNS (list[Table]): The tables of the result of `run_benchmark`."""
    clock, name = _describe_clock(result), result["model"]
    on_gpu = bool(result["device"]["gpu"])
    header = [name, "Words/s", "Seconds", "x encoder", "ms/batch", *["GPU busy (%)"] * on_gpu]
    speed = Table(f"Speed, {clock}", header, [])
    for row, of in result["speed"].items():
        cells = [f"{of['words_per_second']:,.0f}", f"{of['seconds']:.2f}", f"{of['ratio']:.2f}"]
        cells.append(_format(of["seconds_per_batch"], 1000, ".1f"))
        cells += [_format(of["utilization"], 100, ".0f")] * on_gpu
        speed.rows.append([row, *cells])
    parts = Table(f"Share of the {clock.split(',')[0]} (%)", [name, "nlp.pipe", "Training"], [])
    columns = result["parts"].values()
    for part in dict.fromkeys(part for of in columns for part in of):
        shares = (of[part] / sum(of.values()) if part in of else None for of in columns)
        parts.rows.append([part, *(_format(share, 100, ".1f") for share in shares)])
    memory = Table(f"Peak {'GPU ' * on_gpu}memory (MB)", [name, "Loading", "Running"], [])
    for task, sizes in result["memory"].items():
        memory.rows.append([task, *(_format(size, 1e-6, ",.0f") for size in sizes.values())])
    return [speed, *[parts] * bool(columns), memory]


def print_tables(tables: Sequence[Table]) -> None:
    for table in tables:
        table.print()
    # the output may be a file, and the process may be killed
    sys.stdout.flush()


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
