"""Read the labels for annotation with their colors, keys and descriptions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ...drawing.colors import choose_colors
from ...errors import GapDNERError
from ...formats.files import read_json, read_lines, require_file, visible_files

_NAMES = ("labels.json", "annotation.conf")
# the keys of commands.js; labels have other keys: digits, then letters
COMMAND_KEYS = "acdenpqrsA+=/?. "
_FREE = "123456789bfghijklmotuvwx"
_ENTITY = re.compile(rb"^T\d+\t(\S+) ", re.MULTILINE)


class Label(BaseModel, extra="forbid"):
    """A label, or its settings in labels.json."""

    name: str = ""
    # a CSS color, and the key on the keyboard
    color: str = ""
    key: str | None = Field(default=None, min_length=1, max_length=1)
    description: str = ""


def read_guidelines(
    given: str | None, folders: Sequence[Path], known: Iterable[str] = ()
) -> list[Label]:
    """Read the labels in order: comma-separated names, or a file, brat's annotation.conf or
    labels.json. The default is the first such file in the folders. The labels that the model knows
    are added to the labels of an annotation.conf in the folders. If there is no file, they are used
    together with the labels in the annotation files."""
    if given is None:
        files = (folder / name for folder in folders for name in _NAMES)
        path = next((file for file in files if file.is_file()), None)
    elif given.endswith((".json", ".conf")):
        path = Path(given)
        require_file(path)
    else:
        return _make_labels(given.split(","), {}, given)
    if path is None:
        files = (file for folder in folders for file in visible_files(folder, (".ann",)))
        used = {label for file in files for label in _ENTITY.findall(file.read_bytes())}
        names = (label.decode("utf-8", "replace") for label in sorted(used))
        return _make_labels([*known, *names], {}, str(folders[0]))
    if path.suffix == ".conf":
        # predict writes one with the types that it found
        return _make_labels([*_read_conf(path), *(known if given is None else ())], {}, str(path))
    settings = _read_json(path)
    return _make_labels(settings, settings, str(path))


def _make_labels(names: Iterable[str], settings: Mapping[str, Label], where: str) -> list[Label]:
    names = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if not names:
        raise GapDNERError(f"{where} contains no labels. Use --labels ADE,DRUG, or a labels.json.")
    for name in names:
        if re.search(r"\s", name):
            raise GapDNERError(f"{where}: brat does not allow the label {name!r}. Rename it.")
    colors = choose_colors(names, {n: own.color for n, own in settings.items() if own.color})
    given = [own.key for own in settings.values() if own.key]
    free = iter(key for key in _FREE if key not in given)
    labels = []
    for name in names:
        own = settings.get(name, Label())
        if own.key and (own.key in COMMAND_KEYS or given.count(own.key) > 1):
            raise GapDNERError(
                f"{where}: the key {own.key!r} of {name} is also the key of a command or another "
                f"label. Use another key, such as {next(free, None)!r}."
            )
        chosen = {"name": name, "color": colors[name], "key": own.key or next(free, None)}
        labels.append(own.model_copy(update=chosen))
    return labels


def _read_json(path: Path) -> dict[str, Label]:
    try:
        return TypeAdapter(dict[str, Label]).validate_python(read_json(path))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))
        raise GapDNERError(
            f"{path}: {place}: {problem['msg']}. Use an object such as "
            '{"ADE": {"color": "#d86000", "key": "b", "description": "..."}}.'
        ) from error


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
