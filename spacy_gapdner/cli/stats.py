"""stats: what corpora hold, in numbers."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import find_docbins, read_docbin
from ..formats.files import write_json
from ._util import clean_errors, fail, print_report, split_list

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ..analysis.expectations import Comparison
    from ..analysis.statistics import CorpusStatistics
    from ..formats import Report


def stats_cli(
    data: list[Path] = typer.Argument(..., help=".spacy files, or anything that convert reads"),
    format: str | None = typer.Option(
        None, "--format", "-f", help="Format of what is not .spacy; guessed if not given"
    ),
    lang: str = typer.Option(
        "en", "--lang", "-l", help="Language of the tokeniser for what is not .spacy"
    ),
    types: str | None = typer.Option(None, "--types", help="See convert"),
    split: str | None = typer.Option(None, "--split", help="See convert; --expect looks at it too"),
    ids: Path | None = typer.Option(None, "--ids", help="See convert"),
    expect: str | None = typer.Option(
        None, "--expect", help="Compare with what is published: cadec, share13 or share14"
    ),
    strict: bool = typer.Option(
        False, "--strict", help="With --expect: exit code 1 if a figure differs"
    ),
    spans_key: str = typer.Option(
        "gapdner", "--spans-key", "-sk", help="Prefix of the span groups that hold the entities"
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="JSON file for the numbers"
    ),
) -> None:
    """Count documents, entities, fragments, gaps and overlaps, one column per DATA, and compare
    the counts with published ones."""
    compared: dict[str, list[Comparison]] = {}
    with clean_errors():
        from ..analysis.expectations import compare, get_figures

        if expect:
            # a wrong name shall not show only after the reading
            get_figures(expect, split)
        elif strict:
            fail("--strict needs --expect.")
        counted = count_corpora(
            data,
            format=format,
            expect=expect,
            lang=lang,
            types=split_list(types),
            split=split,
            ids=ids,
            spans_key=spans_key,
        )
        statistics = {name: found for name, (found, _) in counted.items()}
        if expect:
            compared = {name: compare(expect, split, *found) for name, found in counted.items()}
        if output_path is not None:
            values = {name: found.to_dict() for name, found in statistics.items()}
            for name, (_, report) in counted.items():
                if report is not None:
                    values[name]["report"] = report.to_dict()
            for name, comparisons in compared.items():
                values[name]["compared"] = [comparison.to_dict() for comparison in comparisons]
            write_json(values, output_path)
    print_statistics(statistics)
    for _, report in counted.values():
        if report is not None:
            print_report(report)
    for name, comparisons in compared.items():
        _print_comparisons(name, comparisons)
    if strict and any(c.result == "differs" for found in compared.values() for c in found):
        raise typer.Exit(1)


def stats(
    data: list[Path], *, format: str | None = None, lang: str = "en", spans_key: str = "gapdner"
) -> dict[str, "CorpusStatistics"]:
    """Count what corpora hold.

    data (list[Path]): .spacy files or folders of them, or input of a format; this is taken as
        whole documents.
    format (Optional[str]): Format of what is not .spacy; guessed if None.
    lang (str): Language of the tokeniser for what is not .spacy.
    spans_key (str): Prefix of the span groups.
    RETURNS (dict[str, CorpusStatistics]): By path.
    RAISES (GapDNERError): If something is missing or cannot be read.
    """
    counted = count_corpora(data, format=format, lang=lang, spans_key=spans_key)
    return {name: statistics for name, (statistics, _) in counted.items()}


def count_corpora(
    data: list[Path],
    *,
    format: str | None = None,
    expect: str | None = None,
    lang: str = "en",
    spans_key: str = "gapdner",
    **options: object,
) -> dict[str, tuple["CorpusStatistics", "Report | None"]]:
    """Count what corpora hold, and note what reading them reported.

    data (list[Path]): See `stats`.
    format (Optional[str]): See there.
    expect (Optional[str]): The corpus that they are compared with, which is the format of a
        folder if none is given.
    lang (str): See there.
    spans_key (str): See there.
    **options: What the formats' readers take beyond, see `spacy_gapdner.formats.read_records`.
    RETURNS (dict[str, tuple[CorpusStatistics, Optional[Report]]]): By path; no report for .spacy.
    RAISES (GapDNERError): If something is missing or cannot be read.
    """
    from ..analysis.statistics import CorpusStatistics
    from ..entities import get_spans_keys
    from ..formats import Report, blank_pipeline, read_records, to_docs

    nlp = blank_pipeline(lang)
    result = {}
    for path in data:
        statistics = CorpusStatistics()
        other_keys: set[str] = set()
        docbins = find_docbins(path) if format is None else []
        report = None if docbins else Report()
        docs: Iterator[Doc]
        if report is None:
            ignored = ("types", "ids") if expect else ("types", "ids", "split")
            unused = [name for name in ignored if options.get(name)]
            if unused:
                raise GapDNERError(
                    f"{path} is .spacy: --{' and --'.join(unused)} are for unconverted corpora."
                )
            docs = (doc for docbin in docbins for doc in read_docbin(docbin, nlp.vocab))
        else:
            default = expect if path.is_dir() else None
            records = read_records(path, report, format or default, **options)
            docs = to_docs(records, nlp, report, n_sents=0, spans_key=spans_key)
        for doc in docs:
            statistics.add(doc, spans_key)
            other_keys.update(get_spans_keys(doc))
        if not statistics.entities:
            hint = f" There are some under {', '.join(sorted(other_keys))}." if other_keys else ""
            msg.warn(f"No entities under the spans key {spans_key!r} in {path}.{hint}")
        result[str(path)] = statistics, report
    return result


def print_statistics(statistics: dict[str, "CorpusStatistics"]) -> None:
    """Print corpora side by side.

    statistics (dict[str, CorpusStatistics]): By column head; heads are left out if all empty.
    """
    columns = list(statistics.values())
    labels = sorted({label for column in columns for label in column.labels})

    def row(name: str, values: list[object]) -> tuple:
        return (name, *(str(value) for value in values))

    rows = [
        row("Docs", [c.docs for c in columns]),
        row("Documents", ["?" if c.documents is None else c.documents for c in columns]),
        row("Sentences", [c.sentences for c in columns]),
        row("  with entities", [c.entity_sentences for c in columns]),
        row("  with discontinuous ones", [c.discontinuous_sentences for c in columns]),
        row("Tokens", [c.tokens for c in columns]),
        row("Longest sentence", [max(c.sentence_lengths, default=0) for c in columns]),
        row("Entities", [c.entities for c in columns]),
        *(row(f"  {label}", [c.labels[label] for c in columns]) for label in labels),
        row(
            "Discontinuous",
            [f"{c.discontinuous} ({c.discontinuous_percent:.2f}%)" for c in columns],
        ),
        *(row(f"  {label}", [c.discontinuous_labels[label] for c in columns]) for label in labels),
        row("Overlapping", [c.overlapping for c in columns]),
        row("Nested", [c.nested for c in columns]),
        row("Same tokens, several types", [c.multi_type for c in columns]),
        row("Repeated", [c.duplicates for c in columns]),
        row("Crossing sentences", [c.crossing for c in columns]),
        row("Fragments: entities", [_histogram(c.fragments) for c in columns]),
        row("Gap length: gaps", [_histogram(c.gap_lengths) for c in columns]),
        row("Entity length: entities", [_histogram(c.entity_lengths) for c in columns]),
    ]
    header = ("", *statistics) if any(statistics) else None
    msg.table(rows, header=header, divider=header is not None, max_col=60)


def _print_comparisons(name: str, comparisons: list["Comparison"]) -> None:
    msg.divider(f"Published and found: {name}")
    rows = [
        (c.name, c.expected, "?" if c.found is None else c.found, c.result, c.hint or c.source)
        for c in comparisons
    ]
    header = ("", "published", "found", "result", "source, or what may explain it")
    msg.table([tuple(map(str, row)) for row in rows], header=header, divider=True, max_col=80)
    counts = Counter(c.result for c in comparisons)
    unknown = f", {counts['not known']} not known" if counts["not known"] else ""
    if counts["differs"]:
        msg.warn(f"{counts['differs']} of {len(comparisons)} figures differ{unknown}")
    else:
        msg.good(f"{counts['same']} figures are as published{unknown}")


def _histogram(counts: Counter[int], n_shown: int = 8) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:n_shown]]
    if len(ordered) > n_shown:
        rest = sum(counts[key] for key in ordered[n_shown:])
        shown.append(f"{ordered[n_shown]}-{ordered[-1]}: {rest}")
    return ", ".join(shown) or "-"
