"""debug-data: report problems in the training data and config."""

from functools import partial
from pathlib import Path

import typer

from .. import formats, training
from ..errors import GapDNERError
from . import _options as options
from ._util import (
    N_EXAMPLES,
    counted,
    msg,
    percent,
    print_line,
    print_statistics,
    print_table,
    split_list,
)


def debug_data_cli(
    train_path: Path = options.DATA,
    dev_path: Path | None = typer.Option(None, "--dev", "-d", help="Development data"),
    config_path: Path | None = typer.Option(
        None, "--config", "-c", help="Training config to check (default: the pipe's settings)"
    ),
    lang: str | None = options.DATA_LANG,
    types: str | None = options.TYPES,
    model: str | None = options.SPLITTER,
    line_breaks: options.LineBreaks = options.LINE_BREAKS_AUTO,
    spans_key: str | None = options.spans_key(
        help="Prefix of the span groups with the entities (default: set by the config)"
    ),
    output_path: Path | None = options.output(help="JSON file for the findings"),
    force: bool = options.FORCE,
    code: Path | None = options.CODE,
) -> None:
    """Check data and settings before training.

    Reports labels, entities that cannot be learned, the best score that the tagging scheme can
    reach, and problematic settings."""
    from ..components.pipelines import load_splitter
    from ..formats.outputs import check_output, write_json
    from ..training.training_config import make_training_config, read_training_config

    inputs = {"training data": train_path, "development data": dev_path, "config": config_path}
    check_output(output_path, inputs, force=force)
    if config_path is not None and (model or line_breaks != "auto" or lang is not None):
        raise GapDNERError("--config replaces --lang, --model and --line-breaks. Leave them out.")
    if config_path is not None:
        config = read_training_config(config_path, spans_key)
    else:
        lang = lang or formats.guess_data_language(train_path)
        nlp = formats.blank_pipeline(lang, line_breaks) if model is None else load_splitter(model)
        config = make_training_config(nlp, spans_key)
    load = partial(
        formats.load_docs,
        config.nlp,
        spans_key=config.spans_key,
        model=model,
        line_breaks=line_breaks,
        types=split_list(types),
    )
    train = load(train_path)
    dev = None if dev_path is None else load(dev_path)
    findings = training.check_data(train, dev, config=config)
    write_json(findings.to_dict(), output_path)
    reports = findings.reports
    msg.divider("Corpora")
    print_statistics({name: report.statistics for name, report in reports.items()})
    msg.divider("Segments")
    splitters = ", ".join(config.nlp.pipe_factories[name] for name in config.nlp.pipe_names)
    print(f"Sentences split by {splitters}." if splitters else "One segment per Doc.")
    print(
        f"Segments of more than {config.max_length} tokens are split into windows, one every "
        f"{config.stride} tokens."
    )
    for name, report in reports.items():
        n_segments, longest = counted(report.segments, "segment"), report.longest_segment
        print(f"{name}: {n_segments}, longest {counted(longest, 'token')}")
    if findings.shared is not None:
        n_shared, n_entities = findings.shared
        print(f"dev: {n_shared} unique segments also occur in train, {n_entities} with entities")
    msg.divider("Gold entities encoded and decoded")
    rows = []
    for name, report in reports.items():
        best = (percent(counts.f) for counts in (report.ceiling, report.disc_ceiling))
        lost = (sum(map(len, by_kind.values())) for by_kind in (report.missed, report.spurious))
        rows.append((name, *best, *lost))
    print_table(rows, ("", "Best F1", "Best F1, disc.", "Missed", "Spurious"))
    for name, report in reports.items():
        groups = {"missed, ": report.missed, "spurious, ": report.spurious, "": report.unlearnable}
        for group, by_kind in groups.items():
            for kind, entities in by_kind.items():
                print_line(f"{name}, {group}{kind}: {len(entities)}")
                for entity in entities[:N_EXAMPLES]:
                    print_line(f"    {entity}")
    msg.divider("Summary")
    for hint in findings.hints:
        msg.info(hint)
    for problem in findings.problems:
        msg.warn(problem)
    if not findings.problems:
        msg.good("No problems found")
