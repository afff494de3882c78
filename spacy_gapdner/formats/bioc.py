"""BioC, as XML or JSON: documents of passages, with annotations that have several locations.

An own reader and writer: the library bioc would spare forty lines of parsing for five more
packages, among them lxml, which expands a file's entities unless told otherwise.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..entities.attributes import can_be_saved
from ..errors import GapDNERError
from .base import SCORE, first_bytes, input_files, join_attributes, note_attribute, split_attributes
from .docs import DOC_NAME
from .files import read_json
from .fragments import clean_entities
from .from_docs import doc_place, name_entities
from .outputs import replacing
from .records import TextEntity, TextRecord
from .report import Place, Report, reading

# infons that entities have by other names
_TYPE, _KB_ID = "type", "identifier"
# Characters without text, which spaces fill: beyond it an offset is wrong
_LONGEST_GAP = 10_000_000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Object = Mapping[str, Any]


def has_passages(path: Path) -> bool:
    """RETURNS (bool): Whether the first bytes of a file begin a collection of documents."""
    start = first_bytes(path)
    if path.suffix == ".json":
        return b'"documents"' in start and b'"passages"' in start
    return b"<collection" in start and b"<document" in start


def read_bioc(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read BioC, one document at a time. Its passages are joined to one text.

    path (Path): An .xml or .json file, or a folder of such.
    report (Report): Takes what is dropped or repaired; relations are dropped.
    YIELDS (TextRecord): Documents in order, named by their ids.
    RAISES (GapDNERError): If there is no such file, or it is of another kind.
    """
    for file in input_files(Path(path), (".xml", ".json")):
        with reading(report, Place(str(file))):
            documents = _json_documents(file) if file.suffix == ".json" else _xml_documents(file)
            for number, document in enumerate(documents, start=1):
                place = Place(str(file), None, str(document.get("id") or f"{file.stem}-{number}"))
                with reading(report, place):
                    yield _to_record(document, place, report)


def write_bioc(
    docs: Iterable[Doc],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    report: Report | None = None,
) -> int:
    """Write a collection, each Doc as a document with one passage.

    docs (Iterable[Doc]): Docs with entities.
    path (Path): The file: JSON if it ends in .json, else XML.
    spans_key (str): Prefix of the span groups.
    report (Optional[Report]): Takes what BioC cannot have, or changes.
    RETURNS (int): The number of documents written.
    """
    path, report = Path(path), Report() if report is None else report
    is_json = path.suffix == ".json"
    number = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
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
                # a bare carriage return would be read as a line feed
                text = tostring(_to_element(document, report), encoding="unicode")
                stream.write(text.replace("\r", "&#13;") + "\n")
        stream.write("]}\n" if is_json else "</collection>\n")
    return number


def to_xml_text(text: str, report: Report | None = None, place: Place = Place()) -> str:
    """Replace what XML cannot have, character by character, so that offsets hold: whitespace such
    as a form feed by a space, others by U+FFFD.

    text (str): The text.
    report (Optional[Report]): Takes the text if something is replaced.
    place (Place): The document.
    RETURNS (str): A text of the same length.
    """
    found = _NOT_XML.findall(text)
    if found and report is not None:
        message = f"{len(found)} replaced, such as {found[0]!r}, in {text[:40]!r}"
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
    try:
        for _, element in iterparse(path, events=("end",)):
            found = found or element.tag == "collection"
            if element.tag == "document":
                yield _from_element(element)
                element.clear()
    # also encodings that the parser does not know, and offsets that are no numbers
    except (ParseError, DefusedXmlException, LookupError, ValueError, RecursionError) as error:
        raise GapDNERError(f"{path} cannot be read as BioC: {error}. Correct the file.") from None
    if not found:
        raise GapDNERError(f"{path} has no <collection>. Choose the right format.")


def _from_element(element: Element) -> dict[str, Any]:
    # a document, passage or sentence as JSON has it
    return {
        "id": element.findtext("id"),
        "offset": int(element.findtext("offset") or 0),
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
        "locations": [
            {"offset": int(place.get("offset", "")), "length": int(place.get("length", ""))}
            for place in element.iter("location")
        ],
    }


