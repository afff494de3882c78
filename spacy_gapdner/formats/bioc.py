"""Read and write BioC in XML or JSON. Documents have passages, and annotations can have several
locations.

The library bioc needs five more packages, among them lxml, which expands XML entities by default.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import iterparse
from spacy.tokens import Doc

from ..entities import get_entities
from ..errors import GapDNERError
from .attributes import join_attributes, name_entities, split_attributes
from .docs import DOC_NAME, doc_place
from .files import file_reader, read_json, xml_errors
from .linked_regions import LinkedRegions, Object, read_regions
from .outputs import write_parts
from .passages import choose_counting, find_parts
from .records import TextRecord
from .report import Place, Report

# infons with their own place in an entity
_TYPE, _KB_ID = "type", "identifier"
_JSON_HEAD = '{"source": "spacy-gapdner", "date": "", "key": "", "infons": {}, "documents": [\n'
_XML_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<collection><source>spacy-gapdner</source><date></date><key></key>\n"
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@file_reader(".xml", ".json")
def read_bioc(path: Path, report: Report, type: str = _TYPE) -> Iterator[TextRecord]:
    """Read BioC documents, named by their ids. Their passages are joined, and relations are
    dropped. `type` is the key of the infon with the type of an annotation.
    """
    documents = _json_documents(path) if path.suffix == ".json" else _xml_documents(path)
    places = (
        (value, Place(str(path), None, str(value.get("id") or f"{path.stem}-{number}")))
        for number, value in enumerate(documents, start=1)
    )
    yield from read_regions(places, report, partial(_parse_bioc, type=type))


def write_bioc(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write each Doc as a document with one passage, as JSON or XML by the file extension."""
    documents = (_to_bioc(doc, n, spans_key, report) for n, doc in enumerate(docs, start=1))
    if path.suffix == ".json":
        parts = (json.dumps(document, ensure_ascii=False) for document in documents)
        return write_parts(path, parts, head=_JSON_HEAD, between=",\n", tail="]}\n")
    parts = (_to_xml(document, report) for document in documents)
    return write_parts(path, parts, head=_XML_HEAD, tail="</collection>\n")


def to_xml_text(text: str, report: Report, place: Place) -> str:
    """RETURNS (str): The text with each character that XML does not allow replaced by another."""
    if found := _NOT_XML.findall(text):
        message = f"{len(found)} replaced, such as {found[0]!r}"
        report.add("repaired", "characters that XML does not allow", message, place)
    return _NOT_XML.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)


def _json_documents(path: Path) -> Iterable[Object]:
    value = read_json(path)
    collections = value if isinstance(value, list) else [value]
    try:
        # PubMed Central returns a list of collections, PubTator 3 another key
        lists = [c["documents" if "documents" in c else "PubTator3"] for c in collections]
        return [dict(document) for found in lists for document in found]
    except (KeyError, TypeError, ValueError) as error:
        raise GapDNERError(f'{path} has no list of "documents". Choose the format.') from error


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
    # a document, passage, sentence or annotation in the form of JSON
    value: dict[str, Any] = {
        "id": element.findtext("id") or element.get("id"),
        "infons": {infon.get("key", ""): infon.text or "" for infon in element.findall("infon")},
        "offset": element.findtext("offset") or 0,
        "text": element.findtext("text"),
        "locations": [dict(place.items()) for place in element.findall("location")],
        "relations": [{"id": child.get("id")} for child in element.findall("relation")],
    }
    for tag in ("passage", "sentence", "annotation"):
        value[f"{tag}s"] = [_from_element(child) for child in element.findall(tag)]
    return value


def _parse_bioc(document: Object, regions: LinkedRegions, type: str) -> str:
    parts = list(find_parts(document))
    found = [(annotation, p) for part, p in parts for annotation in part.get("annotations") or ()]
    text, regions.units, offsets = choose_counting(document, found, regions)
    for (annotation, _), pairs in zip(found, offsets, strict=True):
        infons = dict(annotation.get("infons") or {})
        label = infons.pop(type, None)
        if label is None:
            named = ", ".join(map(repr, sorted(infons))) or "none"
            message = f"no infon {type!r}. The infons are {named}. Choose one: --option type=KEY"
            regions.drop_untyped(f"{annotation.get('text')!r:.40} has {message}")
            continue
        # booleans are written as strings
        values = {k: v == "True" if v in ("True", "False") else v for k, v in infons.items()}
        attrs = split_attributes(values, _KB_ID)
        regions.add(annotation, label, pairs, annotation.get("id"), annotation.get("text"), *attrs)
    for relation in (relation for part, _ in parts for relation in part.get("relations") or ()):
        regions.drop("relation", relation)
    return text


def _to_bioc(doc: Doc, number: int, spans_key: str, report: Report) -> dict[str, Any]:
    place = doc_place(doc)
    annotations = []
    for id, entity in name_entities(get_entities(doc, spans_key), report, place):
        values = join_attributes(entity, report, place, _KB_ID, (_TYPE,), str | int | float)
        infons = {_TYPE: entity.label_, **{key: str(value) for key, value in values.items()}}
        locations = [{"offset": a, "length": b - a} for a, b in entity.char_fragments]
        annotation = {"id": id, "infons": infons, "locations": locations, "text": entity.text}
        annotations.append(annotation)
    passage = {"offset": 0, "infons": {}, "text": doc.text, "sentences": []}
    passage |= {"annotations": annotations, "relations": []}
    name = str(doc.user_data.get(DOC_NAME, number))
    return {"id": name, "infons": {}, "passages": [passage], "annotations": [], "relations": []}


def _to_xml(document: Object, report: Report) -> str:
    xml = tostring(_to_element("document", document), encoding="unicode")
    # XML parsers read a bare carriage return as a line feed
    place = Place(None, None, document["id"])
    return to_xml_text(xml, report, place).replace("\r", "&#13;") + "\n"


def _to_element(tag: str, values: Object) -> Element:
    element = Element(tag)
    for key, value in values.items():
        if key == "infons":
            for name, infon in value.items():
                SubElement(element, "infon", key=name).text = infon
        elif isinstance(value, list):
            element.extend(_to_element(key.removesuffix("s"), item) for item in value)
        elif tag == "location" or (tag, key) == ("annotation", "id"):
            element.set(key, str(value))
        else:
            SubElement(element, key).text = str(value)
    return element
