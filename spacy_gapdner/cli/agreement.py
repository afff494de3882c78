"""agreement: compute the agreement of two annotators, or of an annotator and a model."""

from pathlib import Path

import typer

from .. import analysis, formats
from ..errors import shorten
from . import _options as options
from ._util import counted, msg, percent, print_line, print_report, print_table, split_list

_FILES = ("agreement.json", "agreement.html")


def agreement_cli(
    first: Path = typer.Argument(metavar="A", help="Annotation in any format that convert reads"),
    second: Path = typer.Argument(
        metavar="B", help="Another annotation of the same texts, or the output of predict"
    ),
    types: str | None = options.TYPES,
    lang: str | None = options.DATA_LANG,
    spans_key: str = options.SPANS_KEY,
    output_path: Path | None = options.output(
        help="Folder for agreement.json and agreement.html, which shows both side by side"
    ),
    force: bool = options.FORCE,
    code: Path | None = options.CODE,
) -> None:
    """Compute the agreement between two annotations.

    Exact F1 compares the type and tokens of entities. Partial F1 ignores the type, except in
    the per-type rows, and gives half a point for an overlap. Both scores are symmetric."""
    from ..drawing.render import write_documents
    from ..formats.converting import require_types
    from ..formats.outputs import check_output, filling, write_json

    for file in _FILES:
        check_output(output_path and output_path / file, {"A": first, "B": second}, force=force)
    nlp = formats.blank_pipeline(lang or formats.guess_data_language(first))
    report = formats.Report(needs_types=False)
    kept = split_list(types)
    sides = (
        formats.load_docs(nlp, path, spans_key, types=kept, report=report)
        for path in (first, second)
    )
    found = analysis.agreement(*sides, spans_key=spans_key)
    names = str(first), str(second)
    require_types(kept, found.per_type.keys() | report.left_out, " and ".join(names))
    print_report(report)
    groups = {"All entities": found.all, "Discontinuous entities": found.discontinuous}
    groups |= {label: found.per_type[label] for label in sorted(found.per_type)}
    table = [
        (title, percent(m.exact.f), percent(m.partial.f), m.exact.gold, m.exact.predicted)
        for title, m in groups.items()
    ]
    print_table(table, ("", "Exact F1", "Partial F1", "Entities in A", "Entities in B"))
    for side, only in zip(names, found.only, strict=True):
        if only:
            listed = shorten(", ".join(only), 200)
            msg.warn(f"{counted(len(only), 'document')} only in {side}: {listed}")
    if found.text_differences:
        listed = shorten("; ".join(found.text_differences), 200)
        msg.warn(f"Documents with the same name but other texts are not compared: {listed}")
    if not found.per_type:
        msg.warn("Neither side has entities. Check --spans-key, or run stats.")
    n_differing = sum(any(pair.differing) for pair in found.pairs)
    differing = f"{n_differing} with differences" if n_differing else "no differences"
    print_line(f"{counted(len(found.pairs), 'document')} compared, {differing}")
    if output_path is not None:
        rows = (pair.docs for pair in found.pairs)
        scores = f"exact F1 {percent(found.all.exact.f)}", f"partial {percent(found.all.partial.f)}"
        with filling(output_path) as folder:
            write_json({"a": names[0], "b": names[1], **found.to_dict()}, folder / _FILES[0])
            write_documents(rows, folder / _FILES[1], spans_key, annotators=names, facts=scores)
        print(output_path / _FILES[1])
