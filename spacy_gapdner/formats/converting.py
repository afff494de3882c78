"""Read and write annotated text in any format, and convert between formats."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..components.pipelines import load_splitter
from ..components.sentencizer import LineBreaks
from ..components.sentencizer import blank_pipeline as blank_pipeline
from ..docs import DOC_LANG
from ..entities import DEFAULT_SPANS_KEY, get_entities, get_other_keys, set_entities
from ..errors import GapDNERError
from .brat import ANNOTATION_SUFFIXES
from .brat_lines import referent_of
from .docs import DOC_EXTRA, DOC_NAME, Alignment, doc_place, to_docs
from .files import skip_word_files
from .jsonl import document_values
from .languages import choose_tokenizer
from .outputs import check_apart
from .records import DOC_RELATIONS, UNSTORED, BratLine, Record
from .registry import ATTRS, FORMATS, Format, choose_output, get_format, guess_format
from .report import MISSING_TYPE, Place, Report, logging_drops


def read(
    path: str | Path,
    format: str | None = None,
    *,
    nlp: Language | None = None,
    lang: str | None = None,
    model: str | Path | None = None,
    n_sents: int = 0,
    types: tuple[str, ...] = (),
    report: Report | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
    alignment: Alignment = "expand",
    line_breaks: LineBreaks = "auto",
    **options: Any,
) -> Iterator[Doc]:
    """Read annotated text as Docs with entities, one document at a time.

    path (Union[str, Path]): A file or folder.
    format (Optional[str]): The format, such as "brat". Detected if None.
    nlp (Optional[Language]): A pipeline whose tokenizer and vocab are used, but no component.
    lang (Optional[str]): Language of the tokenizer if `nlp` is None. Defaults to English, or the
        language of the texts if that is clearly another one, which the report notes.
    model (Optional[Union[str, Path]]): A pipeline folder or package whose tokenizer and sentence
        boundaries are used instead of `nlp` and `lang`.
    n_sents (int): Sentences per Doc; 0 for complete documents. Docs in .spacy files are unchanged.
    types (tuple[str, ...]): Entity types to keep; all if empty.
    report (Optional[Report]): Collects what is dropped or repaired. If None, drops are logged.
    spans_key (str): Prefix of the span groups that store the entities.
    alignment (str): If a boundary is inside a token, "expand" or "contract" the fragment, "split"
        the token, or drop the entity with "strict".
    line_breaks (str): The line breaks that end a sentence: "keep" for all, "join" for none inside
        wrapped paragraphs, or "auto" to detect wrapped paragraphs. Not allowed with `model`.
    **options: Other options of the reader, such as `from_ents` and `from_spans` for .spacy.
    YIELDS (Doc): Docs with entities, sentence boundaries, and the document's name in
        ``doc.user_data["gapdner_document"]``.
    RAISES (GapDNERError): If the input cannot be read or an option is invalid.
    """
    if line_breaks not in get_args(LineBreaks):
        raise GapDNERError(f"Invalid line_breaks: {line_breaks!r}. Use auto, keep or join.")
    if model is not None and line_breaks != "auto":
        raise GapDNERError(f"{model} has its own sentence boundaries. Leave out line_breaks.")
    is_guessed = model is None and nlp is None and lang is None
    if model is not None:
        nlp = load_splitter(model)
    elif nlp is None:
        nlp = blank_pipeline(lang or "en", line_breaks)
    else:
        # without the components of a trained pipeline
        nlp, tokenizer = Language(nlp.vocab, max_length=10**9), nlp.tokenizer
        nlp.tokenizer = tokenizer
        nlp.add_pipe("gapdner_sentencizer", name="sentencizer", config={"line_breaks": line_breaks})
    path = Path(path)
    chosen = get_format(format or guess_format(path))
    assert chosen.reader is not None
    for key in options.keys() - {*chosen.options}:
        others = ", ".join(other.name for other in FORMATS.values() if key in other.options)
        hint = f" ({others} has it)" if others else ""
        raise GapDNERError(f"The format {chosen.name} has no option {key}{hint}.")
    known = {"vocab": nlp.vocab, "spans_key": spans_key, "n_sents": n_sents}
    known |= {"types": types} if types else {}
    options |= {key: value for key, value in known.items() if key in chosen.options}
    with logging_drops(report, path) as report:
        skip_word_files(path, report)
        records = chosen.reader(path, report, **options)
        if types and "types" not in options:
            records = _select_types(records, types, spans_key, report, path)
        if is_guessed:
            nlp, records = choose_tokenizer(nlp, records, line_breaks, report, path)
        yield from to_docs(
            records, nlp, report, n_sents=n_sents, alignment=alignment, spans_key=spans_key
        )


def load_docs(
    nlp: Language,
    path: str | Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    *,
    format: str | None = None,
    report: Report | None = None,
    **options: Any,
) -> Iterator[Doc]:
    """Load complete Docs with gold entities from any format that can be read.

    path (Union[str, Path]): A file or folder.
    format (Optional[str]): The format, such as "brat". Detected if None.
    nlp, spans_key, report: See `read`.
    **options: Other options of `read`, such as `types`.
    RETURNS (Iterator[Doc]): The Docs, read one at a time.
    RAISES (GapDNERError): Immediately if the path does not exist or its format is unknown; during
        iteration if the input cannot be read or contains no document.
    """
    # raises errors before the iteration
    chosen = get_format(format or guess_format(Path(path))).name
    docs = read(path, chosen, nlp=nlp, report=report, spans_key=spans_key, **options)
    return require_docs(docs, path)


def guess_data_language(path: str | Path, format: str | None = None) -> str:
    """RETURNS (str): The language whose rules `read` uses for a file or folder by default, or with
    which the Docs of .spacy files were tokenized.
    """
    doc = next(read(path, format, report=Report(skip=True)), None)
    return str(doc.user_data.get(DOC_LANG, "en")) if doc is not None else "en"


def write(
    docs: Doc | Iterable[Doc],
    path: str | Path,
    format: str | None = None,
    *,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write Docs with entities, one at a time. If one cannot be written, the output is unchanged.

    docs (Union[Doc, Iterable[Doc]]): The Docs. A .spacy file also contains their ``user_data``,
        such as the large output of a transformer, which spaCy's ``doc_cleaner`` removes.
    path (Union[str, Path]): The file or folder to write.
    format (Optional[str]): The format, such as "brat". If None, the file extension determines it:
        .spacy, .jsonl, .json (w2ner), .inline, .xml (bioc), .csv, .parquet, or none
        (a brat folder).
    spans_key (str): Prefix of the span groups that store the entities.
    report (Optional[Report]): Collects what the format cannot represent; it is logged if None.
    RETURNS (int): The number of documents, sentences (w2ner, inline) or entities (csv, parquet).
    RAISES (GapDNERError): If the format or path cannot be written, or a label is not allowed.
    """
    path, docs = Path(path), [docs] if isinstance(docs, Doc) else docs
    chosen = choose_output(path, format)
    assert chosen.writer is not None
    with logging_drops(report, path) as report:
        if chosen.loses:
            docs = _report_losses(docs, chosen, spans_key, report)
        return chosen.writer(docs, path, spans_key, report)


