"""Annotation files of Knowtator, of version 1 (also written by eHOST) and of version 2."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, Locator

import defusedxml.sax
from defusedxml import DefusedXmlException

from ..entities.attributes import offer_extensions
from ..errors import GapDNERError
from .files import read_text
from .fragments import choose_text, clean_entities
from .records import TextEntity, TextRecord
from .report import Place, Report

# stands between the fragments in the surface texts of version 1
_SEPARATOR = " ... "
_OFFSET = re.compile(r"\s*-?\d{1,18}\s*")
_ROOTS = ("annotations", "knowtator-project")


class AnnotationFile(NamedTuple):
    """What an annotation file says.

    text_name (str): File name of the text.
    entities (list[TextEntity]): The annotations, labelled with their classes, offsets unchecked.
    """

    text_name: str
    entities: list[TextEntity]


def make_record(
    name: str, text_path: Path, entities: list[TextEntity], report: Report, split: str | None = None
) -> TextRecord:
    """Put a text and its annotations together.

    name (str): The document's name.
    text_path (Path): The file of its text.
    entities (list[TextEntity]): The annotations, offsets unchecked.
    report (Report): Takes what is dropped or repaired.
    split (Optional[str]): The part of the corpus it belongs to.
    RETURNS (TextRecord): The document.
    RAISES (GapDNERError): If the text is not UTF-8.
    """
    place = Place(str(text_path), None, name)
    text = read_text(text_path, keep_bom=True)
    text = choose_text(text, entities, report, place, _SEPARATOR)
    cleaned = clean_entities(text, entities, report, _SEPARATOR)
    return TextRecord(name, text, cleaned, str(text_path), split)


def read_annotation_file(path: Path, report: Report, label: str | None = None) -> AnnotationFile:
    """Read an annotation file of either version.

    path (Path): The file.
    report (Report): Takes the annotations that are dropped, and what relates them. Slots that hold
        values are their attributes.
    label (Optional[str]): A label for all annotations, whatever their class.
    RETURNS (AnnotationFile): What it says.
    RAISES (GapDNERError): If the file is not well-formed, is not Knowtator's, is of several
        documents, or declares entities, with which a small file can fill the memory.
    """
    handler = _Handler(path, report, label)
    try:
        _parse_xml(path, handler)
    except SAXParseException as error:
        raise GapDNERError(
            f"{path}:{error.getLineNumber()} is not well-formed XML ({error.getMessage()}). "
            "Is the file cut off, or of another format?"
        ) from None
    return handler.result()


def has_knowtator_root(path: Path) -> bool:
    """Find out whether a file is Knowtator's, by its root element.

    path (Path): An XML file.
    RETURNS (bool): True if the root is one of Knowtator's.
    RAISES (GapDNERError): If the file declares entities.
    """
    handler = _RootHandler()
    with suppress(SAXException):
        _parse_xml(path, handler)
    return handler.root in _ROOTS


def _parse_xml(path: Path, handler: ContentHandler) -> None:
    try:
        # given a name, the parser would also fetch from the network
        with path.open("rb") as stream:
            defusedxml.sax.parse(stream, handler)
    except DefusedXmlException as error:
        raise GapDNERError(
            f"{path} declares XML entities or external data, which may be an attack "
            f"({type(error).__name__}). Remove the declaration if you trust the file."
        ) from None
    except GapDNERError:
        raise
    # encodings that the parser does not know, or cannot read
    except (LookupError, ValueError) as error:
        raise GapDNERError(f"{path} cannot be read: {error}. Declare its encoding right.") from None


class _RootHandler(ContentHandler):
    """Takes the root element's name and stops."""

    def __init__(self) -> None:
        super().__init__()
        self.root: str | None = None

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.root = name
        raise SAXException("seen enough")


