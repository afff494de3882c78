"""Read the CRAFT corpus in its official layout."""

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
    """RETURNS (bool): Whether a folder has the layout of CRAFT."""
    return (path / "articles" / "txt").is_dir() and (path / "concept-annotation").is_dir()


def read_craft(
    path: Path,
    report: Report,
    *,
    ontologies: str = "",
    labels: Labels = "ontology",
    split: str | None = None,
) -> Iterator[TextRecord]:
    """Read articles of CRAFT, sorted by name.

    ontologies (str): Comma-separated names, e.g. "CL,GO_BP", or names of variants, e.g.
        "CL+extensions". By default all ontologies, without extensions.
    labels (str): "ontology" to use the names of ontologies as labels, and the classes of
        annotations as knowledge base IDs. "class" to use the classes as labels.
    split (Optional[str]): "train", "dev" or "test". None for all articles.
    """
    if not is_craft(path):
        raise GapDNERError(
            f"{path} is not the top folder of CRAFT, which contains articles/txt and "
            "concept-annotation. Check the path, or use the format knowtator."
        )
    if labels not in get_args(Labels):
        raise GapDNERError(f"Unknown labels: {labels!r}. Use {' or '.join(get_args(Labels))}.")
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
            message = f"{ontology} has no annotation file, so the article has no entities of it"
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
            f"{path} has no ontology {', '.join(missing)}. Use {', '.join(known) or 'none'}, or "
            "unpack the zipped ontologies."
        )
    # extensions repeat the annotations of their ontology
    return {name: known[name] for name in ontologies or families}


def _articles(path: Path, split: str | None, report: Report) -> list[str]:
    texts = path / "articles" / "txt"
    present = {file.stem for file in visible_files(texts, (".txt",))}
    if split is None:
        return sorted(present)
    if split not in SPLITS:
        raise GapDNERError(f"Unknown split: {split!r}. Use {', '.join(SPLITS)}.")
    list_path = path / "articles" / "ids" / f"craft-ids-{split}.txt"
    wanted = set(read_text(list_path).split())
    if not wanted & present:
        raise GapDNERError(f"None of the {len(wanted)} articles of {list_path} is in {texts}.")
    for name in sorted(wanted - present):
        message = f"the article of the {split} split has no text"
        report.add("dropped", "article missing", message, Place(str(list_path), None, name))
    return sorted(wanted & present)
