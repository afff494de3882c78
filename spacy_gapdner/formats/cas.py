"""UIMA CAS, exported by INCEpTION and WebAnno: XMI with its type system, also zipped, or JSON.

Entities are the annotations of the layer "Named entity" and of custom span layers. Relations and
link features connect them.
"""

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from ..errors import GapDNERError
from .files import input_files
from .linked_regions import LinkedRegions, check_annotator, read_regions, split_attributes
from .records import TextRecord
from .report import Place, Report

SUFFIXES = (".xmi", ".zip", ".json")
_TYPE_SYSTEM = "TypeSystem.xml"
_PROJECT = "exportedproject.json"
# a small file can contain gigabytes
_MAX_UNPACKED_MB = 100
# the folders of a project with a folder for each document
_ANNOTATED = ("annotation", "curation")
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_CUSTOM = ("custom.", "webanno.custom.")
# features that contain the type, and features of all annotations
_LABELS = ("value", "label")
_POSITION = ("begin", "end", "sofa")


def read_cas(path: Path, report: Report, annotator: str | None = None) -> Iterator[TextRecord]:
    """Read UIMA CAS with dkpro-cassis: a .xmi next to ``TypeSystem.xml``, a .zip with both, or a
    .json. In the folder of a project, where each annotator has a file, only that of one annotator
    can be read. CURATION_USER is the curated annotation.
    """
    # INCEpTION names files after their annotators, or INITIAL_CAS if nobody has annotated them
    files = [file for file in input_files(path, SUFFIXES) if file.stem != "INITIAL_CAS"]
    roots = [file.parent for file in files if file.name == _PROJECT]
    # the other folders of a project have its settings and the imported files
    layers = {root / name for root in roots for name in _ANNOTATED}
    files = [file for file in files if not layers or layers.intersection(file.parents)]
    check_annotator(path, annotator, (file.stem for file in files))
    places = ((f, Place(str(f))) for f in files if annotator in (None, f.stem))
    parse = partial(_parse_cas, with_annotator=annotator is None)
    yield from read_regions(places, report, parse, note_repeats=True)


def _load_cas(path: Path) -> Any:
    try:
        from cassis import load_cas_from_json, load_cas_from_xmi, load_typesystem
    except ImportError:
        raise GapDNERError(f"{path} needs cassis: pip install 'spacy-gapdner[cas]'.") from None
    try:
        files = _read_files(path)
        found = [(name, raw) for name, raw in files if name.endswith((".xmi", ".json"))]
        if not found:
            raise GapDNERError(f"{path} contains no .xmi or .json file. Is it UIMA CAS?")
        if len(found) != 1 or found[0][0] == _PROJECT:
            raise GapDNERError(
                f"{path} contains a project or several documents. Unpack it, and convert the "
                "folder or one file."
            )
        ((name, raw),) = found
        if name.endswith(".json"):
            return load_cas_from_json(BytesIO(raw))
        types = dict(files).get(_TYPE_SYSTEM)
        if types is None:
            raise GapDNERError(f"{path} has no {_TYPE_SYSTEM} next to it. Add it.")
        return load_cas_from_xmi(BytesIO(raw), load_typesystem(BytesIO(types)))
    except GapDNERError:
        raise
    # invalid files can raise any exception in the library
    except Exception as error:
        raise GapDNERError(f"{path} is not valid UIMA CAS: {error!r}. Export it again.") from None


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
    files = [path, path.with_name(_TYPE_SYSTEM)] if path.suffix == ".xmi" else [path]
    return [(file.name, file.read_bytes()) for file in files if file.is_file()]


def _parse_cas(path: Path, regions: LinkedRegions, with_annotator: bool) -> str:
    cas = _load_cas(path)
    annotations = cas.select_all_fs()
    names = [a.get("documentTitle") for a in annotations if a.type.name == _METADATA]
    name = str(next(filter(None, names), path.stem))
    # the folder of a document in a project
    in_project = path.parent.name == name or path.parent.parent.name in _ANNOTATED
    # named after the imported file
    name = name.removesuffix(".txt")
    if with_annotator and in_project:
        name = f"{name}-{path.stem}"
    regions.place = Place(str(path), None, name)
    # cassis converts offsets
    regions.units = "characters"
    for annotation in annotations:
        if annotation.type.name == _NAMED_ENTITY or annotation.type.name.startswith(_CUSTOM):
            _add_annotation(annotation, regions)
    return str(cas.sofa_string or "")


def _add_annotation(annotation: Any, regions: LinkedRegions) -> None:
    features = {f.name: _value(annotation.get(f.name)) for f in annotation.type.all_features}
    layer = annotation.type.name.rpartition(".")[2]
    if "begin" not in features:
        # links have no text, and chains only refer to their first region
        if "sofa" in features and "first" not in features:
            regions.drop("annotation of the document", f"{layer} annotates the document")
        return
    if "referenceRelation" in features:
        # a chain refers to its next region
        label, after = features.pop("referenceRelation"), features.pop("next")
        if after is not None:
            regions.link(label or "", _id(annotation), _id(after))
    texts = {key: value for key, value in features.items() if isinstance(value, str) and value}
    if "Governor" in features and "Dependent" in features:
        label = next(iter(texts.values()), layer)
        regions.link(label, _id(features["Governor"]), _id(features["Dependent"]))
        return
    key = next((key for key in (*_LABELS, *texts) if key in texts and key != "identifier"), "")
    values = {
        name: value
        for name, value in features.items()
        if name not in (*_POSITION, key) and isinstance(value, str | bool | int | float | tuple)
    }
    score, attrs = split_attributes(values, "identifier")
    offsets = [(features["begin"], features["end"])]
    regions.add(annotation, texts.get(key, layer), offsets, _id(annotation), None, score, attrs)
    for value in features.values():
        # a link feature is a list of links with a role and a target
        for link in value if isinstance(value, list) else ():
            if "target" in {f.name for f in link.type.all_features}:
                regions.link(link.get("role"), _id(annotation), _id(link.target))


def _value(value: Any) -> Any:
    # arrays of strings as tuples, arrays of annotations as lists
    elements = getattr(value, "elements", None) or []
    is_strings = elements and all(isinstance(element, str) for element in elements)
    return tuple(elements) if is_strings else elements or value


def _id(annotation: Any) -> str:
    return str(getattr(annotation, "xmiID", None))
