"""Docs -> files: what they must hold, their sentences, and what a format has no place for."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from pathlib import Path

from spacy.tokens import Doc

from ..entities import (
    DiscontinuousEntity,
    Entity,
    get_entities,
    get_spans_keys,
    group_names,
    read_contiguous,
    set_entities,
    stores_entities,
)
from ..entities.attributes import can_be_saved
from ..errors import GapDNERError
from .docs import DOC_EXTRA, DOC_NAME
from .names import free_names
from .relations import DOC_RELATIONS, is_line
from .report import Place, Report


def check_stored(doc: Doc, spans_key: str, path: Path) -> None:
    """Make sure that a Doc of a file holds what the package writes, whoever has written it.

    doc (Doc): The Doc.
    spans_key (str): Prefix of the span groups that hold the entities.
    path (Path): The file, for the message.
    RAISES (GapDNERError): If a span group is no entity, or what it carries, the Doc's name or its
        record is of another type than it must be.
    """
    name, record = doc.user_data.get(DOC_NAME, ""), doc.user_data.get(DOC_EXTRA, {})
    relations = doc.user_data.get(DOC_RELATIONS, [])
    where = f"{path}, document {str(name or doc.text[:20])!r}"
    if not (isinstance(name, str) and isinstance(record, dict) and can_be_saved(record)):
        raise GapDNERError(f"{where}: its name is no text, or its record no dict. Make it anew.")
    if not isinstance(relations, list | tuple) or not all(map(is_line, relations)):
        raise GapDNERError(f"{where}: its relations are no lines of brat. Make it anew.")
    try:
        entities = get_entities(doc, spans_key)
    except ValueError as error:
        raise GapDNERError(f"{where}: {error}") from None
    for entity in entities:
        if problem := _problem(entity):
            raise GapDNERError(
                f"{where}: the entity at tokens {entity.fragments} has {problem}. Correct it with "
                "spacy_gapdner.set_entities."
            )


def take_entities(doc: Doc, spans_key: str, group: str | None, report: Report) -> None:
    """Make contiguous entities of what other components have found.

    doc (Doc): The Doc. The group stays, unless it is under the prefix.
    spans_key (str): Prefix of the span groups for the entities.
    group (Optional[str]): Name of the span group; ``doc.ents`` if None.
    report (Report): Takes the spans that are no entities.
    RAISES (GapDNERError): If the Doc has other entities under the prefix.
    """
    if set(group_names(doc, spans_key)) - {group}:
        raise GapDNERError(
            f"There are entities under {spans_key!r} already. Choose another --spans-key."
        )
    n_spans = len(doc.ents if group is None else doc.spans.get(group, ()))
    entities = read_contiguous(doc, group)
    if missing := n_spans - len(entities):
        message = f"{missing} of {n_spans} spans are empty or have no label"
        report.add("dropped", "span without tokens or label", message, doc_place(doc))
    set_entities(doc, entities, spans_key)


def name_entities(
    entities: Sequence[DiscontinuousEntity], report: Report, place: Place, pattern: str = ".+"
) -> list[str]:
    """Choose the ids of a document's entities in a file.

    entities (Sequence[DiscontinuousEntity]): The entities.
    report (Report): Takes the ids that are replaced.
    place (Place): The document.
    pattern (str): Regular expression for ids that the format can have.
    RETURNS (list[str]): The id that an entity has, where no other has it too; else T1, T2, ...,
        as far as they are free.
    """
    given = Counter(entity.id_ for entity in entities)
    kept = {id for id, n in given.items() if n == 1 and re.fullmatch(pattern, id, re.DOTALL)}
    free = free_names(kept)
    names = [entity.id_ if entity.id_ in kept else next(free) for entity in entities]
    pairs = [(e.id_, name) for name, e in zip(names, entities, strict=True) if e.id_]
    replaced = [f"{old!r:.60} -> {new}" for old, new in pairs if old != new]
    if replaced:
        report.add("repaired", "ids replaced by T1, T2, ...", ", ".join(replaced), place)
    return names


def doc_sentences(
    doc: Doc, spans_key: str, report: Report
) -> Iterator[tuple[tuple[str, ...], list[Entity]]]:
    """Take a Doc apart for formats of tokenized sentences.

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
    place = doc_place(doc)
    entities = get_entities(doc, spans_key)
    report_names(entities, ("id", "score"), "a format of tokens", report, place)
    for found in entities:
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


def doc_place(doc: Doc) -> Place:
    """RETURNS (Place): A Doc's place in a report: its name."""
    return Place(None, None, doc.user_data.get(DOC_NAME))


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


def report_names(
    entities: Iterable[DiscontinuousEntity],
    keys: Iterable[str],
    where: str,
    report: Report,
    place: Place,
) -> None:
    """Count what a format leaves out that is no annotation: ids in files, and scores.

    entities (Iterable[DiscontinuousEntity]): The entities of a document.
    keys (Iterable[str]): The keys of their attrs.
    where (str): What kind of format has no place for it.
    report (Report): Takes an issue for each key.
    place (Place): The document.
    """
    for key in keys:
        having = [entity for entity in entities if entity.attrs.get(key) not in (None, "")]
        if having:
            message = f"{len(having)} entities have one, the first {having[0].attrs[key]!r:.60}"
            report.add("kept", f"{key}s in {where}", message, place)


def report_other_prefixes(doc: Doc, spans_key: str, report: Report) -> None:
    """Count the entities that stay behind because nobody asked for their prefix.

    doc (Doc): The document.
    spans_key (str): The prefix that was asked for.
    report (Report): Takes an issue for each other prefix.
    """
    for key in get_spans_keys(doc):
        if key != spans_key and stores_entities(doc, key):
            message = f"{len(get_entities(doc, key))} under {key!r:.80}"
            report.add("kept", "entities under another prefix", message, doc_place(doc))


def report_metadata(doc: Doc, report: Report) -> None:
    """Count what else the record of a document holds, where it is lost.

    doc (Doc): The document. An id that is its name is not counted.
    report (Report): Takes it, as one issue.
    """
    name, record = doc.user_data.get(DOC_NAME), doc.user_data.get(DOC_EXTRA) or {}
    lost = [key for key, value in record.items() if key != "id" or str(value) != name]
    if lost:
        message = f"no place for {', '.join(map(repr, lost))} of the document's record"
        report.add("dropped", "document metadata", message, doc_place(doc))


def _problem(entity: DiscontinuousEntity) -> str | None:
    score, values = entity.score, entity.attrs.get("_", {})
    if not entity.label_:
        return "no label"
    if not all(isinstance(entity.attrs.get(key, ""), str) for key in ("id", "kb_id", "kb_name")):
        return "an id that is no text"
    if not isinstance(values, dict) or not can_be_saved(values):
        return "attributes that JSON cannot hold"
    if not isinstance(score, Real | None) or not 0 <= (score or 0) <= 1:
        return f"the score {score!r:.60}, which does not lie between 0 and 1"
    return None
