"""Records -> Docs: tokens, sentences, and entities aligned to them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import (
    DEFAULT_SPANS_KEY,
    Entity,
    get_entities,
    set_entities,
)
from ..errors import GapDNERError
from ..sentences import make_doc
from .records import Record, TextEntity, TextRecord, TokenRecord
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
    nlp (Language): Tokenises and splits sentences; `blank_pipeline` makes one.
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
    last_document = None
    for item in _group_sentences(records, n_sents):
        if isinstance(item, Doc):
            report.documents += 1
            report.entities += len(get_entities(item, spans_key))
            yield item
            continue
        if isinstance(item, TextRecord):
            name, entities = item.name, len(item.entities)
            report.documents += 1
            docs = _text_docs(item, nlp, report, n_sents, alignment, spans_key)
        else:
            document = item[0].document
            name, entities = document or item[0].name, sum(len(r.entities) for r in item)
            report.documents += document is None or document != last_document
            last_document = document
            docs = iter([_token_doc(item, nlp, spans_key)])
        report.entities += entities
        for number, doc in enumerate(docs):
            doc.user_data[DOC_NAME] = printable(name)
            if number == 0 and isinstance(item, TextRecord) and item.extra:
                doc.user_data[DOC_EXTRA] = dict(item.extra)
            yield doc


def align_entities_to_tokens(
    doc: Doc, entities: Iterable[TextEntity], report: Report, alignment: Alignment = "expand"
) -> list[tuple[Entity, TextEntity]]:
    """Find the tokens of entities.

    doc (Doc): The tokenised text.
    entities (Iterable[TextEntity]): Entities with fragments as TextEntity promises them.
    report (Report): Takes what alignment changed or dropped.
    alignment (str): "expand", "contract" or "strict", see `to_docs`.
    RETURNS (list[tuple[Entity, TextEntity]]): Entities in token offsets, each with what it was
        made from; without duplicates.
    """
    # Doc.text is put together anew each time
    text = doc.text
    aligned: dict[Entity, TextEntity] = {}
    for source in entities:
        entity = _align(source, doc, text, alignment, report)
        if entity is None:
            continue
        if entity in aligned:
            other = aligned[entity]
            message = f"{source.label} has the same tokens as the one at {other.place}"
            message += source.lost_to(other)
            _note(report, "dropped", "duplicate entity after tokenisation", message, source)
            continue
        aligned[entity] = source
    return list(aligned.items())


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
            f"The tokeniser changes the text of {record.name}, so no offset holds. Use one that "
            "keeps every character, as spaCy's own do."
        )
    pairs = align_entities_to_tokens(doc, record.entities, report, alignment)
    starts = [sentence.start for sentence in doc.sents]
    for entity, source in pairs:
        crosses = bisect_right(starts, entity.start) != bisect_right(starts, entity.end - 1)
        if crosses and n_sents == 0:
            message = f"{source.label} is held by no sentence, only by the document"
            _note(report, "kept", "entity crosses a sentence boundary", message, source)
    if n_sents == 0:
        set_entities(doc, [entity for entity, _ in pairs], spans_key)
        yield doc
        return
    cuts = [*starts[::n_sents], len(doc)]
    held: list[list[Entity]] = [[] for _ in cuts[1:]]
    for entity, source in pairs:
        number = bisect_right(cuts, entity.start) - 1
        if entity.end <= cuts[number + 1]:
            held[number].append(entity.shift(-cuts[number]))
        else:
            message = f"{source.label} does not fit into {n_sents} sentence(s)"
            _note(report, "dropped", "entity crosses a sentence boundary", message, source)
    words = [token.text for token in doc]
    spaces = [bool(token.whitespace_) for token in doc]
    sent_starts: list[bool | int | None] = [bool(token.is_sent_start) for token in doc]
    for number, inside in enumerate(held):
        part = slice(cuts[number], cuts[number + 1])
        cut = Doc(doc.vocab, words=words[part], spaces=spaces[part], sent_starts=sent_starts[part])
        set_entities(cut, inside, spans_key)
        yield cut


def _group_sentences(
    records: Iterable[Record], n_sents: int
) -> Iterator[TextRecord | Doc | list[TokenRecord]]:
    # what becomes one Doc: sentences of one document, or a record alone
    group: list[TokenRecord] = []
    for record in records:
        if isinstance(record, TextRecord | Doc):
            if group:
                yield group
                group = []
            yield record
            continue
        if group and record.document != group[0].document:
            yield group
            group = []
        group.append(record)
        if record.document is None or len(group) == n_sents:
            yield group
            group = []
    if group:
        yield group


def _token_doc(records: list[TokenRecord], nlp: Language, spans_key: str) -> Doc:
    # with unknown spaces, spacy.Corpus.v1 keeps these tokens instead of tokenising the text anew
    words: list[str] = []
    sent_starts: list[bool | int | None] = []
    entities: list[Entity] = []
    for record in records:
        entities.extend(entity.shift(len(words)) for entity in record.entities)
        words.extend(record.tokens)
        sent_starts += [True] + [False] * (len(record.tokens) - 1)
    doc = Doc(nlp.vocab, words=words, sent_starts=sent_starts)
    set_entities(doc, entities, spans_key)
    return doc


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
    entity = replace(entity, attrs=source.carried)
    if len(entity.fragments) < n_kept:
        message = f"{source.label} has {n_kept} fragments, but {len(entity.fragments)} in tokens"
        _note(report, "repaired", "fragments adjacent after tokenisation", message, source)
    return entity


def _note(report: Report, action: Action, kind: str, message: str, source: TextEntity) -> None:
    report.add(action, kind, message, source.place, source.fragments)
