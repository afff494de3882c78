"""stats: statistics of annotated corpora."""

from pathlib import Path

from . import _options as options
from ._printing import print_report, print_statistics, warn_no_entities
from ._util import parse_reader_options, split_list


def stats_cli(
    data: list[Path] = options.DATA,
    format: str | None = options.format(help="Input format, see convert (default: detected)"),
    lang: str = options.lang(help="Language of the tokenizer for formats other than .spacy"),
    model: str | None = options.SPLITTER,
    line_breaks: options.LineBreaks = options.LINE_BREAKS_AUTO,
    types: str | None = options.TYPES,
    reader_options: list[str] = options.READER_OPTIONS,
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(help="JSON file for the statistics"),
    code: Path | None = options.CODE,
) -> None:
    """Count documents, entities, fragments, gaps and overlaps.

    Several corpora are shown side by side."""
    from ..analysis.statistics import stats
    from ..formats import Report, blank_pipeline, load_docs
    from ..formats.outputs import check_output, write_json

    for path in data:
        check_output(output_path, {"data": path})
    how = {"model": model, "line_breaks": line_breaks, **parse_reader_options(reader_options)}
    counted = {}
    for path in data:
        report = Report()
        nlp = blank_pipeline(lang)
        docs = load_docs(
            nlp, path, spans_key, format=format, report=report, types=split_list(types), **how
        )
        counted[str(path)] = stats(docs, spans_key=spans_key), report
    if output_path is not None:
        values = {
            name: {**found.to_dict(), "report": report.to_dict()}
            for name, (found, report) in counted.items()
        }
        write_json(values, output_path)
    print_statistics({name: found for name, (found, _) in counted.items()})
    for name, (found, report) in counted.items():
        print_report(report)
        if not found.entities:
            warn_no_entities(name, spans_key, found.elsewhere)
