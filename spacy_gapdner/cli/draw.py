"""draw: show annotated text, or the predictions of a trained pipeline."""

from collections.abc import Iterator
from pathlib import Path

import typer
from spacy.tokens import Doc

from .. import formats
from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from . import _options as options
from ._util import counted, msg, print_report, split_list


def draw_cli(
    input_path: Path = options.INPUT,
    output_path: Path | None = options.output(help="HTML file (default: print to the terminal)"),
    force: bool = options.FORCE,
    model: str | None = typer.Option(
        None, help="Trained pipeline, to compare its predictions with the annotation"
    ),
    format: str | None = options.format(help="Input format, see convert (default: detected)"),
    types: str | None = options.TYPES,
    lang: str | None = options.DATA_LANG,
    spans_key: str | None = options.spans_key(help="Prefix of the span groups with the entities"),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Draw entities in the terminal or as an HTML page.

    Fragments are underlined with solid lines, gaps with dotted lines. In the terminal, "+" marks
    predictions that are not annotated, and "-" marks annotations that are not predicted."""
    from ..drawing.render import text_rows, write_documents
    from ..formats.outputs import check_output, is_device
    from ..inference.loading import load_recognizer
    from ..inference.predictions import read_and_predict

    check_output(output_path, {"input": input_path, "model": model}, force=force)
    if model is None and threshold is not None:
        raise GapDNERError("--threshold requires --model.")
    is_page = output_path is None or output_path.suffix.lower() in (".html", ".htm")
    if output_path is not None and not is_page and not is_device(output_path):
        raise GapDNERError(f"{output_path} is not an HTML file. Use a name that ends in .html.")
    report, facts, kept = formats.Report(), [str(input_path)], split_list(types)
    rows: Iterator[tuple[Doc, ...]]
    if model is None:
        key = spans_key or DEFAULT_SPANS_KEY
        docs = formats.read(input_path, format, lang=lang, types=kept, report=report, spans_key=key)
        rows = ((doc,) for doc in docs)
    else:
        nlp, pipe = load_recognizer(model, gold_key=spans_key, threshold=threshold, gpu_id=gpu_id)
        key = spans_key or pipe.key
        facts.append(f"predictions of {nlp.path or nlp.meta['name']}")
        rows = read_and_predict(
            nlp,
            input_path,
            format,
            types=kept,
            spans_key=spans_key,
            batch_size=batch_size,
            report=report,
        )
    if output_path is None:
        for drawing in text_rows(rows, key):
            print(drawing, end="")
        print_report(report)
        return
    n_docs = write_documents(rows, output_path, key, facts=facts)
    print_report(report)
    msg.good(counted(n_docs, "Doc"))
    print(output_path)
