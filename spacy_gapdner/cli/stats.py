"""stats: what corpora hold, in numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._corpora import print_figures, print_statistics
from ._printing import msg, print_report
from ._util import clean_errors, fail, read_docs, split_list

if TYPE_CHECKING:
    from ..analysis.statistics import CorpusStatistics
    from ..formats import Report


def stats_cli(
    data: list[Path] = typer.Argument(
        ..., metavar="DATA", help=".spacy files, or anything that convert reads"
    ),
    format: str | None = options.format("Format of what is not .spacy; guessed if not given"),
    lang: str = options.lang("Language of the tokeniser for what is not .spacy"),
    types: str | None = typer.Option(None, "--types", help="See convert"),
    split: str | None = typer.Option(None, "--split", help="See convert; --expect looks at it too"),
    ids: Path | None = typer.Option(None, "--ids", help="See convert"),
    expect: str | None = typer.Option(
        None, "--expect", help="Compare with what is published: cadec, share13 or share14"
    ),
    strict: bool = typer.Option(
        False, "--strict", help="With --expect: exit code 1 if a figure differs"
    ),
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output("JSON file for the numbers"),
) -> None:
    """Count documents, entities, fragments, gaps and overlaps.

    There is one column per DATA. The counts can be compared with published ones."""
    with clean_errors():
        from ..analysis.expectations import compare_figures, get_figures
        from ..formats.outputs import check_output, write_json

        for path in data:
            check_output(output_path, {"data": path, "list": ids})
        if expect:
            # a wrong name shall not show only after the reading
            get_figures(expect, split)
        elif strict:
            fail("--strict needs --expect.")
        given = {"types": split_list(types), "split": split, "ids": ids}
        counted = {
            str(path): _count_corpus(path, format, lang, spans_key, expect, given) for path in data
        }
        checks = {
            name: compare_figures(expect, split, *found) if expect else []
            for name, found in counted.items()
        }
        if output_path is not None:
            values = {name: found.to_dict() for name, (found, _) in counted.items()}
            for name, (_, report) in counted.items():
                if report is not None:
                    values[name]["report"] = report.to_dict()
                if expect:
                    values[name]["compared"] = [check.to_dict() for check in checks[name]]
            write_json(values, output_path)
    print_statistics({name: found for name, (found, _) in counted.items()})
    for _, report in counted.values():
        if report is not None:
            print_report(report)
    for name, found in checks.items():
        if found:
            print_figures(name, found)
    if strict and any(c.result == "differs" for found in checks.values() for c in found):
        raise typer.Exit(1)


def _count_corpus(
    path: Path,
    format: str | None,
    lang: str,
    spans_key: str,
    expect: str | None,
    given: dict[str, Any],
) -> tuple["CorpusStatistics", "Report | None"]:
    from ..analysis.statistics import stats
    from ..formats import Report, blank_pipeline, read_records, to_docs
    from ..formats.docbin import find_docbins

    nlp = blank_pipeline(lang)
    report = None
    if format is None and find_docbins(path):
        ignored = ("types", "ids") if expect else ("types", "ids", "split")
        unused = [name for name in ignored if given.get(name)]
        if unused:
            raise GapDNERError(
                f"{path} is .spacy: --{' and --'.join(unused)} are for unconverted corpora."
            )
        docs = read_docs(path, nlp.vocab, spans_key)
    else:
        report = Report()
        default = expect if path.is_dir() else None
        records = read_records(path, report, format or default, **given)
        docs = to_docs(records, nlp, report, spans_key=spans_key)
    statistics = stats(docs, spans_key=spans_key)
    if not statistics.entities:
        others = ", ".join(sorted(statistics.spans_keys))
        hint = f" There are some under {others}." if others else ""
        msg.warn(f"No entities under the spans key {spans_key!r} in {path}.{hint}")
    return statistics, report
