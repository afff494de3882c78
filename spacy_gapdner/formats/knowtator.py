"""Knowtator: texts with annotation files in XML, of version 1 (also written by eHOST) or 2."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import GapDNERError
from .base import first_bytes, input_files
from .craft import is_craft
from .files import visible_files
from .knowtator_xml import make_record, read_annotation_file
from .records import TextRecord
from .report import Place, Report, reading


def has_knowtator_root(path: Path) -> bool:
    """RETURNS (bool): Whether the first bytes of a file hold a root element of Knowtator."""
    start = first_bytes(path)
    return b"<annotations" in start or b"<knowtator-project" in start


def read_knowtator(path: Path, report: Report) -> Iterator[TextRecord]:
    """Read Knowtator XML, one document at a time: a folder with texts and annotation files (.xml)
    at any depth, or one annotation file. Labels are the classes of the annotations.
    """
    path = Path(path)
    if is_craft(path):
        raise GapDNERError(f"{path} is the CRAFT corpus. Choose the format craft.")
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


def _find_text(file: Path, name: str, texts: dict[str, list[Path]]) -> Path:
    found = texts.get(name, [])
    beside = [text for text in found if text.parent == file.parent]
    if not found:
        raise GapDNERError(f"{file} annotates {name or 'an unnamed text'}, which is missing.")
    if len(found) > 1 and not beside:
        raise GapDNERError(f"{file} annotates {name}, of which there are {len(found)}. Keep one.")
    return (beside or found)[0]
