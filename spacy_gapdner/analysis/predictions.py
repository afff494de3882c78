"""What a pipeline makes of texts and of annotated Docs."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, Any, TypeVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import GapDNERError
from ..formats import DOC_NAME, write
from ..formats.docs import DOC_EXTRA
from ..formats.jsonl import other_keys, to_line
from ..formats.registry import choose_output
from ..formats.report import UNREADABLE, Report
from ..scorer import Comparison, compare
from .texts import InputText, StandardInput
from .workers import Annotated, annotate_in_processes, annotate_texts

S = TypeVar("S", str, Doc)
T = TypeVar("T")

# Docs, each with the other keys of its input record
Predictions = Iterable[tuple[Doc, dict[str, Any]]]

# at BERT's width, a transformer's output for so many takes some 70 MB
_BATCH_CHARACTERS = 100_000
# after this many batches a memory zone frees what spaCy learned about words
_ZONE_BATCHES = 50


def predict(
    nlp: Language,
    texts: Iterable[str],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
    memory_zone: bool = False,
) -> Iterator[Doc]:
    """Run a pipeline over a stream of texts.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts; a few batches of them are asked for in advance.
    batch_size (Optional[int]): Texts per batch, fewer if they are long; the pipeline's own if None.
    n_process (int): Number of processes; -1 for one per core.
    memory_zone (bool): Free what spaCy learned about the words of the texts, so that memory does
        not grow with their number. A Doc is then valid only until the next is asked for. Several
        processes always do.
    YIELDS (Doc): Docs with entities, in the texts' order.
    """
    pairs = ((text, None) for text in texts)
    batches = batch_texts(pairs, batch_size or nlp.batch_size)
    for doc, _ in _annotate(nlp, batches, n_process, skip=False, memory_zone=memory_zone):
        assert isinstance(doc, Doc)
        yield doc


def predict_records(
    nlp: Language,
    records: Iterable[InputText],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
    report: Report | None = None,
    is_done: Callable[[InputText], bool] | None = None,
) -> Generator[tuple[Doc, dict[str, Any]], None, None]:
    """Run a pipeline over texts that come with names and other keys.

    nlp (Language): The pipeline.
    records (Iterable[InputText]): The texts.
    batch_size, n_process: See `predict`.
    report (Optional[Report]): Takes the texts at which the pipeline fails, if it leaves such out;
        else the pipeline's error is raised.
    is_done (Optional[Callable[[InputText], bool]]): Whether a text was done before. Such texts
        give no Doc, but stay in their batches, so that the scores of the others do not change.
    YIELDS (tuple[Doc, dict[str, Any]]): Docs in the texts' order, each valid until the next is
        asked for, with what else their records hold. The name is in
        ``doc.user_data["gapdner_document"]``.
    """
    parts = records.parts() if isinstance(records, StandardInput) else [records]
    batches = (
        batch
        for part in parts
        for batch in batch_texts(
            ((r.text, (r, is_done is not None and is_done(r))) for r in part),
            batch_size or nlp.batch_size,
        )
        if not all(done for _, (_, done) in batch)
    )
    skip = report is not None and report.skip
    with closing(_annotate(nlp, batches, n_process, skip=skip, memory_zone=True)) as annotated:
        for doc, (record, done) in annotated:
            if isinstance(doc, Doc) and not done:
                # nothing that other pipes left there, such as a transformer's output
                doc.user_data = {} if record.name is None else {DOC_NAME: record.name}
                yield doc, record.extra
            elif isinstance(doc, str) and report is not None and not done:
                report.add("dropped", UNREADABLE, doc, record.place)


def write_predictions(
    predictions: Predictions, path: Path, format: str | None, spans_key: str, report: Report
) -> int:
    """Write predictions with the other keys of their records; see `spacy_gapdner.formats.write`."""
    format = choose_output(path, format).name

    def docs() -> Iterator[Doc]:
        for doc, record in predictions:
            extra = other_keys(record)
            # an id alone is the document's name
            if format == "jsonl" or extra.keys() - {"id"}:
                doc.user_data[DOC_EXTRA] = extra
            yield doc

    return write(docs(), path, format, spans_key=spans_key, report=report)


def write_lines(predictions: Predictions, stream: IO[bytes], spans_key: str) -> None:
    """Write predictions as JSONL and flush each line, so that readers of the stream only find
    complete lines, even if this process is killed.
    """
    for doc, extra in predictions:
        stream.write(to_line(doc, spans_key, extra).encode("utf-8"))
        stream.flush()


def _annotate(
    nlp: Language,
    batches: Iterator[list[tuple[str, T]]],
    n_process: int,
    *,
    skip: bool,
    memory_zone: bool,
) -> Generator[tuple[Annotated, T], None, None]:
    if n_process != 1:
        yield from annotate_in_processes(nlp, batches, n_process=n_process, skip=skip)
        return
    for first in batches:
        with nlp.memory_zone() if memory_zone else nullcontext():
            for batch in chain([first], islice(batches, _ZONE_BATCHES - 1)):
                texts, contexts = zip(*batch, strict=True)
                yield from zip(annotate_texts(nlp, list(texts), skip=skip), contexts, strict=True)


def batch_texts(pairs: Iterable[tuple[S, T]], size: int) -> Iterator[list[tuple[S, T]]]:
    """YIELDS (list[tuple[Union[str, Doc], T]]): Batches of `size` texts or Docs, fewer if they are
    long, each with any object.
    """
    batch: list[tuple[S, T]] = []
    total = 0
    for text, context in pairs:
        batch.append((text, context))
        total += len(text) if isinstance(text, str) else len(text.text)
        if len(batch) == size or total >= _BATCH_CHARACTERS:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def without_annotation(reference: Doc, nlp: Language) -> Doc:
    """Make the Doc that a pipeline is to annotate, as spacy.Corpus.v1 does in training.

    reference (Doc): The annotated Doc. Its tokens are kept if its spaces are unknown.
    nlp (Language): The pipeline.
    RETURNS (Doc): Text and tokens alone.
    """
    if not reference.has_unknown_spaces:
        return nlp.make_doc(reference.text)
    words = [token.text for token in reference]
    spaces = [bool(token.whitespace_) for token in reference]
    return Doc(nlp.vocab, words=words, spaces=spaces)


def predict_examples(
    nlp: Language, docs: Iterable[Doc], batch_size: int | None = None
) -> Iterator[Example]:
    """Run a pipeline on annotated Docs, one batch in memory at a time.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities.
    batch_size (Optional[int]): Docs per batch, fewer if they are long; the pipeline's own if None.
    YIELDS (Example): Prediction and reference, in the Docs' order.
    """
    pairs = ((without_annotation(reference, nlp), reference) for reference in docs)
    size = batch_size or nlp.batch_size
    for batch in batch_texts(pairs, size):
        for predicted, reference in nlp.pipe(batch, as_tuples=True, batch_size=size):
            yield Example(predicted, reference)


def pair_examples(predicted: Iterable[Doc], gold: Iterable[Doc], source: str) -> Iterator[Example]:
    """YIELDS (Example): Predictions that were made before, beside the gold annotation of the same
    Docs; a GapDNERError, which names their source, if there are more of the one than of the other.
    """
    for prediction, reference in zip_longest(predicted, gold):
        if prediction is None or reference is None:
            raise GapDNERError(f"{source} does not have as many documents as the data.")
        yield Example(prediction, reference)


def compare_examples(examples: Iterable[Example], key: str) -> Iterator[tuple[Example, Comparison]]:
    """Make the entities of examples comparable.

    examples (Iterable[Example]): Predictions and references.
    key (str): Prefix of the span groups.
    YIELDS (tuple[Example, Comparison]): Each example with its gold and predicted entities.
    RAISES (GapDNERError): If an entity's labels or the texts differ, with the document's number.
    """
    for number, example in enumerate(examples, start=1):
        try:
            compared = compare(example, key)
        except ValueError as error:
            raise GapDNERError(f"Document {number}: {error}") from None
        yield example, compared
