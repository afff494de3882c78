"""Records -> Docs: tokens, sentences, and entities aligned to them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice, pairwise
from typing import Literal, cast, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, Entity, get_entities, set_entities
from ..errors import GapDNERError
from ..sentences import make_doc
from .records import Record, TextEntity, TextRecord, TokenRecord
from .relations import DOC_RELATIONS, keep_relations
from .report import Action, Place, Report, printable

Alignment = Literal["expand", "contract", "strict"]

# in doc.user_data: the name of the document a Doc was made from
DOC_NAME = "gapdner_document"
# and what else its record in a file holds
DOC_EXTRA = "gapdner_record"


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

    A TokenRecord is one sentence. Those that name no document become one Doc each, whatever
    `n_sents`. A Doc stays as it is.

    records (Iterable[Record]): What a reader gives.
    nlp (Language): Tokenizes and splits sentences; `blank_pipeline` makes one.
    report (Report): Counts documents and entities and takes the issues.
    n_sents (int): Sentences per Doc; 0 for whole documents with their sentence boundaries.
    alignment (str): What to do with a boundary within a token: "expand" or "contract" the
        fragment to whole tokens, or drop the entity with "strict".
    spans_key (str): Prefix of the span groups that hold the entities.
    YIELDS (Doc): Docs with entities, sentence boundaries, and the document's name in
        ``doc.user_data[DOC_NAME]``. What else its record holds is the first Doc's alone.
    RAISES (GapDNERError): If an option is wrong, or at the first dropped entity if the report
        is strict.
    """
    if n_sents < 0:
        raise GapDNERError(f"n_sents must be 0 (whole documents) or more, but is {n_sents}.")
    if alignment not in get_args(Alignment):
        raise GapDNERError(
            f"Unknown alignment {alignment!r}: choose {', '.join(get_args(Alignment))}."
        )

    def document_of(record: Record) -> str | None:
        # the sentences of one document become Docs together
        return record.document if isinstance(record, TokenRecord) else None

    for document, group in groupby(records, document_of):
        if document is not None:
            report.documents += 1
            yield from _sentence_docs(document, group, nlp, report, n_sents, spans_key)
            continue
        for record in group:
            report.documents += 1
            if isinstance(record, Doc):
                report.entities += len(get_entities(record, spans_key))
                yield record
            elif isinstance(record, TokenRecord):
                yield from _sentence_docs(record.name, iter([record]), nlp, report, 1, spans_key)
            else:
                report.entities += len(record.entities)
                docs = _text_docs(record, nlp, report, n_sents, alignment, spans_key)
                for number, doc in enumerate(docs):
                    doc.user_data[DOC_NAME] = printable(record.name)
                    if number == 0 and record.extra:
                        doc.user_data[DOC_EXTRA] = dict(record.extra)
                    yield doc


def _align_all(
    doc: Doc, entities: Iterable[TextEntity], report: Report, alignment: Alignment
) -> list[tuple[Entity, TextEntity]]:
    # entities in token offsets, each with what it was made from; without duplicates
    text = doc.text
    aligned: dict[Entity, TextEntity] = {}
    for source in entities:
        entity = _align(source, doc, text, alignment, report)
        if entity in aligned:
            message = f"{source.label} has the same tokens as the one at {aligned[entity].place}"
            _note(report, "dropped", "duplicate entity after tokenization", message, source)
        elif entity is not None:
            aligned[entity] = source
    return list(aligned.items())


def doc_place(doc: Doc) -> Place:
    """RETURNS (Place): A Doc's place in a report: its name."""
    return Place(None, None, doc.user_data.get(DOC_NAME))


def doc_sentences(
    doc: Doc, spans_key: str, report: Report
) -> Iterator[tuple[tuple[str, ...], list[Entity]]]:
    """Take a Doc apart for formats of tokenized sentences.

    doc (Doc): The Doc. One without sentence boundaries is one sentence.
    spans_key (str): Prefix of the span groups.
    report (Report): Takes the entities that no sentence holds.
    YIELDS (tuple[tuple[str, ...], list[Entity]]): The tokens of a sentence, and its entities in
        offsets of these.
    """
    sentences = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    bounds = [(s.start, s.end) for s in sentences if len(s)]
    starts = [start for start, _ in bounds]
    held: list[list[Entity]] = [[] for _ in bounds]
    for entity in [found.to_entity() for found in get_entities(doc, spans_key)]:
        number = bisect_right(starts, entity.start) - 1
        if entity.end <= bounds[number][1]:
            held[number].append(entity.shift(-starts[number]))
        else:
            message = f"no sentence holds {entity.label} at tokens {entity.fragments}"
            kind = "entity crosses a sentence boundary"
            report.add("dropped", kind, message, doc_place(doc), entity.fragments)
    for (start, end), inside in zip(bounds, held, strict=True):
        yield tuple(token.text for token in doc[start:end]), inside