def _to_record(document: Object, place: Place, report: Report) -> TextRecord:
    try:
        # the document, its passages and their sentences
        parts = [document]
        for part in parts:
            parts += [*(part.get("passages") or ()), *(part.get("sentences") or ())]
        passages = list(document.get("passages") or ())
        text, base = _join_passages(passages, place)
        annotations = [a for part in parts for a in part.get("annotations") or ()]
        entities = [_to_entity(annotation, base, place) for annotation in annotations]
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        if isinstance(error, GapDNERError):
            raise
        raise GapDNERError(
            f"{place}: document {place.document} is not BioC ({type(error).__name__}: {error}). "
            "Correct the file."
        ) from None
    for annotation, entity in zip(annotations, entities, strict=True):
        if entity is None:
            message = f"no type, location or infons as they should be in {str(annotation)[:80]}"
            report.add("dropped", "malformed annotation", message, place)
    for relation in (relation for part in parts for relation in part.get("relations") or ()):
        report.add("dropped", "relation", f"cannot hold {str(relation)[:80]}", place)
    cleaned = clean_entities(text, (e for e in entities if e is not None), report)
    return TextRecord(place.document or "", text, cleaned, place.file)


def _join_passages(passages: list[Object], place: Place) -> tuple[str, int]:
    # the text, and the offset of its first character
    with_text = (
        part for p in passages for part in ([p] if p.get("text") else p.get("sentences") or ())
    )
    parts = sorted((_whole(part["offset"]), part.get("text") or "") for part in with_text)
    base = parts[0][0] if parts else 0
    text = ""
    for offset, part in parts:
        gap = offset - base - len(text)
        if gap < 0:
            raise GapDNERError(
                f"{place}: document {place.document} has passages that overlap at offset {offset}. "
                "Offsets must count characters, not bytes."
            )
        if gap > _LONGEST_GAP:
            raise GapDNERError(
                f"{place}: document {place.document} has no text up to offset {offset}. Correct it."
            )
        # whitespace that ends a line fills what is between them
        text += ("\n".rjust(gap) if gap else "") + part
    return text, base


def _to_entity(annotation: Object, base: int, place: Place) -> TextEntity | None:
    infons = dict(annotation.get("infons") or {})
    label = infons.pop(_TYPE, None)
    if not infons.get(_KB_ID):
        infons.pop(_KB_ID, None)
    places = annotation.get("locations") or ()
    locations = [(_whole(place["offset"]), _whole(place["length"])) for place in places]
    if not label or not isinstance(label, str) or not locations or not can_be_saved(infons):
        return None
    fragments = tuple((start - base, start - base + length) for start, length in locations)
    name = None if annotation.get("id") is None else str(annotation["id"])
    surface = annotation.get("text") or None
    return TextEntity(label, fragments, name, place, surface, *split_attributes(infons, _KB_ID))


def _whole(value: Any) -> int:
    if int(value) != float(value):
        raise ValueError(f"the offset {value} is no whole number")
    return int(value)


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


def _to_element(document: Object, report: Report) -> Element:
    place = Place(None, None, document["id"])

    def clean(text: str) -> str:
        return to_xml_text(text, report, place)

    (passage,) = document["passages"]
    element = Element("document")
    SubElement(element, "id").text = clean(document["id"])
    inner = SubElement(element, "passage")
    SubElement(inner, "offset").text = "0"
    SubElement(inner, "text").text = clean(passage["text"])
    for value in passage["annotations"]:
        annotation = SubElement(inner, "annotation", id=clean(value["id"]))
        for key, infon in value["infons"].items():
            SubElement(annotation, "infon", key=clean(key)).text = clean(infon)
        for location in value["locations"]:
            numbers = {key: str(number) for key, number in location.items()}
            SubElement(annotation, "location", numbers)
        # a part of the document's text, which is counted as a whole
        SubElement(annotation, "text").text = to_xml_text(value["text"])
    return element
