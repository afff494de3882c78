"""Formats of biomedical texts: BioC, PubAnnotation and PubTator.

BioC in XML or JSON has documents of passages, whose annotations can have several locations. In
PubAnnotation, a discontinuous entity is a denotation with a list of spans, or a chain: the last
denotation has the type, the others are ``_FRAGMENT``, and relations ``_lexicallyChainedTo`` lead
backward. The libraries bioc and bconv need more packages, among them lxml, which expands XML
entities by default.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import iterparse
from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from .cleaning import clean_entities
from .docs import DOC_NAME, doc_place
from .files import file_reader, input_files, read_json, read_lines, xml_errors
from .linked_regions import (
    FRAGMENT,
    NO_TYPE,
    LinkedRegions,
    Object,
    join_attributes,
    name_entities,
    read_regions,
    split_attributes,
)
from .outputs import write_files, write_parts
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

# infons with their own place in an entity
_TYPE, _KB_ID = "type", "identifier"
_SOURCE = {"source": "spacy-gapdner", "date": "", "key": "", "infons": {}}
_XML_HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<collection><source>spacy-gapdner</source><date></date><key></key>\n"
)
# characters between passages, which are filled with spaces
_LONGEST_GAP = 10_000_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHAINED = "_lexicallyChainedTo"
_TITLE = re.compile(r"([^\s|]+)\|[ta]\|(.*)")
# PMID START END MENTION TYPE [ID]
_PUBTATOR_ENTITY = re.compile(r"\S+\t(\d{1,9})\t(\d{1,9})\t([^\t]*)\t([^\t]+)(?:\t([^\t]*).*)?")


@file_reader(".xml", ".json")
def read_bioc(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read BioC documents, named by their ids. Their passages are joined; relations are dropped."""
    documents: Any = _xml_documents(path)
    if path.suffix == ".json":
        value = read_json(path)
        documents = value.get("documents") if isinstance(value, dict) else None
        if not isinstance(documents, list) or not all(isinstance(d, dict) for d in documents):
            raise GapDNERError(f'{path} has no list of "documents". Choose the right format.')
    places = (
        (value, Place(str(path), None, str(value.get("id") or f"{path.stem}-{number}")))
        for number, value in enumerate(documents, start=1)
    )
    yield from read_regions(places, report, _parse_bioc)


