"""stats: what corpora hold, in numbers."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ._util import clean_errors, find_docbins, read_docbin, write_json

if TYPE_CHECKING:
    from ..analysis.statistics import CorpusStatistics


def stats_cli(
    data: list[Path] = typer.Argument(..., help=".spacy files, or anything that convert reads"),
    format: str | None = typer.Option(
        None, "--format", "-f", help="Format of what is not .spacy; guessed if not given"
    ),
    lang: str = typer.Option(
        "en", "--lang", "-l", help="Language of the tokeniser for what is not .spacy"
    ),
    spans_key: str = typer.Option(
        "gapdner", "--spans-key", "-sk", help="Prefix of the span groups that hold the entities"
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="JSON file for the numbers"
    ),
) -> None:
    """Count documents, entities, fragments, gaps and overlaps, one column per DATA."""
    with clean_errors():
        statistics = stats(data, format=format, lang=lang, spans_key=spans_key)
        if output_path is not None:
            write_json({name: s.to_dict() for name, s in statistics.items()}, output_path)
    print_statistics(statistics)


def stats(
    data: list[Path], *, format: str | None = None, lang: str = "en", spans_key: str = "gapdner"
) -> dict[str, "CorpusStatistics"]:
    """Count what corpora hold.

    data (list[Path]): .spacy files or folders of them, or input of a format; this is taken as
        whole documents.
    format (Optional[str]): Format of what is not .spacy; guessed if None.
    lang (str): Language of the tokeniser for what is not .spacy.
    spans_key (str): Prefix of the span groups that hold the entities.
    RETURNS (dict[str, CorpusStatistics]): By path.
    RAISES (FormatError): If something is missing or cannot be read.
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
        if docbins:
            docs = (doc for docbin in docbins for doc in read_docbin(docbin, nlp.vocab))
        else:
            report = Report()
            records = read_records(path, report, format)
            docs = to_docs(records, nlp, report, n_sents=0, spans_key=spans_key)
        for doc in docs:
            statistics.add(doc, spans_key)
            other_keys.update(get_spans_keys(doc))
        if not statistics.entities:
            hint = f" There are some under {', '.join(sorted(other_keys))}." if other_keys else ""
            msg.warn(f"No entities under the spans key {spans_key!r} in {path}.{hint}")
        result[str(path)] = statistics
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
        row("Crossing sentences", [c.crossing for c in columns]),
        row("Fragments: entities", [_histogram(c.fragments) for c in columns]),
        row("Gap length: gaps", [_histogram(c.gap_lengths) for c in columns]),
        row("Entity length: entities", [_histogram(c.entity_lengths) for c in columns]),
    ]
    header = ("", *statistics) if any(statistics) else None
    msg.table(rows, header=header, divider=header is not None, max_col=60)


def _histogram(counts: Counter[int], n_shown: int = 8) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:n_shown]]
    if len(ordered) > n_shown:
        rest = sum(counts[key] for key in ordered[n_shown:])
        shown.append(f"{ordered[n_shown]}-{ordered[-1]}: {rest}")
    return ", ".join(shown) or "-"
