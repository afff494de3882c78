"""Repair XMI files before a library reads them."""

import re
from collections import Counter
from itertools import count
from typing import Any
from xml.etree.ElementTree import Element, tostring

from defusedxml.ElementTree import fromstring

from .report import Place, Report

TYPE_SYSTEM = "TypeSystem.xml"
_ROOT = re.compile(r"<(?:[\w.-]+:)?XMI\b")
_ID = "{http://www.omg.org/XMI}id"
_VIEW, _SOFA = "{http:///uima/cas.ecore}View", "{http:///uima/cas.ecore}Sofa"
_VERSION = re.compile(rb"""(<\?xml[^>]*version\s*=\s*["'])1\.1""")
# features with the id of another annotation
_REFERENCES = ("target", "Governor", "Dependent", "next", "first")
# references to control characters, except tab, line feed and carriage return
_CONTROL = re.compile(rb"&#(?:x0*(?:[0-8BCEF]|1[0-9A-F])|0*(?:[0-8]|1[124-9]|2\d|3[01]));", re.I)


def is_xmi(text: str) -> bool:
    """RETURNS (bool): Whether a file begins like an XMI file."""
    return _ROOT.search(text) is not None


def repair_xml(raw: bytes, report: Report, place: Place) -> bytes:
    """RETURNS (bytes): XML 1.0, with replacement characters instead of control characters, so that
    offsets do not change. UIMA exports such texts as XML 1.1, which few libraries can read.
    """
    changed, n_changed = _VERSION.subn(rb"\g<1>1.0", raw, count=1)
    if not n_changed:
        return raw
    changed, n_replaced = _CONTROL.subn("\ufffd".encode(), changed)
    message = f"control characters that XML 1.0 does not allow and that are replaced: {n_replaced}"
    report.add("repaired", "XML 1.1 read as XML 1.0", message, place)
    return changed


def repair_ids(raw: bytes, report: Report, place: Place) -> bytes:
    """RETURNS (bytes): XMI in which each annotation has its own id. If several have the same id,
    references to it mean the first, and the others get new ids. Members of a view that do not exist
    are removed. An annotation can have the id of a sofa.
    """
    root: Element = fromstring(raw)
    annotations = [e for e in root if e.tag != _SOFA and _ID in e.attrib]
    members = {v: dict.fromkeys(v.get("members", "").split()) for v in root if v.tag == _VIEW}
    repeated = Counter(element.attrib[_ID] for element in annotations)
    repeated -= Counter(repeated.keys())
    for name, n in repeated.items():
        message = f"{n + 1} annotations have the id {name}, and get different ids"
        report.add("repaired", "repeated xmi:id", message, place)
    new = count(max((int(e.get(_ID, 0)) for e in root), default=0) + 1)
    known: set[str] = set()
    for element in annotations:
        if element.attrib[_ID] in known:
            element.set(_ID, str(next(new)))
            for view, names in members.items():
                if view.get("sofa") == element.get("sofa"):
                    names[element.attrib[_ID]] = None
        known.add(element.attrib[_ID])
    missing = [name for names in members.values() for name in names if name not in known]
    for view, names in members.items():
        view.set("members", " ".join(name for name in names if name in known))
    if missing:
        message = f"{len(missing)} in the index of the file, such as {missing[0]}"
        report.add("kept", "ids without an annotation", message, place)
    return bytes(tostring(root, encoding="utf-8")) if repeated or missing else raw


def derive_type_system(raw: bytes) -> Any:
    """RETURNS (cassis.TypeSystem): The types of an XMI file without a type system. Features are
    strings, except for strings that refer to other annotations in files of WebAnno.
    """
    from cassis import TypeSystem

    root: Element = fromstring(raw)
    links = {element.get(_ID) for element in root if "target" in element.attrib}
    features: dict[str, dict[str, str]] = {}
    for element in root:
        namespace, _, name = element.tag.rpartition("}")
        namespace = namespace.removeprefix("{http:///").removesuffix(".ecore").replace("/", ".")
        if namespace.startswith(("uima.", "{")):
            continue
        found = features.setdefault(f"{namespace}.{name}", {})
        found |= {child.tag: "uima.cas.StringArray" for child in element}
        for key, value in element.items():
            is_list = value and links.issuperset(value.split())
            kind = "uima.cas.FSArray" if is_list else "uima.cas.String"
            kind = "uima.cas.TOP" if key in _REFERENCES else kind
            # values can be empty
            if found.get(key, "uima.cas.String") == "uima.cas.String":
                found[key] = kind
    types = TypeSystem()
    for name, kinds in features.items():
        base = "uima.cas.AnnotationBase" if "sofa" in kinds else "uima.cas.TOP"
        made = types.create_type(name, "uima.tcas.Annotation" if "begin" in kinds else base)
        for key in kinds.keys() - {_ID, "begin", "end", "sofa"}:
            types.create_feature(made, key, kinds[key])
    return types
