"""Read Knowtator XML of version 1, which eHOST also writes, and of version 2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import parse

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

# of the fragments in the surface texts of version 1
_SEPARATOR = " ... "
_ROOTS = ("annotations", "knowtator-project")


def has_knowtator_root(path: Path) -> bool:
    start = first_text(path)
    return "<annotations" in start or "<knowtator-project" in start


def read_knowtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read Knowtator XML from an annotation file, or a folder with texts and annotation files.
    Labels are the classes of the annotations."""
    files = input_files(path, (".xml",))
    # texts and annotations can be in different subfolders
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
                    f"{file} is the second annotation file of {text_path}. Convert them separately."
                )
            used.add(text_path)
            name = text_path.relative_to(root).with_suffix("").as_posix()
            yield make_record(name, text_path, entities, report)


def make_record(
    name: str, text_path: Path, entities: list[TextEntity], report: Report
) -> TextRecord:
    """RETURNS (TextRecord): A text with its annotations, whose offsets are checked."""
    text = read_text(text_path, keep_bom=True)
    place = Place(str(text_path), None, name)
    text = choose_text(text, entities, report, place)
    cleaned = clean_entities(text, entities, report)
    return TextRecord(name, text, cleaned, str(text_path))


def read_annotation_file(
    path: Path, report: Report, label: str | None = None
) -> tuple[str, list[TextEntity]]:
    """Read an annotation file of either version, optionally with one label for all classes.

    RETURNS (tuple[str, list[TextEntity]]): The file name of the text, and the annotations with
        unchecked offsets. Slots with values are their attributes.
    """
    with xml_errors(path):
        root: Element = parse(path).getroot()
    if root.tag not in _ROOTS:
        raise GapDNERError(
            f"{path} is not Knowtator XML: its root is <{root.tag}>, not <{_ROOTS[0]}> or "
            f"<{_ROOTS[1]}>. Check the format."
        )
    documents = root.findall(".//document")
    if len(documents) > 1:
        raise GapDNERError(f"{path} annotates several documents. Use one file per document.")
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
            report.add("dropped", "invalid offsets", f"{name} of {own}", place)
            continue
        if not own or not fragments:
            kind = "annotation without span" if own else "annotation without class"
            report.add("dropped", kind, f"{name}: {own} at {fragments}", place)
            continue
        surface = annotation.findtext("spannedText")
        if surface is not None:
            surface = surface.replace(_SEPARATOR, " ")
        elif all(span.text for span in spans):
            surface = " ".join(span.text or "" for span in spans)
        values = attrs.get(mention or "")
        own_attrs = {"_": values} if values else {}
        entities.append(TextEntity(own, fragments, name, place, surface, attrs=own_attrs))
    return Path(text_name).name, entities


def _find_text(file: Path, name: str, texts: dict[str, list[Path]]) -> Path:
    found = texts.get(name, [])
    found = [text for text in found if text.parent == file.parent] or found
    if not found:
        raise GapDNERError(
            f"{file} annotates {name or 'an unnamed text'}, which is missing. Add the text."
        )
    if len(found) > 1:
        raise GapDNERError(
            f"{file} annotates {name}, but there are {len(found)} such files. Keep one."
        )
    return found[0]


def _mention_attrs(root: Element, place: Place, report: Report) -> dict[str, dict[str, Any]]:
    # slots of a mention contain values. Complex slots and triples contain other annotations
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
        targets = [
            attrs.setdefault(owner, {})
            for owner in owners.get(slot.get("id"), ())
            if owner in annotated
        ]
        if slot.tag in ("complexSlotMention", "triple"):
            kind = "relation"
        elif not targets or any(name in target for target in targets):
            kind = "attribute"
        else:
            for target in targets:
                target[name] = values[0] if len(values) == 1 else list(values)
            continue
        message = f"cannot store {slot.get('id')} with {name!r:.60}: {values!r:.60}"
        report.add("dropped", kind, message, place)
    return attrs


def _id_of(element: Element | None, tag: str) -> str | None:
    child = None if element is None else element.find(tag)
    return None if child is None else child.get("id")
