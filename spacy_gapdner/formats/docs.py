"""Convert records to Docs: tokens, sentences, and entities aligned to them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Literal, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..docs import DOC_LANG, cut_doc, get_sentences, make_doc, split_tokens
from ..entities import DEFAULT_SPANS_KEY, Entity, ensure_extensions, get_entities, set_entities
from ..errors import GapDNERError
from .brat_lines import keep_relations
from .records import DOC_LINE_IDS, DOC_RELATIONS, Record, TextEntity, TextRecord
from .report import Action, Place, Report, printable, reading

Alignment = Literal["expand", "contract", "strict", "split"]

# keys of doc.user_data: the name of the document, and the other values of its record in the file
DOC_NAME = "gapdner_document"
DOC_EXTRA = "gapdner_record"
_CROSSES = "entity crosses a sentence boundary"
SEVERAL = "entity in several sentences"
# the kind of issue for entities of whitespace tokens, which formats without them cannot represent
BLANK = "entity of whitespace"


def to_docs(
    records: Iterable[Record],
    nlp: Language,
    report: Report,
    *,
    n_sents: int = 0,
    alignment: Alignment = "expand",
    spans_key: str = DEFAULT_SPANS_KEY,
) -> Iterator[Doc]:
    """Make Docs with entities, one record at a time.

    records (Iterable[Union[TextRecord, Doc]]): The records of a reader. Docs are not changed.
    nlp (Language): The tokenizer and the component that sets sentence boundaries.
    report (Report): Counts documents and entities and collects issues.
    n_sents (int): Sentences per Doc; 0 for complete documents with their sentence boundaries.
    alignment (str): How to align a boundary inside a token: "expand" or "contract" the fragment to
        complete tokens, drop the entity with "strict", or "split" the token.
    spans_key (str): Prefix of the span groups that store the entities.
    YIELDS (Doc): Docs with entities, sentence boundaries, the document's name in
        ``doc.user_data[DOC_NAME]`` and, if the text was tokenized, the language of the rules in
        ``doc.user_data[DOC_LANG]``. The first Doc has the other values of the record.
    RAISES (GapDNERError): If an option is invalid, or a strict report drops an entity.
    """
    if n_sents < 0:
        raise GapDNERError(f"Invalid n_sents: {n_sents}. Use 0 (complete documents) or more.")
    if alignment not in get_args(Alignment):
        names = ", ".join(get_args(Alignment))
        raise GapDNERError(f"Invalid alignment: {alignment!r}. Use one of {names}.")

    previous = None
    for record in records:
        if isinstance(record, Doc):
            # a document can have a Doc for each sentence
            name = record.user_data.get(DOC_NAME)
            report.documents += name is None or name != previous
            report.entities += len(get_entities(record, spans_key))
            previous = name
            yield record
        else:
            report.documents += 1
            report.lang = nlp.lang
            with reading(report, Place(record.path, None, record.name)):
                yield from _from_text(record, nlp, report, n_sents, alignment, spans_key)


def doc_place(doc: Doc) -> Place:
    """RETURNS (Place): The place of a Doc in a report: its name."""
    # the caller's names can be numbers
    name = doc.user_data.get(DOC_NAME)
    return Place(None, None, None if name is None else str(name))


def _from_text(
    record: TextRecord,
    nlp: Language,
    report: Report,
    n_sents: int,
    alignment: Alignment,
    spans_key: str,
) -> Iterator[Doc]:
    for source in record.entities:
        # custom readers may not check offsets
        if not all(0 <= a < b <= len(record.text) for a, b in source.fragments):
            raise GapDNERError(
                f"{source.place if source.place.file else record.name}: {source.label} has "
                f"offsets outside the {len(record.text)} characters of its text: "
                f"{source.fragments}. Correct the reader."
            )
        ensure_extensions(source.attrs.get("_", ()))
    report.entities += len(record.entities)
    if not record.text.strip():
        place = Place(record.path, None, record.name)
        report.add("dropped", "document without text", f"{record.name} has no text", place)
        return
    tokens = make_doc(nlp, record.text)
    if alignment == "split":
        offsets = {i for source in record.entities for pair in source.fragments for i in pair}
        tokens = split_tokens(tokens, offsets)
    doc = nlp(tokens)
    if doc.text != record.text:
        raise GapDNERError(
            f"The tokenizer changes the text of {record.name}, so its offsets are invalid. "
            "Use one that keeps all characters, as spaCy's do."
        )
    cuts = [*[sentence.start for sentence in get_sentences(doc)][:: n_sents or len(doc)], len(doc)]
    parts: list[list[Entity]] = [[] for _ in cuts[1:]]
    homes: dict[str, int] = {}
    aligned: dict[Entity, TextEntity] = {}
    for source in record.entities:
        entity = _align(source, record.text, doc, alignment, report)
        if entity is None:
            continue
        number = bisect_right(cuts, entity.start) - 1
        other = aligned.setdefault(entity, source)
        if other is not source:
            message = f"has the same tokens as the one at {other.place}"
            _add_issue(report, "dropped", "duplicate entity after tokenization", message, source)
        elif entity.end <= cuts[number + 1]:
            parts[number].append(entity.shift(-cuts[number]))
            if source.id:
                homes[source.id] = number
        else:
            message = f"does not fit into {n_sents} sentence(s)"
            _add_issue(report, "dropped", _CROSSES, message, source)
    relations = keep_relations(record.relations, homes, len(parts), report)
    # without other annotation of the pipeline that splits sentences
    for number, part in enumerate(cut_doc(doc, pairwise(cuts), ["NORM", "SENT_START"])):
        set_entities(part, parts[number], spans_key)
        if relations[number]:
            part.user_data[DOC_RELATIONS] = relations[number]
        part.user_data[DOC_NAME] = printable(record.name)
        part.user_data[DOC_LANG] = nlp.lang
        if number == 0 and record.extra:
            part.user_data[DOC_EXTRA] = dict(record.extra)
        if len(parts) == 1 and record.line_ids:
            part.user_data[DOC_LINE_IDS] = record.line_ids
        yield part


def _align(
    source: TextEntity, text: str, doc: Doc, alignment: Alignment, report: Report
) -> Entity | None:
    mode = "strict" if alignment == "split" else alignment
    found = [doc.char_span(*pair, alignment_mode=mode) for pair in source.fragments]
    # contracted spans can be empty
    spans = [span for span in found if span]
    words = sorted({token.i for span in spans for token in span if not token.is_space})
    # doc.text would join all tokens again
    before = " ".join(text[start:end] for start, end in source.fragments)
    if not words or (alignment == "strict" and len(spans) < len(found)):
        message = f"{before!r} covers only part of a token"
        _add_issue(report, "dropped", "boundary within a token", message, source)
        return None
    # whitespace is not a gap
    gaps = (range(left + 1, right) for left, right in pairwise(words))
    blanks = (i for gap in gaps if all(doc[i].is_space for i in gap) for i in gap)
    entity = Entity.from_tokens(source.label, [*words, *blanks], source.score)
    moved = [doc[start:end] for start, end in entity.fragments]
    if tuple((span.start_char, span.end_char) for span in moved) != source.fragments:
        message = f"{before!r} -> {' '.join(span.text for span in moved)!r}"
        _add_issue(report, "repaired", "boundary moved to a token boundary", message, source)
    return replace(entity, attrs=source.entity_attrs)


def _add_issue(report: Report, action: Action, kind: str, message: str, source: TextEntity) -> None:
    report.add(action, kind, f"{source.label} {message}", source.place, source.fragments)
