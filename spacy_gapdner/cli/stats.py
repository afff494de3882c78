"""stats: count the contents of annotated corpora."""

from pathlib import Path

from .. import analysis, formats
from . import _options as options
from ._util import print_report, print_statistics, split_list, warn_no_entities


def stats_cli(
    data: list[Path] = options.DATA,
    format: str | None = options.format(help="Input format, see convert (default: detected)"),
    lang: str | None = options.DATA_LANG,
    model: str | None = options.SPLITTER,
    line_breaks: options.LineBreaks = options.LINE_BREAKS_AUTO,
    types: str | None = options.TYPES,
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(help="JSON file for the statistics"),
    force: bool = options.FORCE,
    code: Path | None = options.CODE,
) -> None:
    """Count documents, entities, fragments, gaps and overlaps.

    Several corpora are shown side by side."""
    from ..formats.converting import require_types
    from ..formats.outputs import check_output, write_json

    for corpus in data:
        check_output(output_path, {"data": corpus}, force=force)
    kept = split_list(types)
    reports = {str(path): formats.Report(needs_types=False) for path in data}
    found = {}
    for path, report in reports.items():
        nlp = formats.blank_pipeline(lang or formats.guess_data_language(path, format))
        docs = formats.load_docs(
            nlp,
            path,
            spans_key,
            format=format,
            report=report,
            types=kept,
            model=model,
            line_breaks=line_breaks,
        )
        found[path] = analysis.stats(docs, spans_key=spans_key)
    labels = {label for p in found for label in (*found[p].labels, *reports[p].left_out)}
    require_types(kept, labels, " and ".join(found))
    counts = {p: {**found[p].to_dict(), "report": reports[p].to_dict()} for p in found}
    write_json(counts, output_path)
    print_statistics(found)
    for path, report in reports.items():
        print_report(report)
        if not found[path].entities:
            warn_no_entities(path, spans_key, found[path].elsewhere)
