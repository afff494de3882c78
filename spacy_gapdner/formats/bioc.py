"""BioC in XML or JSON: documents of passages, whose annotations can have several locations.

The library bioc would save forty lines of parsing, but needs five more packages, among them lxml,
which expands the entities of XML by default.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import iterparse
from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from .docs import DOC_NAME, doc_place
from .files import file_reader, first_bytes, parse_each, read_json, xml_errors
from .linked_regions import LinkedRegions, Object
from .named_values import (
    SCORE,
    join_attributes,
    name_entities,
    note_attribute,
    split_attributes,
)
from .outputs import writing
from .records import TextRecord
from .report import Place, Report

# infons with their own place in an entity
_TYPE, _KB_ID = "type", "identifier"
# characters between passages, which are filled with spaces: larger offsets are invalid
_LONGEST_GAP = 10_000_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def has_passages(path: Path) -> bool:
    """RETURNS (bool): Whether a file begins with a collection of documents."""
    start = first_bytes(path)
    if path.suffix == ".json":
        return b'"documents"' in start and b'"passages"' in start
    return b"<collection" in start and b"<document" in start


@file_reader(".xml", ".json")
def read_bioc(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read BioC documents, named by their ids. Their passages are joined; relations are dropped."""
    documents = _json_documents(path) if path.suffix == ".json" else _xml_documents(path)
    places = (
        (value, Place(str(path), None, str(value.get("id") or f"{path.stem}-{number}")))
        for number, value in enumerate(documents, start=1)
    )
    yield from parse_each(places, report, lambda value, place: [_to_record(value, place, report)])


