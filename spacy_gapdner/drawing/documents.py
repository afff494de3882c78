"""HTML pages of documents with entities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities, set_entities
from ..errors import GapDNERError
from ..formats import FORMATS, Report, guess_format, read
from ..formats.converting import require_types
from ..formats.files import visible_files
from ..formats.outputs import check_apart, is_device, write_parts
from ..inference.loading import changed, find_pipe
from ..inference.predictions import predict_examples, predict_records
from ..inference.texts import STDIN, read_texts
from .bars import ENTITIES_CSS
from .colors import choose_colors
from .page import SEARCH_JS, render_page
from .render import render_documents, text_rows


def draw(
    input: str | Path,
    output: str | Path | None = None,
    *,
    nlp: Language | None = None,
    format: str | None = None,
    types: tuple[str, ...] = (),
    lang: str | None = None,
    spans_key: str | None = None,
    colors: Mapping[str, str] | None = None,
    batch_size: int | None = None,
    report: Report | None = None,
) -> int:
    """Draw annotated text, or the predictions of a pipeline.

    input (Union[str, Path]): A file or folder in any format. With a pipeline, it can also be raw
        text. See `spacy_gapdner.inference.texts.read_texts`.
    output (Optional[Union[str, Path]]): The HTML file to write. If None, the entities are printed.
    nlp (Optional[Language]): The pipeline. Its predictions are drawn next to gold entities, if any.
    format (Optional[str]): The format of the input. Detected if None.
    types (tuple[str, ...]): Types to draw, annotated and predicted. All types if empty.
    lang (Optional[str]): Language of the tokenizer if there is no pipeline. See
        `spacy_gapdner.formats.read`.
    spans_key (Optional[str]): Prefix of the span groups. Defaults to the pipe's `spans_key`.
    colors (Optional[Mapping[str, str]]): Colors by entity type.
    batch_size (Optional[int]): Docs per batch. Defaults to the batch size of the pipeline.
    report (Optional[Report]): Collects dropped and repaired entities.
    RETURNS (int): The number of Docs.
    RAISES (GapDNERError): If the input cannot be read, is raw text without a pipeline, or would be
        overwritten, or if a color is invalid.
    """
    input = Path(input)
    if output is not None:
        check_apart(output := Path(output), input)
        if output.suffix.lower() not in (".html", ".htm") and not is_device(output):
            raise GapDNERError(f"{output} is not an HTML file. Use a name that ends in .html.")
    # fail early if a color is invalid
    choose_colors((), colors)
    facts = [str(input)]
    is_raw = format is None and _is_raw(input, has_pipeline=nlp is not None)
    pipe = None if nlp is None else find_pipe(nlp, spans_key)
    key = spans_key or (DEFAULT_SPANS_KEY if pipe is None else pipe.key)
    given: dict[str, Any] = {"nlp": nlp, "lang": lang, "types": types, "report": report}
    with nullcontext() if pipe is None else changed(pipe, spans_key=key):
        if nlp is not None and is_raw:
            require_types(types, find_pipe(nlp, spans_key).labels, nlp.path or nlp.meta["name"])
            texts = read_texts(input, report)
            docs = predict_records(nlp, texts, batch_size=batch_size, report=report)
        else:
            docs = read(input, format, n_sents=0, spans_key=key, **given)
        rows: Iterator[tuple[Doc, ...]] = ((doc,) for doc in docs)
        if nlp is not None:
            facts.append(f"predictions of {nlp.path or nlp.meta['name']}")
            if not is_raw:
                examples = predict_examples(nlp, docs, batch_size)
                rows = ((example.reference, example.predicted) for example in examples)
            if types:
                rows = (_keep_types(row, types, key) for row in rows)
        if output is not None:
            return write_documents(rows, output, key, colors, facts=facts)
        n_docs = 0
        for drawing in text_rows(rows, key, colors):
            print(drawing, end="")
            n_docs += 1
        return n_docs


def write_html(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write documents as an HTML page. This is the writer of the format `html`."""
    return write_documents(((doc,) for doc in docs), path, spans_key)


def write_documents(
    rows: Iterable[tuple[Doc, ...]],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    colors: Mapping[str, str] | None = None,
    annotators: tuple[str, str] | None = None,
    facts: Sequence[str] = (),
) -> int:
    """Write documents, or gold and predicted documents side by side, as an HTML page, and return
    their number. If neither side is gold, `annotators` are the names of the two people, and only
    sentences with differences are drawn. `facts`, such as the file, head the page."""
    body, n_docs = render_documents(rows, spans_key, colors, annotators, facts)
    title = "Disagreements" if annotators else "Entities"
    write_parts(path, [render_page(title, body, ENTITIES_CSS, SEARCH_JS)])
    return n_docs


def _keep_types(docs: tuple[Doc, ...], types: tuple[str, ...], key: str) -> tuple[Doc, ...]:
    for doc in docs:
        set_entities(doc, [e for e in get_entities(doc, key) if e.label_ in types], key)
    return docs


def _is_raw(path: Path, has_pipeline: bool) -> bool:
    if path == STDIN:
        if not has_pipeline:
            raise GapDNERError("To draw raw text, specify a pipeline (--model).")
        return True
    try:
        guess_format(path)
    except GapDNERError as error:
        suffixes = {suffix for format in FORMATS.values() for suffix in format.suffixes} - {".txt"}
        if not path.exists() or (path.is_dir() and visible_files(path, tuple(suffixes))):
            raise
        if not has_pipeline:
            raise GapDNERError(
                f"{error} To draw raw text, specify a pipeline (--model)."
            ) from error
        return True
    return False
