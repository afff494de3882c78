"""The CRAFT corpus in its official layout: one text an article, annotations by ontology."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files
from spacy_gapdner.formats.records import TextEntity, TextRecord
from spacy_gapdner.formats.report import Place, Report, reading

from .knowtator import make_record, read_annotation_file

Labels = Literal["ontology", "class"]
SPLITS = ("train", "dev", "test")
_SUFFIXES = (".txt.knowtator.xml", ".xml")


def is_craft(path: Path) -> bool:
    """RETURNS (bool): Whether a folder has texts and annotations where CRAFT has them."""
    return (path / "articles" / "txt").is_dir() and (path / "concept-annotation").is_dir()


def read_craft(
    path: Path,
    report: Report,
    *,
    ontologies: str = "",
    labels: Labels = "ontology",
    split: str | None = None,
) -> Iterator[TextRecord]:
    """Read articles of CRAFT with the annotations of some ontologies.

    ontologies (str): Names separated by commas, such as "CL,GO_BP", or of variants such as
        "CL+extensions"; every ontology, in its plain variant, if empty.
    labels (str): "ontology" for the ontologies' names, with the annotations' classes as ids in a
        knowledge base; "class" for the classes.
    split (Optional[str]): "train", "dev" or "test"; all articles if None.
    YIELDS (TextRecord): Articles by the order of their names.
    """
    if not is_craft(path):
        raise GapDNERError(
            f"{path} is not the top folder of CRAFT: it has no articles/txt and "
            "concept-annotation. Check the path, or choose the format knowtator."
        )
    if labels not in get_args(Labels):
        raise GapDNERError(f"Unknown labels {labels!r}: choose {' or '.join(get_args(Labels))}.")
    folders = _choose(path, tuple(filter(None, ontologies.split(","))))
    for name in _articles(path, split, report):
        text_path = path / "articles" / "txt" / f"{name}.txt"
        with reading(report, Place(str(text_path), None, name)):
            entities = _read_entities(name, folders, labels, report)
            yield make_record(name, text_path, entities, report)


def _read_entities(
    name: str, folders: dict[str, Path], labels: Labels, report: Report
) -> list[TextEntity]:
    entities: list[TextEntity] = []
    for ontology, folder in folders.items():
        files = [folder / f"{name}{suffix}" for suffix in _SUFFIXES]
        file = next((file for file in files if file.is_file()), None)
        if file is None:
            message = f"{ontology} has no annotation: taken as without entities"
            report.add("kept", "no annotation file", message, Place(str(folder), None, name))
            continue
        _, found = read_annotation_file(file, report)
        if labels == "ontology":
            found = [
                replace(entity, label=ontology, attrs={**entity.attrs, "kb_id": entity.label})
                for entity in found
            ]
        entities.extend(found)
    return entities


def _choose(path: Path, ontologies: tuple[str, ...]) -> dict[str, Path]:
    # CL/CL/knowtator, CL/CL+extensions/knowtator, MONDO/MONDO_without_.../knowtator-2
    families: dict[str, Path] = {}
    variants: dict[str, Path] = {}
    for family in sorted((path / "concept-annotation").iterdir()):
        folders = sorted(folder for folder in family.glob("*/knowtator*") if folder.is_dir())
        found = {folder.parent.name: folder for folder in folders}
        if found:
            plain = [name for name in found if "_without_" in name] or list(found)
            families[family.name] = found.get(family.name, found[plain[0]])
            variants |= found
    known = {**variants, **families}
    missing = [name for name in ontologies if name not in known]
    if missing or not known:
        raise GapDNERError(
            f"{path} has no ontology {', '.join(missing)}. It has: {', '.join(known) or 'none'}; "
            "zipped ones must be unpacked first."
        )
    # all, but not the extensions, which repeat what they extend
    return {name: known[name] for name in ontologies or families}


def _articles(path: Path, split: str | None, report: Report) -> list[str]:
    texts = path / "articles" / "txt"
    present = {file.stem for file in visible_files(texts, (".txt",))}
    if split is None:
        return sorted(present)
    if split not in SPLITS:
        raise GapDNERError(f"Unknown split {split!r}: choose {', '.join(SPLITS)}.")
    list_path = path / "articles" / "ids" / f"craft-ids-{split}.txt"
    wanted = set(read_text(list_path, report).split())
    if not wanted & present:
        raise GapDNERError(f"None of the {len(wanted)} articles of {list_path} is in {texts}.")
    for name in sorted(wanted - present):
        message = f"it is in the {split} split, but has no text"
        report.add("dropped", "article missing", message, Place(str(list_path), None, name))
    return sorted(wanted & present)