def convert(
    input: str | Path,
    output: str | Path,
    *,
    format: str | None = None,
    to: str | None = None,
    n_sents: int | None = None,
    alignment: Alignment | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
    strict: bool = False,
    skip: bool = False,
    on_doc: Callable[[Doc], object] | None = None,
    **options: Any,
) -> Report:
    """Convert annotated text from one format to another.

    input (Union[str, Path]): The file or folder to read.
    output (Union[str, Path]): The file or folder to write. It is unchanged if a Doc is invalid.
    format (Optional[str]): The format of the input, such as "brat". Detected if None.
    to (Optional[str]): The output's format; detected from its file extension if None.
    n_sents (Optional[int]): Sentences per Doc, each with the document's name; 0 for complete
        documents. None means 1 for .spacy and 0 for other formats.
    alignment (Optional[str]): How to align a boundary inside a token, see `read`. None means
        "expand" for formats with tokens (.spacy, w2ner, inline), which a pipeline learns from, and
        "split" for other formats, so that no boundary moves.
    spans_key (str): Prefix of the span groups that store the entities.
    strict (bool): Stop at the first item that would be dropped.
    skip (bool): Skip documents that cannot be read instead of stopping.
    on_doc (Optional[Callable[[Doc], object]]): Called with each Doc after it is written.
    **options: Other options of `read`: `lang` or `model`, `types`,
        `line_breaks`, and the options of the format's reader.
    RETURNS (Report): What was dropped, repaired or kept unchanged.
    RAISES (GapDNERError): If the input cannot be read or contains no document, the output format
        cannot represent it, or the output would overwrite the input.
    """
    input, output = Path(input), Path(output)
    # the text of a brat file is also read
    check_apart(output, input)
    if input.suffix in ANNOTATION_SUFFIXES:
        check_apart(output, input.with_suffix(".txt"))
    source, target = format or guess_format(input), choose_output(output, to)
    is_splitting = n_sents is not None or options.get("model") is not None
    if source == "spacy" and (is_splitting or options.get("line_breaks", "auto") != "auto"):
        raise GapDNERError(
            f"{input} is a .spacy file, whose sentences are already split. Leave out n_sents, "
            "model and line_breaks."
        )
    if strict and skip:
        raise GapDNERError("Use either strict or skip, not both.")
    if n_sents is None:
        n_sents = int(target.name == "spacy")
    options["alignment"] = alignment or ("expand" if target.has_tokens else "split")
    report = Report(strict=strict, skip=skip)
    docs = read(input, source, n_sents=n_sents, report=report, spans_key=spans_key, **options)

    def checked() -> Iterator[Doc]:
        for doc in require_docs(docs, input, report):
            yield doc
            if on_doc is not None:
                on_doc(doc)

    write(checked(), output, target.name, spans_key=spans_key, report=report)
    return report


