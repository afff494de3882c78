"""Read UIMA CAS, exported by INCEpTION and WebAnno: XMI with its type system, also zipped, or JSON.

Entities are the annotations of the layer "Named entity" and of custom span layers. Relations and
link features connect them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from ..errors import GapDNERError
from .attributes import split_attributes
from .files import first_text, input_files
from .linked_regions import LinkedRegions, check_annotator, read_regions
from .records import TextRecord
from .report import Place, Report, reading
from .xmi import TYPE_SYSTEM, derive_type_system, is_xmi, repair_ids, repair_xml

SUFFIXES = (".xmi", ".zip", ".json", ".xml")
_PROJECT = "exportedproject.json"
# a small file can contain gigabytes
_MAX_UNPACKED_MB = 100
# the folders of a project with a folder for each document
_ANNOTATED = ("annotation", "curation")
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_CUSTOM = ("custom.", "webanno.custom.")
# features that contain the type, if they are declared, and features of all annotations
_LABELS = ("value", "label", "referenceType")
_NO_ATTRIBUTES = ("begin", "end", "sofa", "referenceRelation")
# the option for types that are the names of layers
_LAYER = "layer"
# a feature describes single annotations if it has more values, each used less than 10 times on
# average
_MOST_TYPES = 50


class _Annotation(NamedTuple):
    layer: str
    id: str
    # strings, numbers, booleans and tuples of strings
    features: dict[str, Any]
    # the names of all string features, also of features without a value
    declared: tuple[str, ...]
    # labels and ids of linked annotations
    links: list[tuple[object, str]]
    # the ids of the annotations that a relation connects
    ends: tuple[str, str] | None


_Document = tuple[str, list[_Annotation]]


def read_cas(
    path: Path, report: Report, annotator: str | None = None, type: str = ""
) -> Iterator[TextRecord]:
    """Read UIMA CAS with dkpro-cassis: XMI next to ``TypeSystem.xml``, a .zip with both, or a
    .json. Without a type system, features are strings. In the folder of a project, where each
    annotator has a file, only the file of one annotator can be read. CURATION_USER is the curated
    annotation. `type` is the feature with the types, or "layer" for the names of layers. By
    default, it is chosen for each layer.
    """
    # INCEpTION names files after their annotators, or INITIAL_CAS if nobody has annotated them
    files = [file for file in input_files(path, SUFFIXES) if file.stem != "INITIAL_CAS"]
    files = [f for f in files if f.suffix != ".xml" or is_xmi(first_text(f)) or f == path]
    roots = [file.parent for file in files if file.name == _PROJECT]
    # the other folders of a project have its settings and the imported files
    layers = {root / name for root in roots for name in _ANNOTATED}
    files = [file for file in files if not layers or layers.intersection(file.parents)]
    check_annotator(path, annotator, (file.stem for file in files))
    found: list[tuple[_Document, Place]] = []
    for file in (f for f in files if annotator in (None, f.stem)):
        with reading(report, Place(str(file))):
            found.append(_read_document(file, report, with_annotator=annotator is None))
    # the types of all documents are chosen together
    annotations = [annotation for (_, own), _ in found for annotation in own]
    types = _choose_types(annotations, type, report, path)
    yield from read_regions(found, report, partial(_parse, types=types), note_repeats=True)


def _read_document(path: Path, report: Report, with_annotator: bool) -> tuple[_Document, Place]:
    cas = _load_cas(path, report)
    all_annotations = cas.select_all_fs()
    names = [a.get("documentTitle") for a in all_annotations if a.type.name == _METADATA]
    name = str(next(filter(None, names), path.stem))
    # the folder of a document in a project
    in_project = path.parent.name == name or path.parent.parent.name in _ANNOTATED
    # named after the imported file
    name = name.removesuffix(".txt")
    if with_annotator and in_project:
        name = f"{name}-{path.stem}"
    used = (a for a in all_annotations if a.type.name.startswith((_NAMED_ENTITY, *_CUSTOM)))
    # links have no place, and chains refer only to their first region
    placed = (a for a in used if a.type.get_feature("sofa") and not a.type.get_feature("first"))
    annotations = list(map(_copy, placed))
    return (str(cas.sofa_string or ""), annotations), Place(str(path), None, name)


def _load_cas(path: Path, report: Report) -> Any:
    try:
        from cassis import load_cas_from_json, load_cas_from_xmi, load_typesystem
    except ImportError as error:
        raise GapDNERError(f"{path} needs cassis: pip install 'spacy-gapdner[cas]'.") from error
    try:
        files = _read_files(path)
        ends = (".xmi", ".json", ".xml")
        found = [(name, raw) for name, raw in files if name.endswith(ends) and name != TYPE_SYSTEM]
        if len(found) != 1 or found[0][0] == _PROJECT:
            raise GapDNERError(
                f"{path} does not contain exactly one .xmi or .json file. Unpack projects, and "
                "convert the folder or one file."
            )
        ((name, raw),) = found
        if name.endswith(".json"):
            ids = Counter(re.findall(rb'"%ID"\s*:\s*(\d+)', raw))
            if repeated := next((id.decode() for id, n in ids.items() if n > 1), ""):
                raise GapDNERError(f"{path} has several annotations with the %ID {repeated}.")
            return load_cas_from_json(BytesIO(raw))
        place = Place(str(path))
        raw = repair_ids(repair_xml(raw, report, place), report, place)
        given = dict(files).get(TYPE_SYSTEM)
        if given is None:
            message = f"without {TYPE_SYSTEM}, all features are read as strings"
            report.add("repaired", "missing type system", message, place)
            return load_cas_from_xmi(BytesIO(raw), derive_type_system(raw))
        types = load_typesystem(BytesIO(repair_xml(given, report, place)))
        return load_cas_from_xmi(BytesIO(raw), types)
    except GapDNERError:
        raise
    # invalid files can raise any exception in the library
    except Exception as error:
        raise GapDNERError(f"{path} is not valid UIMA CAS: {error!r}. Export it again.") from error


def _read_files(path: Path) -> list[tuple[str, bytes]]:
    # names are not unique in a zip file with folders
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members) >> 20
            if size > _MAX_UNPACKED_MB:
                raise GapDNERError(
                    f"{path} contains {size} MB, more than {_MAX_UNPACKED_MB} MB. Unpack it first."
                )
            # `ZipFile.read` unpacks everything, even if the member states a smaller size
            return [(Path(m.filename).name, archive.open(m).read(m.file_size)) for m in members]
    files = [path] if path.suffix == ".json" else [path, path.with_name(TYPE_SYSTEM)]
    return [(file.name, file.read_bytes()) for file in files if file.is_file()]


def _copy(annotation: Any) -> _Annotation:
    types = {feature.name: feature.rangeType.name for feature in annotation.type.all_features}
    values = {name: _value(annotation.get(name)) for name in types}
    links: list[tuple[object, str]] = []
    for value in values.values():
        # a link feature is a list of links with a role and a target
        for link in value if isinstance(value, list) else ():
            if link.type.get_feature("target"):
                links.append((link.get("role"), _id(link.target)))
    if values.get("next") is not None:
        # a chain refers to its next region
        links.append((values.get("referenceRelation") or "", _id(values["next"])))
    ends = [_id(values[name]) for name in ("Governor", "Dependent") if name in values]
    return _Annotation(
        annotation.type.name.rpartition(".")[2],
        _id(annotation),
        {k: v for k, v in values.items() if isinstance(v, str | bool | int | float | tuple)},
        tuple(name for name, kind in types.items() if kind == "uima.cas.String"),
        links,
        (ends[0], ends[1]) if len(ends) == 2 else None,
    )


def _choose_types(
    annotations: Iterable[_Annotation], given: str, report: Report, path: Path
) -> dict[str, str]:
    # returns the feature with the type for each layer; "" for the layer's name
    layers: dict[str, list[_Annotation]] = {}
    for annotation in annotations:
        if annotation.features.get("end") and annotation.ends is None:
            layers.setdefault(annotation.layer, []).append(annotation)
    declared = {
        layer: {name for annotation in found for name in annotation.declared}
        for layer, found in layers.items()
    }
    if given not in ("", _LAYER) and layers and not any(given in d for d in declared.values()):
        features = ", ".join(sorted({name for names in declared.values() for name in names}))
        raise GapDNERError(f"{path} has no layer with the string feature {given!r}: {features}.")
    chosen = {}
    for layer, found in sorted(layers.items()):
        names = (_LAYER,) if given == _LAYER else (given, *_LABELS)
        feature = next((name for name in names if name in declared[layer]), "")
        what = f"the feature {feature}" if feature else "the name of the layer"
        if feature in _LABELS[:2] and feature != given and layer != "NamedEntity":
            values = [a.features[feature] for a in found if a.features.get(feature)]
            if not _are_types(values):
                what = (
                    f"the name of the layer, because {feature} has values such as "
                    f"{values[0]!r:.60}. To use them: --option type={feature}"
                )
                feature = ""
        chosen[layer] = feature
        message = f"{layer} ({len(found)}): {what}"
        report.add("chosen", "type of the entities of a layer", message, Place(str(path)))
    return chosen


def _are_types(values: Sequence[str]) -> bool:
    # normalized dates, numbers and codes describe single annotations
    different = set(values)
    numbers = sum(any(char.isdigit() for char in value) for value in different)
    is_closed = len(different) <= max(_MOST_TYPES, len(values) // 10)
    return is_closed and 2 * numbers <= len(different)


def _parse(document: _Document, regions: LinkedRegions, types: dict[str, str]) -> str:
    text, annotations = document
    # cassis converts offsets
    regions.units = "characters"
    for annotation in annotations:
        _add_annotation(annotation, regions, types)
    return text


def _add_annotation(annotation: _Annotation, regions: LinkedRegions, types: dict[str, str]) -> None:
    features, layer = annotation.features, annotation.layer
    texts = {key: value for key, value in features.items() if isinstance(value, str) and value}
    if annotation.ends is not None:
        kind = next((texts[key] for key in annotation.declared if key in texts), layer)
        regions.link(kind, *annotation.ends)
        return
    # INCEpTION stores them at the beginning in projects of WebAnno
    if features.get("end", 0) == 0:
        regions.drop("annotation of the document", f"{layer} annotates the document")
        return
    for role, target in annotation.links:
        regions.link(role, annotation.id, target)
    key, offsets = types[layer], (features["begin"], features["end"])
    label = texts.get(key) if key else layer
    if label is None:
        message = f"{layer} has no {key}. See --option type=layer"
        regions.drop_untyped(message, (offsets,))
        return
    others = {k: v for k, v in features.items() if k not in (*_NO_ATTRIBUTES, key) and v != ""}
    score, attrs = split_attributes(others, "identifier")
    regions.add(annotation, label, [offsets], annotation.id, None, score, attrs)


def _value(value: Any) -> Any:
    # arrays of strings as tuples, arrays of annotations as lists
    elements = getattr(value, "elements", None) or []
    is_strings = elements and all(isinstance(element, str) for element in elements)
    return tuple(elements) if is_strings else elements or value


def _id(annotation: Any) -> str:
    return str(getattr(annotation, "xmiID", None))
