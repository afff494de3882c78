"""Where the parts of the ShARe/CLEF corpora lie once their archives are unpacked."""

from pathlib import Path
from typing import Literal, NamedTuple

from spacy_gapdner.errors import GapDNERError

Part = Literal["train", "test"]
PARTS: tuple[Part, ...] = ("train", "test")


class PartFolders(NamedTuple):
    """The folders of a part of the corpus.

    text (Path): Holds the reports.
    ann (Path): Holds the annotation files.
    shared (bool): Whether `text` may hold reports of the other part too.
    """

    text: Path
    ann: Path
    shared: bool


_2014_TRAIN = "2014ShAReCLEFeHealthTasks2_training_10Jan2014.zip"
_2014_TEXT = "ShAReCLEFeHealth{}Task2_test_data_corpus"
_2014_GOLD = "ShAReCLEFeHealth2014_test_data_gold"
# by corpus, part and kind: the archive, and the names that the folder in it has
ARCHIVES: dict[tuple[str, Part, str], tuple[str, ...]] = {
    ("share13", "train", "text"): ("Task1TrainSetCorpus199.zip", "ALLREPORTS"),
    ("share13", "train", "ann"): ("Task1TrainSetGOLD199knowtatorehost.zip", "ALLSAVED"),
    ("share13", "test", "text"): ("Task1TestSetCorpus100.zip", "ALLREPORTS"),
    ("share13", "test", "ann"): ("Task1Gold_SN2012.tar.bz2", "Gold_SN2012"),
    ("share14", "train", "text"): (_2014_TRAIN, "2014ShAReCLEFeHealthTask2_training_corpus"),
    ("share14", "train", "ann"): (_2014_TRAIN, "2014ShAReCLEFeHealthTask2_training_pipedelimited"),
    ("share14", "test", "text"): (
        "ShAReCLEFeHealth2014Task2_test_default_values.zip",
        # the distribution has the year wrong
        *(_2014_TEXT.format(2104), _2014_TEXT.format(2014)),
    ),
    ("share14", "test", "ann"): (f"{_2014_GOLD}.zip", _2014_GOLD),
}


def find_folders(root: Path, corpus: str, part: Part) -> PartFolders:
    """RETURNS (PartFolders): The folders of a part of "share13" or "share14", at any depth below
    the unpacked archives, or as PART/text and PART/ann; a GapDNERError if one is missing, or there
    are several.
    """
    text, ann = (_find(root, corpus, part, kind) for kind in ("text", "ann"))
    return PartFolders(text, ann, _named_part(root, text) != part)


def _find(root: Path, corpus: str, part: Part, kind: str) -> Path:
    arranged = root / part / kind
    if arranged.is_dir():
        return arranged
    archive, *names = ARCHIVES[corpus, part, kind]
    found: list[Path] = []
    for path in sorted(root.rglob("*")):
        named = path.name in names and path.is_dir()
        # archives packed on a Mac have a shadow of every folder; one unpacked into a folder of
        # its own name makes two, one in the other
        if named and "__macosx" not in _below(root, path) and found[-1:] != [path.parent]:
            found.append(path)
    # folders of one name may be in both parts' archives: a name above them tells, or they were
    # unpacked in one place
    own = [path for path in found if _named_part(root, path) == part]
    chosen = own or [path for path in found if _named_part(root, path) is None]
    if len(chosen) == 1:
        return chosen[0]
    problem = f"no folder {names[0]} of the {part} part. Unpack {archive} there"
    if chosen:
        problem = f"several folders {names[0]}: {chosen[0]} and {chosen[1]}. Keep one"
    raise GapDNERError(f"{root} has {problem}, or arrange its files as {part}/{kind}.")


def _named_part(root: Path, path: Path) -> str | None:
    # the nearest folder whose name tells: "train" is in "training", but "test" in "latest" too
    for name in reversed(_below(root, path).split("/")):
        parts = [part for part in PARTS if part in name]
        if len(parts) == 1:
            return parts[0]
    return None


def is_share(root: Path, *, corpus: str) -> bool:
    """RETURNS (bool): Whether a folder holds a corpus ("share13" or "share14"), by the names of the
    archives' folders or, arranged by part, by the kind of its annotation files.
    """
    if all((root / part / "ann").is_dir() for part in PARTS):
        is_2013 = any((root / "train" / "ann").glob("*.knowtator.xml"))
        return is_2013 == (corpus == "share13")
    folders = {path.name for path in root.rglob("*") if path.is_dir()}
    return any(key[0] == corpus and folders & {*names} for key, (_, *names) in ARCHIVES.items())


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix().lower()
