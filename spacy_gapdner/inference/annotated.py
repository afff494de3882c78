"""Read annotated text, and run a pipeline on the same text."""

from collections.abc import Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities, set_entities
from ..errors import GapDNERError
from ..formats import FORMATS, Report, guess_format, read
from ..formats.converting import require_types
from ..formats.files import visible_files
from .loading import find_pipe, temporary_settings
from .predictions import predict_examples, predict_records
from .texts import STDIN, read_texts


def read_or_predict(
    input: str | Path,
    *,
    nlp: Language | None = None,
    format: str | None = None,
    types: tuple[str, ...] = (),
    lang: str | None = None,
    spans_key: str | None = None,
    batch_size: int | None = None,
    report: Report | None = None,
) -> Iterator[tuple[Doc, ...]]:
    """Read annotated text, predict raw text, or both, to draw the Docs.

    input (Union[str, Path]): A file or folder in any format. With a pipeline, it can also be raw
        text. See `spacy_gapdner.inference.texts.read_texts`.
    nlp (Optional[Language]): The pipeline.
    format (Optional[str]): The format of the input. Detected if None.
    types (tuple[str, ...]): Types to keep, annotated and predicted. All types if empty.
    lang (Optional[str]): Language of the tokenizer if there is no pipeline. See
        `spacy_gapdner.formats.read`.
    spans_key (Optional[str]): Prefix of the span groups. Defaults to the pipe's `spans_key`.
    batch_size (Optional[int]): Docs per batch. Defaults to the batch size of the pipeline.
    report (Optional[Report]): Collects dropped and repaired entities.
    YIELDS (tuple[Doc, ...]): An annotated or predicted Doc, or an annotated Doc and its prediction.
    RAISES (GapDNERError): If the input cannot be read, or is raw text without a pipeline.
    """
    input = Path(input)
    is_raw = format is None and _is_raw(input, has_pipeline=nlp is not None)
    if nlp is None:
        key = spans_key or DEFAULT_SPANS_KEY
        docs = read(input, format, lang=lang, types=types, report=report, spans_key=key)
        yield from ((doc,) for doc in docs)
        return
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    with temporary_settings(pipe, spans_key=key):
        if is_raw:
            require_types(types, pipe.labels, nlp.path or nlp.meta["name"])
            texts = read_texts(input, report)
            docs = predict_records(nlp, texts, batch_size=batch_size, report=report)
            rows: Iterator[tuple[Doc, ...]] = ((doc,) for doc in docs)
        else:
            docs = read(input, format, nlp=nlp, types=types, report=report, spans_key=key)
            examples = predict_examples(nlp, docs, batch_size)
            rows = ((example.reference, example.predicted) for example in examples)
        yield from (_keep_types(row, types, key) for row in rows)


def _keep_types(docs: tuple[Doc, ...], types: tuple[str, ...], key: str) -> tuple[Doc, ...]:
    for doc in docs if types else ():
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
