"""Knowtator: texts with annotation files in XML, of version 1 (also written by eHOST) or 2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import parse

from spacy_gapdner.entities import offer_extensions
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.cleaning import choose_text, clean_entities
from spacy_gapdner.formats.files import (
    first_text,
    input_files,
    read_text,
    visible_files,
    xml_errors,
)
from spacy_gapdner.formats.records import TextEntity, TextRecord
from spacy_gapdner.formats.report import Place, Report, reading

# stands between the fragments in the surface texts of version 1
_SEPARATOR = " ... "
_ROOTS = ("annotations", "knowtator-project")


def has_knowtator_root(path: Path) -> bool:
    """RETURNS (bool): Whether the first bytes of a file hold a root element of Knowtator."""
    start = first_text(path)
    return "<annotations" in start or "<knowtator-project" in start


def read_knowtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read Knowtator XML, one document at a time: a folder with texts and annotation files (.xml)
    at any depth, or one annotation file. Labels are the classes of the annotations.
    """
    files = input_files(path, (".xml",))
    # the texts may lie in a folder next to that of the annotations
    root = path if path.is_dir() else path.parent
    texts: dict[str, list[Path]] = {}
    for file in visible_files(root, (".txt",)):
        texts.setdefault(file.name, []).append(file)
    used = set()
    for file in files:
        with reading(report, Place(str(file), None, file.name)):
            text_name, entities = read_annotation_file(file, report)
            text_path = _find_text(file, text_name, texts)
            if text_path in used:
                raise GapDNERError(
                    f"{file} is the second annotation file of {text_path}. Convert them apart."
                )
            used.add(text_path)
            name = text_path.relative_to(root).with_suffix("").as_posix()
            yield make_record(name, text_path, entities, report)


def make_record(
    name: str, text_path: Path, entities: list[TextEntity], report: Report
) -> TextRecord:
    """RETURNS (TextRecord): A text, and its annotations with offsets that are unchecked yet."""
    text = read_text(text_path, report, keep_bom=True)
    place = Place(str(text_path), None, name)
    text = choose_text(text, entities, report, place, _SEPARATOR)
    cleaned = clean_entities(text, entities, report, _SEPARATOR)
    return TextRecord(name, text, cleaned, str(text_path))


def read_annotation_file(
    path: Path, report: Report, label: str | None = None
) -> tuple[str, list[TextEntity]]:
    """Read an annotation file of either version.

    label (Optional[str]): A label for all annotations, whatever their class.
    RETURNS (tuple[str, list[TextEntity]]): The file name of the text, and the annotations, labeled
        with their classes, offsets unchecked. Slots that hold values are their attributes.
    """
    with xml_errors(path):
        root: Element = parse(path).getroot()
    if root.tag not in _ROOTS:
        raise GapDNERError(
            f"{path} is not Knowtator XML: its root is <{root.tag}>, not <{_ROOTS[0]}> or "
            f"<{_ROOTS[1]}>. Choose the right format."
        )
    documents = root.findall(".//document")
    if len(documents) > 1:
        raise GapDNERError(f"{path} is of several documents. Make a file of each.")
    text_name = root.get("textSource", "")
    for document in documents:
        text_name = document.get("text-file") or f"{document.get('id', '')}.txt"
    place = Place(str(path), None, Path(text_name).stem)
    attrs = _mention_attrs(root, place, report)
    classes = {mention.get("id"): mention for mention in root.iter("classMention")}
    entities = []
    for annotation in root.iter("annotation"):
        mention = _id_of(annotation, "mention")
        own = label or _id_of(annotation, "class") or _id_of(classes.get(mention), "mentionClass")
        name = annotation.get("id") or mention
        try:
            spans = annotation.findall("span")
            fragments = tuple((int(s.get("start", "")), int(s.get("end", ""))) for s in spans)
        except ValueError:
            report.add("dropped", "offsets are no numbers", f"{name} of {own}", place)
            continue
        if not own or not fragments:
            kind = "annotation without span" if own else "annotation without class"
            report.add("dropped", kind, f"{name}: {own} at {fragments}", place)
            continue
        surface = annotation.findtext("spannedText")
        if surface is None and all(span.text for span in spans):
            surface = _SEPARATOR.join(span.text or "" for span in spans)
        values = attrs.get(mention or "")
        own_attrs = {"_": values} if values else {}
        entities.append(TextEntity(own, fragments, name, place, surface, attrs=own_attrs))
    return Path(text_name).name, entities


def _find_text(file: Path, name: str, texts: dict[str, list[Path]]) -> Path:
    found = texts.get(name, [])
    found = [text for text in found if text.parent == file.parent] or found
    if not found:
        raise GapDNERError(f"{file} annotates {name or 'an unnamed text'}, which is missing.")
    if len(found) > 1:
        raise GapDNERError(f"{file} annotates {name}, of which there are {len(found)}. Keep one.")
    return found[0]


def _mention_attrs(root: Element, place: Place, report: Report) -> dict[str, dict[str, Any]]:
    # a mention has slots: values, or in a complex slot and in a triple other annotations
    owners: dict[str | None, list[str]] = {}
    for mention in root.iter("classMention"):
        for slot in mention.findall("hasSlotMention"):
            owners.setdefault(slot.get("id"), []).append(mention.get("id", ""))
    annotated = {_id_of(annotation, "mention") for annotation in root.iter("annotation")}
    attrs: dict[str, dict[str, Any]] = {}
    for slot in root.iter():
        is_slot = slot.tag.endswith("SlotMention") and slot.tag != "hasSlotMention"
        if not is_slot and slot.tag != "triple":
            continue
        values = [part.get("value", "") for part in slot if part.tag.endswith("SlotMentionValue")]
        name = _id_of(slot, "mentionSlot") or ""
        held = [
            attrs.setdefault(owner, {})
            for owner in owners.get(slot.get("id"), ())
            if owner in annotated
        ]
        if slot.tag in ("complexSlotMention", "triple"):
            kind = "relation"
        elif not held or any(name in own for own in held):
            kind = "attribute"
        else:
            for own in held:
                own[name] = values[0] if len(values) == 1 else list(values)
            offer_extensions([name])
            continue
        message = f"cannot hold {slot.get('id')} with {name!r:.60}: {values!r:.60}"
        report.add("dropped", kind, message, place)
    return attrs


def _id_of(element: Element | None, tag: str) -> str | None:
    child = None if element is None else element.find(tag)
    return None if child is None else child.get("id")