def write_bioc(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write each Doc as a document with one passage: as JSON if the file extension is .json,
    else as XML.
    """
    is_json = path.suffix == ".json"
    number = 0
    with writing(path) as stream:
        head = {"source": "spacy-gapdner", "date": "", "key": "", "infons": {}}
        if is_json:
            stream.write(json.dumps(head)[:-1] + ', "documents": [')
        else:
            stream.write("<?xml version='1.0' encoding='UTF-8'?>\n<collection>")
            stream.write("<source>spacy-gapdner</source><date></date><key></key>\n")
        for number, doc in enumerate(docs, start=1):
            document = _to_object(doc, number, spans_key, report)
            if is_json:
                stream.write(("," if number > 1 else "") + "\n")
                stream.write(json.dumps(document, ensure_ascii=False))
            else:
                place = Place(None, None, document["id"])
                xml = tostring(_to_element("document", document), encoding="unicode")
                # XML parsers read a bare carriage return as a line feed
                stream.write(to_xml_text(xml, report, place).replace("\r", "&#13;") + "\n")
        stream.write("]}\n" if is_json else "</collection>\n")
    return number


def to_xml_text(text: str, report: Report, place: Place) -> str:
    """RETURNS (str): The text with characters that XML does not allow replaced one by one, so that
    offsets stay valid: whitespace such as a form feed by spaces, others by U+FFFD.
    """
    if found := _NOT_XML.findall(text):
        message = f"{len(found)} replaced, such as {found[0]!r}"
        report.add("repaired", "characters that XML cannot have", message, place)
    return _NOT_XML.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)


def _json_documents(path: Path) -> Iterator[Object]:
    value = read_json(path)
    documents = value.get("documents") if isinstance(value, dict) else None
    if not isinstance(documents, list) or not all(isinstance(d, dict) for d in documents):
        raise GapDNERError(f'{path} has no list of "documents". Choose the right format.')
    yield from documents


def _xml_documents(path: Path) -> Iterator[Object]:
    found = False
    with xml_errors(path):
        for _, element in iterparse(path, events=("end",)):
            found = found or element.tag == "collection"
            if element.tag == "document":
                yield _from_element(element)
                element.clear()
    if not found:
        raise GapDNERError(f"{path} has no <collection>. Choose the right format.")


def _from_element(element: Element) -> dict[str, Any]:
    # a document, passage or sentence in the form of JSON
    return {
        "id": element.findtext("id"),
        "offset": element.findtext("offset") or 0,
        "text": element.findtext("text"),
        "passages": [_from_element(child) for child in element.findall("passage")],
        "sentences": [_from_element(child) for child in element.findall("sentence")],
        "annotations": [_from_annotation(child) for child in element.findall("annotation")],
        "relations": [{"id": child.get("id")} for child in element.findall("relation")],
    }


def _from_annotation(element: Element) -> dict[str, Any]:
    infons: dict[str, str] = {}
    for infon in element.findall("infon"):
        infons.setdefault(str(infon.get("key")), infon.text or "")
    return {
        "id": element.get("id"),
        "infons": infons,
        "text": element.findtext("text"),
        "locations": [dict(place.items()) for place in element.iter("location")],
    }


def _to_record(document: Object, place: Place, report: Report) -> TextRecord:
    regions = LinkedRegions(place, report)
    try:
        # the document, its passages and their sentences
        parts = [document]
        for part in parts:
            parts += [*(part.get("passages") or ()), *(part.get("sentences") or ())]
        text, base = _join_passages(document.get("passages") or (), place)
        for part in parts:
            for annotation in part.get("annotations") or ():
                _add_entity(annotation, base, regions)
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        if isinstance(error, GapDNERError):
            raise
        raise GapDNERError(
            f"{place} is not BioC ({type(error).__name__}: {error}). Correct the file."
        ) from None
    for relation in (relation for part in parts for relation in part.get("relations") or ()):
        regions.drop("relation", relation)
    return regions.to_record(text)


def _join_passages(passages: Iterable[Object], place: Place) -> tuple[str, int]:
    # returns the text and the offset of its first character
    with_text = (
        part for p in passages for part in ([p] if p.get("text") else p.get("sentences") or ())
    )
    parts = sorted((int(str(part["offset"])), part.get("text") or "") for part in with_text)
    base = parts[0][0] if parts else 0
    text = ""
    for offset, part in parts:
        gap = offset - base - len(text)
        if not 0 <= gap <= _LONGEST_GAP:
            problem = "passages that overlap at" if gap < 0 else "no text up to"
            raise GapDNERError(
                f"{place} has {problem} offset {offset}. Offsets must count characters, not bytes."
            )
        # fill the gap with spaces and a line end
        text += ("\n".rjust(gap) if gap else "") + part
    return text, base


def _add_entity(annotation: Object, base: int, regions: LinkedRegions) -> None:
    infons = dict(annotation.get("infons") or {})
    label = infons.pop(_TYPE, None)
    offsets = []
    for location in annotation.get("locations") or ():
        start = int(str(location["offset"])) - base
        offsets.append((start, start + int(str(location["length"]))))
    name, surface = annotation.get("id"), annotation.get("text")
    regions.add(annotation, label, offsets, name, surface, *split_attributes(infons, _KB_ID))


def _to_object(doc: Doc, number: int, spans_key: str, report: Report) -> dict[str, Any]:
    place = doc_place(doc)
    entities = get_entities(doc, spans_key)
    annotations = [
        {
            "id": name,
            "infons": _infons(entity, report, place),
            "text": entity.text,
            "locations": [
                {"offset": span.start_char, "length": span.end_char - span.start_char}
                for span in entity.spans
            ],
        }
        for name, entity in zip(name_entities(entities, report, place), entities, strict=True)
    ]
    passage = {"offset": 0, "infons": {}, "text": doc.text, "sentences": []}
    passage |= {"annotations": annotations, "relations": []}
    name = str(doc.user_data.get(DOC_NAME, number))
    return {"id": name, "infons": {}, "passages": [passage], "annotations": [], "relations": []}


def _infons(entity: DiscontinuousEntity, report: Report, place: Place) -> dict[str, str]:
    infons = {_TYPE: entity.label_}
    for key, value in join_attributes(entity, report, place, _KB_ID).items():
        if key == _TYPE or not isinstance(value, str | int | float):
            note_attribute("dropped", entity, key, value, report, place)
            continue
        infons[key] = str(value)
        if not isinstance(value, str) and key != SCORE:
            note_attribute("repaired", entity, key, value, report, place)
    return infons


def _to_element(tag: str, value: Object) -> Element:
    element = Element(tag)
    # the locations of an annotation precede its text
    in_order = sorted(value.items(), key=lambda item: tag == "annotation" and item[0] == "text")
    for key, held in in_order:
        if key == "infons":
            for name, infon in held.items():
                SubElement(element, "infon", key=name).text = infon
        elif isinstance(held, list):
            element.extend(_to_element(key.removesuffix("s"), item) for item in held)
        elif tag == "location" or (tag, key) == ("annotation", "id"):
            element.set(key, str(held))
        else:
            SubElement(element, key).text = str(held)
    return element
