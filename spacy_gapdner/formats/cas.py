"""UIMA CAS, exported by INCEpTION and WebAnno: XMI with its type system, also zipped, or JSON.

Entities are the annotations of the layer "Named entity" and of custom span layers. Relations and
link features connect them.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from ..errors import GapDNERError
from .files import file_reader
from .linked_regions import LinkedRegions
from .named_values import split_attributes
from .records import TextRecord
from .report import Place, Report

if TYPE_CHECKING:
    from cassis import Cas

_TYPE_SYSTEM = "TypeSystem.xml"
# INCEpTION's name for a document that has not been annotated
_UNTOUCHED = "INITIAL_CAS"
_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_CUSTOM = ("custom.", "webanno.custom.")
# features that contain the type, and features of all annotations
_LABELS = ("value", "label")
_POSITION = ("begin", "end", "sofa")


@file_reader(".xmi", ".zip", ".json")
def read_cas(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read UIMA CAS with dkpro-cassis: a .xmi next to ``TypeSystem.xml``, a .zip with both, or a
    .json. Documents have their name in the project, else that of the file. Relations are dropped.
    """
    if path.stem != _UNTOUCHED:
        yield _to_record(_load(path), path, report)


def _load(path: Path) -> "Cas":
    try:
        from cassis import load_cas_from_json, load_cas_from_xmi, load_typesystem
    except ImportError:
        raise GapDNERError(
            f"Reading {path} needs dkpro-cassis: pip install 'spacy-gapdner[cas]'."
        ) from None
    try:
        files = _read_files(path)
        found = [name for name in files if name.endswith((".xmi", ".json"))]
        if len(found) != 1:
            raise GapDNERError(f"{path} contains {len(found)} documents. Split it into files.")
        document = BytesIO(files[found[0]])
        if found[0].endswith(".json"):
            return load_cas_from_json(document)
        if _TYPE_SYSTEM not in files:
            raise GapDNERError(f"{path} has no {_TYPE_SYSTEM} next to it. Add it.")
        return load_cas_from_xmi(document, load_typesystem(BytesIO(files[_TYPE_SYSTEM])))
    except (GapDNERError, OSError):
        raise
    # invalid files can raise any exception in the library
    except Exception as error:
        raise GapDNERError(
            f"{path} cannot be read as UIMA CAS ({type(error).__name__}: {error}). Export it again."
        ) from None


def _read_files(path: Path) -> dict[str, bytes]:
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            return {Path(name).name: archive.read(name) for name in archive.namelist()}
    files = {path, path.with_name(_TYPE_SYSTEM)} if path.suffix == ".xmi" else {path}
    return {file.name: file.read_bytes() for file in files if file.is_file()}


def _to_record(cas: "Cas", path: Path, report: Report) -> TextRecord:
    annotations = cas.select_all_fs()
    names = [a.get("documentTitle") for a in annotations if a.type.name == _METADATA]
    place = Place(str(path), None, str(next(filter(None, names), path.stem)))
    regions = LinkedRegions(place, report)
    for annotation in annotations:
        if annotation.type.name == _NAMED_ENTITY or annotation.type.name.startswith(_CUSTOM):
            _add(annotation, regions)
    return regions.to_record(cas.sofa_string or "")


def _add(annotation: Any, regions: LinkedRegions) -> None:
    features = {f.name: annotation.get(f.name) for f in annotation.type.all_features}
    if "begin" not in features:
        # it annotates the document
        return
    layer = annotation.type.name.rpartition(".")[2]
    texts = {key: value for key, value in features.items() if isinstance(value, str) and value}
    if "Governor" in features and "Dependent" in features:
        label = next(iter(texts.values()), layer)
        regions.link(label, _id(features["Governor"]), _id(features["Dependent"]))
        return
    key = next((key for key in (*_LABELS, *texts) if key in texts and key != "identifier"), "")
    values = {
        name: value
        for name, value in features.items()
        if name not in (*_POSITION, key) and isinstance(value, str | bool | int | float)
    }
    attrs = split_attributes(values, "identifier")[1]
    offsets = [(features["begin"], features["end"])]
    regions.add(annotation, texts.get(key, layer), offsets, _id(annotation), attrs=attrs)
    for value in features.values():
        # a link feature is a list of links with a role and a target
        for link in getattr(value, "elements", None) or ():
            if "target" in {f.name for f in link.type.all_features}:
                regions.link(link.get("role"), _id(annotation), _id(link.target))


def _id(annotation: Any) -> str:
    return str(getattr(annotation, "xmiID", None))
