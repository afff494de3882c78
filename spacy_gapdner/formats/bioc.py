"""BioC, as XML or JSON: documents of passages, with annotations that have several locations.

An own reader and writer: the library bioc has had no release for years and needs lxml.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..entities.attributes import can_be_saved, offer_extensions
from ..errors import GapDNERError
from .bioc_text import join_passages, to_xml_text
from .docs import DOC_NAME
from .files import read_json, require_file, visible_files
from .fragments import clean_entities
from .from_docs import name_entities
from .outputs import replacing
from .records import TextEntity, TextRecord
from .report import BECOMES_TEXT, Action, Place, Report, reading

# infons that entities have by other names
_TYPE, _KB_ID, _KB_NAME, _SCORE = "type", "identifier", "kb_name", "score"
# of infons in XML: how many repeat the key of one before
_TWICE = "infons given twice"
# keys of annotations, and of what has them
_OF_ANNOTATIONS = {"id", "infons", "text", "locations", "bioctype", _TWICE}
_LISTS = ("passages", "sentences", "annotations", "relations")
_OF_PARTS = {"id", "infons", "text", "offset", "bioctype", _TWICE, *_LISTS}

Object = Mapping[str, Any]


def has_passages(path: Path) -> bool:
    """Find out whether a file is BioC, by its first bytes.

    path (Path): The file.
    RETURNS (bool): True if it has a collection of documents.
    """
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
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
    path = Path(path)
    files = visible_files(path, (".xml", ".json")) if path.is_dir() else [path]
    if not files:
        raise GapDNERError(f"{path} holds no .xml or .json file. Check path and format.")
    for file in files:
        with reading(report, Place(str(file))):
            require_file(file)
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
    report (Optional[Report]): Takes the attributes that are no text, names without an id in a
        knowledge base, and texts with characters that XML cannot have: they are replaced.
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
                place = Place(None, None, doc.user_data.get(DOC_NAME))
                text = tostring(_to_element(document, report, place), encoding="unicode")
                stream.write(text.replace("\r", "&#13;") + "\n")
        stream.write("]}\n" if is_json else "</collection>\n")
    return number


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
    # encodings that the parser does not know or cannot read, numbers that are none, and passages
    # within passages without end
    except (
        ParseError,
        DefusedXmlException,
        LookupError,
        ValueError,
        RecursionError,
    ) as error:
        raise GapDNERError(f"{path} cannot be read as BioC: {error}. Correct the file.") from None
    if not found:
        raise GapDNERError(f"{path} has no <collection>. Choose the right format.")


def _from_element(element: Element) -> dict[str, Any]:
    # a document, passage or sentence as JSON has it
    annotations = [
        {
            "id": annotation.get("id"),
            **_infons_of(annotation),
            "text": annotation.findtext("text"),
            "locations": [
                {"offset": int(place.get("offset", "")), "length": int(place.get("length", ""))}
                for place in annotation.iter("location")
            ],
        }
        for annotation in element.findall("annotation")
    ]
    return {
        **_infons_of(element),
        "id": element.findtext("id"),
        "offset": int(element.findtext("offset") or 0),
        "text": element.findtext("text"),
        "passages": [_from_element(child) for child in element.findall("passage")],
        "sentences": [_from_element(child) for child in element.findall("sentence")],
        "annotations": annotations,
        "relations": [{"id": child.get("id")} for child in element.findall("relation")],
    }


def _infons_of(element: Element) -> dict[str, Any]:
    # in JSON none is there twice
    pairs = [(infon.get("key"), infon.text or "") for infon in element.findall("infon")]
    infons: dict[str | None, str] = {}
    for key, text in pairs:
        infons.setdefault(key, text)
    return {"infons": infons, _TWICE: len(pairs) - len(infons)}


def _to_record(document: Object, place: Place, report: Report) -> TextRecord:
    try:
        return _parse_document(document, place, report)
    except GapDNERError:
        raise
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise GapDNERError(
            f"{place}: document {place.document} is not BioC ({type(error).__name__}: {error}). "
            "Correct the file."
        ) from None


def _parse_document(document: Object, place: Place, report: Report) -> TextRecord:
    passages = list(document.get("passages") or ())
    with_text = [
        part for p in passages for part in ([p] if p.get("text") else p.get("sentences") or ())
    ]
    texts = [(_integer(part["offset"]), part.get("text") or "") for part in with_text]
    text, base = join_passages(texts, place)
    entities = []
    parts = _parts(document)
    for part in parts:
        for annotation in part.get("annotations") or ():
            entity = _to_entity(annotation, base, place)
            if entity is None:
                message = f"no type, location or infons as they should be in {str(annotation)[:80]}"
                report.add("dropped", "malformed annotation", message, place)
            else:
                entities.append(entity)
                label = f"{entity.label} {entity.id}"
                report.note_keys(annotation, _OF_ANNOTATIONS, label, place)
            if twice := annotation.get(_TWICE):
                message = f"{twice} with a key given before in {str(annotation)[:80]}"
                report.add("dropped", "infon given twice", message, place)
        for relation in part.get("relations") or ():
            report.add("dropped", "relation", f"cannot hold {str(relation)[:80]}", place)
    _report_metadata(parts, place, report)
    cleaned = clean_entities(text, entities, report)
    return TextRecord(place.document or "", text, cleaned, place.file)


def _parts(document: Object) -> list[Object]:
    # the document, its passages and their sentences, also where others are within them
    parts = [document]
    for part in parts:
        parts += [*(part.get("passages") or ()), *(part.get("sentences") or ())]
    return parts


def _report_metadata(parts: Iterable[Object], place: Place, report: Report) -> None:
    infons: dict[str, None] = {}
    others: dict[str, None] = {}
    for part in parts:
        given = part.get("infons")
        infons |= dict.fromkeys(given if isinstance(given, dict) else ())
        others |= dict.fromkeys(key for key in part if key not in _OF_PARTS)
    for kind, keys in (("infons", infons), ("further keys", others)):
        if keys:
            message = f"no place for {', '.join(map(repr, keys))} of the document and its passages"
            report.add("kept", f"{kind} of a document", message, place)


def _to_entity(annotation: Object, base: int, place: Place) -> TextEntity | None:
    infons = dict(annotation.get("infons") or {})
    label = infons.pop(_TYPE, None)
    places = annotation.get("locations") or ()
    locations = [(_integer(v["offset"]), _integer(v["length"])) for v in places]
    if not label or not isinstance(label, str) or not locations:
        return None
    fragments = tuple((start - base, start - base + length) for start, length in locations)
    score = _probability(infons.get(_SCORE))
    if score is not None:
        del infons[_SCORE]
    attrs: dict[str, Any] = {}
    if infons.get(_KB_ID) in (None, ""):
        infons.pop(_KB_ID, None)
    elif isinstance(infons[_KB_ID], str):
        attrs["kb_id"] = infons.pop(_KB_ID)
        if infons.get(_KB_NAME) and isinstance(infons[_KB_NAME], str):
            attrs["kb_name"] = infons.pop(_KB_NAME)
    if infons:
        attrs["_"] = {str(key): value for key, value in infons.items()}
        if not can_be_saved(attrs["_"]):
            return None
        offer_extensions(attrs["_"])
    name = None if annotation.get("id") is None else str(annotation["id"])
    surface = annotation.get("text") or None
    return TextEntity(label, fragments, name, place, surface, score, attrs)


def _integer(value: Any) -> int:
    # a part of a number would be cut off
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"{value!r:.60} is no whole number")
    return int(value)


def _probability(value: Any) -> float | None:
    # what is called so, but is none, stays an attribute
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 else None


def _to_object(doc: Doc, number: int, spans_key: str, report: Report) -> dict[str, Any]:
    place = Place(None, None, doc.user_data.get(DOC_NAME))
    entities = get_entities(doc, spans_key)
    names = name_entities(entities, report, place)
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
        for name, entity in zip(names, entities, strict=True)
    ]
    passage = {"offset": 0, "infons": {}, "text": doc.text, "sentences": []}
    passage |= {"annotations": annotations, "relations": []}
    name = str(doc.user_data.get(DOC_NAME, number))
    return {"id": name, "infons": {}, "passages": [passage], "annotations": [], "relations": []}


def _infons(entity: DiscontinuousEntity, report: Report, place: Place) -> dict[str, str]:
    infons = {_TYPE: entity.label_}

    def note(action: Action, kind: str, key: str, value: object) -> None:
        message = f"{entity.label_} {entity.text[:40]!r} has {(key, value)!r:.60}"
        report.add(action, kind, message, place, entity.fragments)

    if entity.kb_id_:
        infons[_KB_ID] = entity.kb_id_
        if entity.attrs.get("kb_name"):
            infons[_KB_NAME] = str(entity.attrs["kb_name"])
    elif entity.attrs.get("kb_name"):
        note("dropped", "normalisation without identifier", _KB_NAME, entity.attrs["kb_name"])
    if entity.score is not None:
        infons[_SCORE] = str(entity.score)
    for key, value in entity.attrs.get("_", {}).items():
        if key in infons or not isinstance(value, str | int | float):
            note("dropped", "attribute that BioC cannot have", key, value)
        else:
            infons[key] = str(value)
            if not isinstance(value, str):
                note("repaired", BECOMES_TEXT, key, value)
    return infons


def _to_element(document: Object, report: Report, place: Place) -> Element:
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