def _report_losses(
    docs: Iterable[Doc], format: Format, spans_key: str, report: Report
) -> Iterator[Doc]:
    kept = ATTRS - format.loses
    for doc in docs:
        place, entities = doc_place(doc), get_entities(doc, spans_key)
        # an id that is the document's name is not lost
        named = {"id": doc.user_data.get(DOC_NAME)}
        stored = named if "metadata" in format.loses else document_values(doc)
        # data frames have null for missing values
        given = {k: v for k, v in doc.user_data.get(DOC_EXTRA, {}).items() if v is not None}
        lost = [k for k, v in given.items() if k not in stored or str(stored[k]) != str(v)]
        if lost:
            message = f"{format.name} cannot store {', '.join(map(repr, lost))} of the document"
            report.add("dropped", "document metadata", message, place)
        if "relations" in format.loses:
            # the kb_id of an entity can be a line of brat, too
            referents = {(e.id_, e.kb_id_) for e in entities} if "kb_id" in kept else set()
            for line in doc.user_data.get(DOC_RELATIONS, ()):
                if referent_of(line) not in referents:
                    BratLine(line, place).drop(report, kind=UNSTORED)
        for key in get_other_keys(doc, spans_key):
            if number := len(get_entities(doc, key)):
                message = f"{number} under {key!r:.80}"
                report.add("kept", "entities under another prefix", message, place)
        attrs = (a for entity in entities for a in entity.attrs.items())
        found = Counter(k for k, value in attrs if k not in kept and value not in (None, "", {}))
        for key, number in found.items():
            name = "attributes" if key == "_" else key
            message = f"{format.name} cannot store {name} of entities ({number})"
            report.add("dropped", f"{name} of a document's entities", message, place)
        yield doc


def require_docs(
    docs: Iterator[Doc], path: str | Path, report: Report | None = None
) -> Iterator[Doc]:
    """YIELDS (Doc): The Docs; a GapDNERError if there are none and no document was skipped."""
    first = next(docs, None)
    if first is not None:
        yield first
        yield from docs
    elif report is None or not report.skipped:
        raise GapDNERError(f"{path} contains no document with text. Check the path.")


def require_types(types: Collection[str], found: Collection[str], where: object) -> None:
    """Raise a GapDNERError if there are types, but none of the selected types."""
    if types and found and not {*found} & {*types}:
        raise GapDNERError(f"{where}: {_describe_missing(types, found)}.")


def _describe_missing(types: Collection[str], found: Collection[str]) -> str:
    listed = ", ".join(sorted(found))
    return f"no entity has the type {' or '.join(types)}. The types are {listed}"


def _select_types(
    records: Iterator[Any], types: tuple[str, ...], spans_key: str, report: Report, path: Path
) -> Iterator[Record]:
    found: set[str] = set()
    # records are held back until a type is found, so that the error precedes any prediction
    waiting: list[Any] = []
    for record in records:
        is_doc = isinstance(record, Doc)
        entities = get_entities(record, spans_key) if is_doc else record.entities
        given: list[Any] = [entity.to_entity() if is_doc else entity for entity in entities]
        wanted = tuple(entity for entity in given if entity.label in types)
        found.update(entity.label for entity in given)
        report.left_out.update(e.label for e in given if e.label not in types)
        if is_doc:
            set_entities(record, wanted, spans_key)
        waiting.append(record if is_doc else replace(record, entities=wanted))
        if not report.needs_types or not found.isdisjoint(types):
            yield from waiting
            waiting.clear()
    if report.needs_types:
        require_types(types, found, path)
    yield from waiting
    if found and (missing := [label for label in types if label not in found]):
        report.add("missing", MISSING_TYPE, _describe_missing(missing, found), Place(str(path)))
