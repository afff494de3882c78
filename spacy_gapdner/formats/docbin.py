"""Read and write .spacy files, spaCy's DocBin."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..entities import check_entity, get_entities, group_names, set_entities, to_entity
from ..errors import GapDNERError
from .docs import DOC_NAME, doc_place
from .files import input_files, require_file
from .outputs import replacing
from .report import Place, Report, reading


def read_docbin(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """YIELDS (Doc): The Docs of a .spacy file; a GapDNERError if it is missing or invalid."""
    require_file(path)
    if not path.stat().st_size:
        raise GapDNERError(f"{path} is empty. Convert the data again.")
    try:
        yield from DocBin().from_disk(path).get_docs(vocab)
    except OSError:
        raise
    # bytes of another kind can fail in zlib, msgpack or spaCy
    except Exception as error:
        raise GapDNERError(
            f"{path} is not a valid .spacy file ({type(error).__name__}). Convert the data again."
        ) from error


def write_docbin(docs: Iterable[Doc], path: Path) -> int:
    """Write Docs with ``doc.user_data`` to a .spacy file atomically, and return their number."""
    docbin = DocBin(store_user_data=True)
    for doc in docs:
        try:
            docbin.add(doc)
        except TypeError as error:
            raise GapDNERError(
                f"A component has set data in doc.user_data that cannot be saved ({error}). Remove "
                f"it before you write {path}."
            ) from error
    with replacing(path) as temporary:
        docbin.to_disk(temporary)
    return len(docbin)


def read_spacy(
    path: Path,
    report: Report,
    *,
    spans_key: str,
    vocab: Vocab,
    from_ents: bool = False,
    from_spans: str | None = None,
) -> Iterator[Doc]:
    """Read Docs unchanged from a .spacy file or a folder with .spacy files. `from_ents` imports the
    entities of ``doc.ents``, and `from_spans` each span of a group.
    """
    if from_ents and from_spans:
        raise GapDNERError("Use either from_ents or from_spans, not both.")
    groups: set[str] = set()
    for file in input_files(path, (".spacy",)):
        with reading(report, Place(str(file))):
            for doc in read_docbin(file, vocab):
                with reading(report, Place(str(file))):
                    groups.update(doc.spans)
                    name = str(doc.user_data.get(DOC_NAME) or doc.text[:20])
                    try:
                        if from_ents or from_spans:
                            _import_spans(doc, spans_key, from_spans, report)
                        for entity in get_entities(doc, spans_key):
                            check_entity(doc, entity.to_entity())
                    # a label is not in the strings of the file
                    except KeyError as error:
                        raise GapDNERError(
                            f"{file} is not a valid .spacy file: document {name!r} has a label "
                            "without its text. Convert the data again."
                        ) from error
                    # other components, such as spancat, may have written spans under the prefix
                    except ValueError as error:
                        raise GapDNERError(f"{file}, document {name!r}: {error}") from error
                    yield doc
    if from_spans and from_spans not in groups:
        there = ", ".join(map(repr, sorted(groups))) or "none"
        raise GapDNERError(f"{path} has no span group {from_spans!r}. It has {there}.")


def write_spacy(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .spacy file. See `write_docbin`."""
    if path.suffix != ".spacy":
        raise GapDNERError(f"The name of {path} does not end in .spacy. Add this extension.")
    return write_docbin(docs, path)


def _import_spans(doc: Doc, spans_key: str, group: str | None, report: Report) -> None:
    if set(group_names(doc, spans_key)) - {group}:
        raise GapDNERError(f"The spans_key {spans_key!r} already has entities. Choose another one.")
    spans = doc.ents if group is None else doc.spans.get(group, ())
    # the scores of spancat
    given = getattr(spans, "attrs", {}).get("scores", ())
    scores = map(float, given) if len(given) == len(spans) else [None] * len(spans)
    entities = []
    for span, score in zip(spans, scores, strict=True):
        if len(span) and span.label:
            entities.append(replace(to_entity(span), score=score))
    if missing := len(spans) - len(entities):
        message = f"{missing} of {len(spans)} spans are empty or have no label"
        report.add("dropped", "span without tokens or label", message, doc_place(doc))
    set_entities(doc, entities, spans_key)