def _sentence_docs(
    name: str,
    records: Iterator[Record],
    nlp: Language,
    report: Report,
    n_sents: int,
    spans_key: str,
) -> Iterator[Doc]:
    while part := list(islice(records, n_sents or None)):
        words: list[str] = []
        sent_starts: list[bool | int | None] = []
        entities: list[Entity] = []
        for record in cast(list[TokenRecord], part):
            entities.extend(entity.shift(len(words)) for entity in record.entities)
            words.extend(record.tokens)
            sent_starts += [True] + [False] * (len(record.tokens) - 1)
        # with unknown spaces, spacy.Corpus.v1 keeps these tokens instead of tokenizing anew
        doc = Doc(nlp.vocab, words=words, sent_starts=sent_starts)
        doc.user_data[DOC_NAME] = printable(name)
        set_entities(doc, entities, spans_key)
        report.entities += len(entities)
        yield doc


def _text_docs(
    record: TextRecord,
    nlp: Language,
    report: Report,
    n_sents: int,
    alignment: Alignment,
    spans_key: str,
) -> Iterator[Doc]:
    if not record.text.strip():
        place = Place(record.path, None, record.name)
        report.add("kept", "document without text", f"{record.name} has no text", place)
        return
    doc = nlp(make_doc(nlp, record.text))
    if doc.text != record.text:
        raise GapDNERError(
            f"The tokenizer changes the text of {record.name}, so no offset holds. Use one that "
            "keeps every character, as spaCy's own do."
        )
    pairs = _align_all(doc, record.entities, report, alignment)
    cuts = [*[sentence.start for sentence in doc.sents][:: n_sents or len(doc)], len(doc)]
    held: list[list[Entity]] = [[] for _ in cuts[1:]]
    homes: dict[str, int] = {}
    for entity, source in pairs:
        number = bisect_right(cuts, entity.start) - 1
        if entity.end <= cuts[number + 1]:
            held[number].append(entity.shift(-cuts[number]))
            homes[source.id or ""] = number
        else:
            message = f"{source.label} does not fit into {n_sents} sentence(s)"
            _note(report, "dropped", "entity crosses a sentence boundary", message, source)
    relations = keep_relations(record.relations, homes, len(held), report)
    for part, inside, lines in zip(_cut(doc, cuts), held, relations, strict=True):
        set_entities(part, inside, spans_key)
        if lines:
            part.user_data[DOC_RELATIONS] = lines
        yield part


def _cut(doc: Doc, cuts: list[int]) -> Iterator[Doc]:
    if len(cuts) == 2:
        yield doc
        return
    words = [token.text for token in doc]
    spaces = [bool(token.whitespace_) for token in doc]
    sent_starts: list[bool | int | None] = [bool(token.is_sent_start) for token in doc]
    for start, end in pairwise(cuts):
        part = slice(start, end)
        yield Doc(doc.vocab, words=words[part], spaces=spaces[part], sent_starts=sent_starts[part])


def _align(
    source: TextEntity, doc: Doc, text: str, alignment: Alignment, report: Report
) -> Entity | None:
    tokens: list[int] = []
    moved: list[str] = []
    n_kept = 0
    for start, end in source.fragments:
        span = doc.char_span(start, end, alignment_mode="expand")
        # None only for offsets beyond the text, which readers drop
        assert span is not None
        if (span.start_char, span.end_char) != (start, end):
            if alignment == "strict":
                message = f"{text[start:end]!r} is not whole tokens, but part of {span.text!r}"
                _note(report, "dropped", "boundary within a token", message, source)
                return None
            if alignment == "contract":
                span = doc.char_span(start, end, alignment_mode="contract")
            moved.append(f"{text[start:end]!r} -> {span.text if span else ''!r}")
        if span:
            tokens.extend(range(span.start, span.end))
            n_kept += 1
    if not tokens:
        message = f"{source.label} {', '.join(moved)}: no whole token"
        _note(report, "dropped", "no whole token", message, source)
        return None
    if moved:
        message = f"{source.label} {', '.join(moved)}"
        _note(report, "repaired", "boundary moved to whole tokens", message, source)
    entity = Entity.from_tokens(source.label, tokens, source.score)
    if len(entity.fragments) < n_kept:
        message = f"{source.label} has {n_kept} fragments, but {len(entity.fragments)} in tokens"
        _note(report, "repaired", "fragments adjacent after tokenization", message, source)
    return replace(entity, attrs=source.carried)


def _note(report: Report, action: Action, kind: str, message: str, source: TextEntity) -> None:
    report.add(action, kind, message, source.place, source.fragments)
