"""Records -> Docs: tokens, sentences, and entities aligned to them."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from numbers import Real
from pathlib import Path
from typing import Literal, get_args

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import (
    DEFAULT_SPANS_KEY,
    DiscontinuousEntity,
    Entity,
    are_fragments,
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
    n_sents: int = 1,
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
        ``doc.user_data[DOC_NAME]``.
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
        for doc in docs:
            doc.user_data[DOC_NAME] = printable(name)
            if isinstance(item, TextRecord) and item.extra:
                doc.user_data[DOC_EXTRA] = dict(item.extra)
            yield doc


def check_stored(doc: Doc, spans_key: str, path: Path) -> None:
    """Make sure that a Doc of a file holds what the package writes, whoever has written it.

    doc (Doc): The Doc.
    spans_key (str): Prefix of the span groups that hold the entities.
    path (Path): The file, for the message.
    RAISES (GapDNERError): If a span group is no entity, or what it carries, the Doc's name or its
        record is of another type than it must be.
    """
    name, record = doc.user_data.get(DOC_NAME, ""), doc.user_data.get(DOC_EXTRA, {})
    where = f"{path}, document {str(name or doc.text[:20])!r}"
    if not isinstance(name, str) or not isinstance(record, dict):
        raise GapDNERError(f"{where}: its name is no text, or its record no dict. Make it anew.")
    try:
        entities = get_entities(doc, spans_key)
    except ValueError as error:
        raise GapDNERError(f"{where}: {error}") from None
    for entity in entities:
        texts = [entity.attrs.get(key, "") for key in ("id", "kb_id", "kb_name")]
        values, score = entity.attrs.get("_", {}), entity.score
        if not entity.label_:
            problem = "no label"
        elif not are_fragments(entity.spans):
            problem = "a fragment that is empty or overlaps another"
        elif not all(isinstance(text, str) for text in texts):
            problem = "an id that is no text"
        elif not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            problem = "attributes without names"
        elif not isinstance(score, Real | None) or not 0 <= (score or 0) <= 1:
            problem = f"the score {score!r:.60}, which does not lie between 0 and 1"
        else:
            continue
        raise GapDNERError(
            f"{where}: the entity at tokens {entity.fragments} has {problem}. Correct it with "
            "spacy_gapdner.set_entities."
        )


def name_entities(entities: Sequence[DiscontinuousEntity]) -> list[str]:
    """Choose the ids of a document's entities in a file.

    entities (Sequence[DiscontinuousEntity]): The entities.
    RETURNS (list[str]): The id that an entity has, where no other has it too; else T1, T2, ...,
        as far as they are free.
    """
    given = Counter(entity.id_ for entity in entities if entity.id_)
    free = (name for number in count(1) if (name := f"T{number}") not in given)
    return [e.id_ if given[e.id_] == 1 else next(free) for e in entities]


def doc_sentences(
    doc: Doc, spans_key: str, report: Report
) -> Iterator[tuple[tuple[str, ...], list[Entity]]]:
    """Take a Doc apart for formats of tokenised sentences.

    doc (Doc): The Doc. One without sentence boundaries is one sentence.
    spans_key (str): Prefix of the span groups.
    report (Report): Takes the entities that no sentence holds, and what others carry beside their
        type.
    YIELDS (tuple[tuple[str, ...], list[Entity]]): The tokens of a sentence, and its entities in
        offsets of these.
    """
    sentences = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    bounds = [(s.start, s.end) for s in sentences if len(s)]
    starts = [start for start, _ in bounds]
    held: list[list[Entity]] = [[] for _ in bounds]
    place = Place(None, None, doc.user_data.get(DOC_NAME))
    for found in get_entities(doc, spans_key):
        entity = found.to_entity()
        number = bisect_right(starts, entity.start) - 1
        if entity.end <= bounds[number][1]:
            held[number].append(entity.shift(-starts[number]))
            keys, kind = ("kb_id", "kb_name", "_"), "attributes in a format of tokens"
            report_attributes(found, keys, kind, report, place)
        else:
            message = f"no sentence holds {entity.label} at tokens {entity.fragments}"
            kind = "entity crosses a sentence boundary"
            report.add("dropped", kind, message, place, entity.fragments)
    for (start, end), inside in zip(bounds, held, strict=True):
        yield tuple(token.text for token in doc[start:end]), inside


def report_attributes(
    entity: DiscontinuousEntity, keys: Iterable[str], kind: str, report: Report, place: Place
) -> None:
    """Count what an entity carries where a format has no place for it.

    entity (DiscontinuousEntity): The entity.
    keys (Iterable[str]): The keys of its attrs that the format cannot have.
    kind (str): The kind of the issue, one for all keys.
    report (Report): Takes it.
    place (Place): The document.
    """
    carried = {key: entity.attrs[key] for key in keys if entity.attrs.get(key)}
    if carried:
        message = f"{entity.label_} at tokens {entity.fragments} has {carried!r:.60}"
        report.add("dropped", kind, message, place, entity.fragments)


def report_metadata(doc: Doc, report: Report) -> None:
    """Count what else the record of a document holds, where it is lost.

    doc (Doc): The document. An id that is its name is not counted.
    report (Report): Takes it, as one issue.
    """
    name, record = doc.user_data.get(DOC_NAME), doc.user_data.get(DOC_EXTRA) or {}
    lost = [key for key, value in record.items() if key != "id" or str(value) != name]
    if lost:
        place = Place(None, None, name)
        message = f"no place for {', '.join(map(repr, lost))} of the document's record"
        report.add("dropped", "document metadata", message, place)


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
            message = f"{source.label} has the same tokens as the one at {aligned[entity].place}"
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
    attrs = {"id": source.id, **source.attrs} if source.id else source.attrs
    entity = replace(Entity.from_tokens(source.label, tokens, source.score), attrs=attrs)
    if len(entity.fragments) < n_kept:
        message = f"{source.label} has {n_kept} fragments, but {len(entity.fragments)} in tokens"
        _note(report, "repaired", "fragments adjacent after tokenisation", message, source)
    return entity


def _note(report: Report, action: Action, kind: str, message: str, source: TextEntity) -> None:
    report.add(action, kind, message, source.place, source.fragments)