def write_bioc(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write each Doc as a document with one passage, as JSON or XML by the file extension."""
    documents = (_to_bioc(doc, n, spans_key, report) for n, doc in enumerate(docs, start=1))
    if path.suffix == ".json":
        head = json.dumps(_SOURCE)[:-1] + ', "documents": [\n'
        parts = (json.dumps(document, ensure_ascii=False) for document in documents)
        return write_parts(path, parts, head=head, between=",\n", tail="]}\n")
    parts = (_to_xml(document, report) for document in documents)
    return write_parts(path, parts, head=_XML_HEAD, tail="</collection>\n")


def to_xml_text(text: str, report: Report, place: Place) -> str:
    """RETURNS (str): The text with characters that XML does not allow replaced one by one, so that
    offsets stay valid: whitespace such as a form feed by spaces, others by U+FFFD.
    """
    if found := _NOT_XML.findall(text):
        message = f"{len(found)} replaced, such as {found[0]!r}"
        report.add("repaired", "characters that XML cannot have", message, place)
    return _NOT_XML.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)


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
        "infons": {infon.get("key"): infon.text or "" for infon in element.findall("infon")},
        "offset": element.findtext("offset") or 0,
        "text": element.findtext("text"),
        "locations": [dict(place.items()) for place in element.findall("location")],
        "relations": [{"id": child.get("id")} for child in element.findall("relation")],
    }
    for tag in ("passage", "sentence", "annotation"):
        value[f"{tag}s"] = [_from_element(child) for child in element.findall(tag)]
    return value


def _parse_bioc(document: Object, regions: LinkedRegions) -> str:
    text, base = _join_passages(document.get("passages") or (), regions.place)
    # the document, its passages and their sentences
    parts = [document]
    for part in parts:
        parts += [*(part.get("passages") or ()), *(part.get("sentences") or ())]
        for annotation in part.get("annotations") or ():
            infons = dict(annotation.get("infons") or {})
            label = infons.pop(_TYPE, None)
            offsets = []
            for location in annotation.get("locations") or ():
                start = int(location["offset"]) - base
                offsets.append((start, start + int(location["length"])))
            name, surface = annotation.get("id"), annotation.get("text")
            values = split_attributes(infons, _KB_ID)
            regions.add(annotation, label, offsets, name, surface, *values)
        for relation in part.get("relations") or ():
            regions.drop("relation", relation)
    return text


def _join_passages(passages: Iterable[Object], place: Place) -> tuple[str, int]:
    # returns the text and the offset of its first character
    with_text = (
        part for p in passages for part in ([p] if p.get("text") else p.get("sentences") or ())
    )
    parts = sorted((int(part["offset"]), part.get("text") or "") for part in with_text)
    base = parts[0][0] if parts else 0
    text = ""
    for offset, part in parts:
        gap = offset - base - len(text)
        if not 0 <= gap <= _LONGEST_GAP:
            raise GapDNERError(
                f"{place} has passages that overlap or are far apart at offset {offset}. Offsets "
                "must count characters, not bytes."
            )
        # fill the gap with spaces and a line end
        text += ("\n".rjust(gap) if gap else "") + part
    return text, base


def _to_bioc(doc: Doc, number: int, spans_key: str, report: Report) -> dict[str, Any]:
    place = doc_place(doc)
    annotations = [
        {
            "id": name,
            "infons": _infons(entity, report, place),
            "locations": [
                {"offset": span.start_char, "length": span.end_char - span.start_char}
                for span in entity.spans
            ],
            "text": entity.text,
        }
        for name, entity in name_entities(get_entities(doc, spans_key), report, place)
    ]
    passage = {"offset": 0, "infons": {}, "text": doc.text, "sentences": []}
    passage |= {"annotations": annotations, "relations": []}
    name = str(doc.user_data.get(DOC_NAME, number))
    return {"id": name, "infons": {}, "passages": [passage], "annotations": [], "relations": []}


def _infons(entity: DiscontinuousEntity, report: Report, place: Place) -> dict[str, str]:
    values = join_attributes(entity, report, place, _KB_ID, (_TYPE,), str | int | float)
    return {_TYPE: entity.label_, **{key: str(value) for key, value in values.items()}}


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


def read_pubannotation(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read files with a document or a list of documents, with the denotations of all tracks.
    Documents are named by "sourceid" or file. Relations, modifications and blocks are dropped.
    """
    for file in input_files(path, (".json",)):
        with reading(report, Place(str(file))):
            value = read_json(file)
            items = value if isinstance(value, list) else [value]
            if not all(isinstance(i, dict) and isinstance(i.get("text"), str) for i in items):
                raise GapDNERError(
                    f'{file} contains no object with a "text". Choose the right format.'
                )
            stem = (file.relative_to(path) if path.is_dir() else Path(file.name)).with_suffix("")
            documents = []
            for number, item in enumerate(items, start=1):
                name = f"{stem.as_posix()}-{number}" if len(items) > 1 else stem.as_posix()
                documents.append((item, Place(str(file), None, str(item.get("sourceid") or name))))
            yield from read_regions(documents, report, _parse_pubannotation)


def write_pubannotation(docs: Iterable[Doc], path: Path, spans_key: str, report: Report) -> int:
    """Write a .json file per Doc; files with the same name are replaced."""

    def render(doc: Doc) -> dict[str, str]:
        value = _to_pubannotation(doc, spans_key, report)
        return {".json": json.dumps(value, ensure_ascii=False, indent=1) + "\n"}

    return write_files(docs, path, render)


def _parse_pubannotation(document: Object, regions: LinkedRegions) -> str:
    _add_layer(document, regions, "")
    for number, track in enumerate(document.get("tracks", ())):
        # each track has its own ids
        _add_layer(track, regions, f"{number} ")
    return str(document["text"])


def _add_layer(layer: Object, regions: LinkedRegions, prefix: str) -> None:
    denotations = layer.get("denotations", ())
    typed = {str(value.get("id")) for value in denotations if value["obj"] != NO_TYPE}
    attributes: dict[str, dict[str, Any]] = {}
    for value in layer.get("attributes", ()):
        subject, name = str(value["subj"]), str(value["pred"])
        values = attributes.setdefault(subject, {})
        if subject in typed and name not in values:
            values[name] = value["obj"]
        else:
            regions.drop("attribute", value)
    for value in denotations:
        id, span = value.get("id"), value["span"]
        spans = span if isinstance(span, list) else [span]
        offsets = [(part["begin"], part["end"]) for part in spans]
        score, attrs = split_attributes(attributes.get(str(id), {}))
        regions.add(value, value["obj"], offsets, id, None, score, attrs, f"{prefix}{id}")
    for value in layer.get("relations", ()):
        label = FRAGMENT if value["pred"] == _CHAINED else value["pred"]
        regions.link(label, f"{prefix}{value['subj']}", f"{prefix}{value['obj']}")
    for key in ("modifications", "blocks"):
        for value in layer.get(key, ()):
            regions.drop(key[:-1], value)


def _to_pubannotation(doc: Doc, spans_key: str, report: Report) -> dict[str, Any]:
    place = doc_place(doc)
    denotations: list[dict[str, Any]] = []
    attributes: list[dict[str, Any]] = []
    for id, entity in name_entities(get_entities(doc, spans_key), report, place):
        spans = [{"begin": span.start_char, "end": span.end_char} for span in entity.spans]
        span = spans if len(spans) > 1 else spans[0]
        denotations.append({"id": id, "span": span, "obj": entity.label_})
        for key, value in join_attributes(entity, report, place).items():
            number = len(attributes) + 1
            attributes.append({"id": f"A{number}", "subj": id, "pred": key, "obj": value})
    name = doc.user_data.get(DOC_NAME)
    result: dict[str, Any] = {} if name is None else {"sourceid": str(name)}
    result |= {"text": doc.text, "denotations": denotations}
    return result | ({"attributes": attributes} if attributes else {})


@file_reader(".pubtator", ".PubTator", ".txt")
def read_pubtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read articles separated by empty lines and named by their ids. Title and abstract become
    lines of one text; relations are dropped.
    """
    lines = enumerate(read_lines(path), start=1)
    for is_article, group in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_article:
            article = list(group)
            with reading(report, Place(str(path), article[0][0])):
                yield _parse_pubtator(article, Place(str(path)), report)


def _parse_pubtator(lines: list[tuple[int, str]], file: Place, report: Report) -> TextRecord:
    texts, entities = [], []
    name = lines[0][1].split("|")[0]
    for number, line in lines:
        place = file._replace(line=number, document=name)
        if match := _TITLE.fullmatch(line):
            texts.append(match[2])
        elif not texts:
            raise GapDNERError(
                f"{place} is not a title such as 123|t|Title. Choose the right format."
            )
        elif match := _PUBTATOR_ENTITY.fullmatch(line):
            start, end, surface, label, reference = match.groups()
            attrs = {} if reference in (None, "", "-", "-1") else {"kb_id": reference}
            offsets = ((int(start), int(end)),)
            entities.append(TextEntity(label, offsets, None, place, surface or None, attrs=attrs))
        else:
            kind = "malformed line" if len(line.split("\t")) != 4 else "relation"
            report.add("dropped", kind, f"cannot keep {line[:80]!r}", place)
    text = "\n".join(texts)
    return TextRecord(name, text, clean_entities(text, entities, report), file.file)