class _Handler(ContentHandler):
    """Collects annotations of both versions, with the lines they begin at."""

    def __init__(self, path: Path, report: Report, label: str | None = None) -> None:
        super().__init__()
        self._path, self._report, self._label = path, report, label
        self._locator: Locator | None = None
        self._text_name = ""
        self._elements: list[str] = []
        self._found: list[_Annotation] = []
        self._classes: dict[str, str] = {}
        self._class_mention = ""
        self._slots: list[_Slot] = []
        self._slots_of: dict[str, list[str]] = {}

    def setDocumentLocator(self, locator: Locator) -> None:
        self._locator = locator

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        if not self._elements and name not in _ROOTS:
            raise GapDNERError(
                f"{self._path} is not Knowtator XML: its root is <{name}>, not <{_ROOTS[0]}> or "
                f"<{_ROOTS[1]}>. Choose the right format."
            )
        within = "annotation" in self._elements
        self._elements.append(name)
        if name == _ROOTS[0] and len(self._elements) == 1:
            self._text_name = attrs.get("textSource", "")
        elif name == "document":
            if self._text_name:
                raise GapDNERError(f"{self._path} is of several documents. Make a file of each.")
            self._text_name = attrs.get("text-file") or f"{attrs.get('id', '')}.txt"
        elif name == "annotation":
            self._found.append(_Annotation(self._place(), attrs.get("id")))
        elif name == "classMention":
            self._class_mention = attrs.get("id", "")
        elif name == "mentionClass":
            self._classes[self._class_mention] = attrs.get("id", "")
        elif name == "hasSlotMention":
            self._slots_of.setdefault(self._class_mention, []).append(attrs.get("id", ""))
        elif name == "triple":
            self._drop("relation", f"cannot hold {dict(attrs)}", self._place())
        elif "SlotMention" in name or name == "mentionSlot":
            self._start_slot(name, attrs)
        elif within:
            self._start_within(self._found[-1], name, attrs)

    def _start_slot(self, name: str, attrs: AttributesImpl) -> None:
        # stringSlotMention, complexSlotMention ..., each with mentionSlot and ...SlotMentionValue
        if name.endswith("SlotMention"):
            is_complex = name == "complexSlotMention"
            self._slots.append(_Slot(self._place(), attrs.get("id", ""), is_complex))
        elif self._slots and name == "mentionSlot":
            self._slots[-1].name = attrs.get("id", "")
        elif self._slots:
            self._slots[-1].values.append(attrs.get("value", ""))

    def _start_within(self, annotation: "_Annotation", name: str, attrs: AttributesImpl) -> None:
        if name == "mention":
            annotation.mention = attrs.get("id")
        elif name == "class":
            annotation.label = attrs.get("id")
        elif name == "span":
            annotation.offsets.append((attrs.get("start", ""), attrs.get("end", "")))
            annotation.texts.append("")
        elif name == "spannedText":
            annotation.surface = ""

    def characters(self, content: str) -> None:
        if "annotation" not in self._elements:
            return
        annotation = self._found[-1]
        if self._elements[-1] == "spannedText":
            annotation.surface = (annotation.surface or "") + content
        elif self._elements[-1] == "span":
            annotation.texts[-1] += content

    def endElement(self, name: str) -> None:
        self._elements.pop()

    def result(self) -> AnnotationFile:
        """RETURNS (AnnotationFile): What the file says, once it is parsed."""
        slots = {slot.id: slot for slot in reversed(self._slots)}
        entities = [self._entity(annotation, slots) for annotation in self._found]
        for slot in self._slots:
            if slot.is_complex or not slot.is_read:
                kind = "relation" if slot.is_complex else "slot of no annotation"
                message = f"cannot hold {slot.id} with {slot.name!r:.60}: {slot.values!r:.60}"
                self._drop(kind, message, slot.place)
        return AnnotationFile(Path(self._text_name).name, [e for e in entities if e is not None])

    def _entity(self, annotation: "_Annotation", slots: "dict[str, _Slot]") -> TextEntity | None:
        label = self._label or annotation.label
        label = label or self._classes.get(annotation.mention or "")
        name = annotation.id or annotation.mention
        problem = None
        if not label:
            problem = "annotation without class"
        elif not annotation.offsets:
            problem = "annotation without span"
        elif not all(_OFFSET.fullmatch(n) for offsets in annotation.offsets for n in offsets):
            problem = "offsets are no numbers"
        if problem or not label:
            message = f"{name}: {problem}, {annotation.offsets}"
            self._drop(problem or "", message, annotation.place)
            return None
        fragments = tuple((int(start), int(end)) for start, end in annotation.offsets)
        surface = annotation.surface
        if surface is None and all(annotation.texts):
            surface = _SEPARATOR.join(annotation.texts)
        attrs = self._attributes(annotation.mention or "", slots)
        return TextEntity(label, fragments, name, annotation.place, surface, None, attrs)

    def _attributes(self, mention: str, slots: "dict[str, _Slot]") -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in self._slots_of.get(mention, ()):
            slot = slots.get(name)
            if slot is None or slot.is_complex:
                continue
            slot.is_read = True
            if slot.name in values:
                message = f"{mention} has {slot.name!r:.60}: {slot.values!r:.60} too"
                self._drop("attribute given twice", message, slot.place)
            else:
                values[slot.name] = slot.values[0] if len(slot.values) == 1 else slot.values
        offer_extensions(values)
        return {"_": values} if values else {}

    def _drop(self, kind: str, message: str, place: Place) -> None:
        self._report.add("dropped", kind, message, place)

    def _place(self) -> Place:
        line = self._locator.getLineNumber() if self._locator else None
        return Place(str(self._path), line, Path(self._text_name).stem)


class _Annotation:
    """An annotation while its elements come in."""

    def __init__(self, place: Place, id: str | None) -> None:
        self.place, self.id = place, id
        self.mention: str | None = None
        self.label: str | None = None
        self.surface: str | None = None
        self.offsets: list[tuple[str, str]] = []
        self.texts: list[str] = []


class _Slot:
    """What is said of annotations: a value, or in a complex slot another annotation."""

    def __init__(self, place: Place, id: str, is_complex: bool) -> None:
        self.place, self.id, self.is_complex = place, id, is_complex
        self.name = ""
        self.values: list[str] = []
        self.is_read = False
