"""The labels for annotation with their colors, keys and descriptions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..drawing.colors import choose_colors
from ..errors import GapDNERError
from ..formats.files import read_json, read_lines, require_file, visible_files

_NAMES = ("labels.json", "annotation.conf")
_MEMBERS = {"color", "dark", "key", "description"}
_ENTITY = re.compile(rb"^T\d+\t(\S+) ", re.MULTILINE)


@dataclass(frozen=True)
class Label:
    """A label.

    name (str): The name.
    color (str): The CSS color.
    key (Optional[str]): The key that selects the label.
    description (str): The description.
    dark (Optional[str]): The color in dark mode. Defaults to `color`.
    """

    name: str
    color: str
    key: str | None = None
    description: str = ""
    dark: str | None = None


def read_guidelines(
    given: str | None, folders: Sequence[Path], known: Iterable[str] = ()
) -> list[Label]:
    """Read the labels to annotate with.

    given (Optional[str]): Comma-separated names, or a file: brat's annotation.conf, or labels.json
        such as {"ADE": {"color": "#d86000", "key": "b", "description": "..."}}, in which all values
        are optional. Defaults to the first such file in the folders.
    folders (Sequence[Path]): Folders with annotated texts.
    known (Iterable[str]): Labels of the model. If there is no file, these labels and the labels in
        the annotation files are used.
    RETURNS (list[Label]): The labels in order.
    RAISES (GapDNERError): If there are no labels, or the file is invalid.
    """
    files = (folder / name for folder in folders for name in _NAMES)
    path = next((file for file in files if file.is_file()), None)
    if given is not None and given.endswith((".json", ".conf")):
        path = Path(given)
        require_file(path)
    elif given is not None:
        return _make_labels(given.split(","), {}, given)
    if path is None:
        used = {label for folder in folders for label in _used(folder)}
        return _make_labels([*known, *sorted(used)], {}, str(folders[0]))
    if path.suffix == ".conf":
        return _make_labels(_read_conf(path), {}, str(path))
    members = _read_json(path)
    return _make_labels(members, members, str(path))


def _make_labels(
    names: Iterable[str], members: Mapping[str, dict[str, str]], where: str
) -> list[Label]:
    names = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if not names:
        raise GapDNERError(
            f"{where} contains no label. Give labels, such as ADE,DRUG, or a labels.json."
        )
    for name in names:
        if re.search(r"\s", name):
            raise GapDNERError(f"{where}: brat does not allow the label {name!r}. Rename it.")
    colors = choose_colors(names, {n: m["color"] for n, m in members.items() if "color" in m})
    taken = {m["key"] for m in members.values() if "key" in m}
    # digits, then letters that are not used by commands of the page
    free = iter(key for key in "123456789befghijklmotuvwx" if key not in taken)
    labels = []
    for name in names:
        own = members.get(name, {})
        key = own.get("key") or next(free, None)
        labels.append(Label(name, colors[name], key, own.get("description", ""), own.get("dark")))
    return labels


def _read_json(path: Path) -> dict[str, dict[str, str]]:
    labels = read_json(path)
    if not isinstance(labels, dict):
        raise GapDNERError(f'{path} must contain an object such as {{"ADE": {{"key": "a"}}}}.')
    for name, members in labels.items():
        right = isinstance(members, dict) and members.keys() <= _MEMBERS
        if not right or not all(isinstance(value, str) for value in members.values()):
            raise GapDNERError(
                f"{path}: {name} must be an object with the optional strings "
                f"{', '.join(sorted(_MEMBERS))}."
            )
        if len(members.get("key", "1")) != 1:
            raise GapDNERError(f"{path}: the key of {name} must be a single character.")
        # raises an error for invalid colors
        for key in {"color", "dark"} & members.keys():
            choose_colors((), {name: members[key]})
    return labels


def _read_conf(path: Path) -> list[str]:
    section, names = "", []
    for line in read_lines(path):
        # types are indented below their parent type; "!" marks types that cannot be annotated
        name = line.split("#")[0].split("\t[")[0].strip()
        if name.startswith("["):
            section = name
        elif section == "[entities]" and name and not name.startswith(("!", "-", "<")):
            names.append(name.split()[0])
    return names


def _used(folder: Path) -> set[str]:
    found: set[bytes] = set()
    for path in visible_files(folder, (".ann",)):
        found.update(_ENTITY.findall(path.read_bytes()))
    return {label.decode("utf-8", "replace") for label in found}
