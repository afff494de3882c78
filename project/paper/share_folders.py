"""Where the parts of the ShARe/CLEF corpora lie once their archives are unpacked."""

from pathlib import Path
from typing import Literal, NamedTuple

from spacy_gapdner.errors import GapDNERError

Part = Literal["train", "test"]
PARTS: tuple[Part, ...] = ("train", "test")


class Archive(NamedTuple):
    """An archive of the official distribution.

    name (str): Its file name.
    folders (tuple[str, ...]): Names of the folder in it that holds the files.
    """

    name: str
    folders: tuple[str, ...]


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
ARCHIVES: dict[str, dict[Part, tuple[Archive, Archive]]] = {
    "share13": {
        "train": (
            Archive("Task1TrainSetCorpus199.zip", ("ALLREPORTS",)),
            Archive("Task1TrainSetGOLD199knowtatorehost.zip", ("ALLSAVED",)),
        ),
        "test": (
            Archive("Task1TestSetCorpus100.zip", ("ALLREPORTS",)),
            Archive("Task1Gold_SN2012.tar.bz2", ("Gold_SN2012",)),
        ),
    },
    "share14": {
        "train": (
            Archive(_2014_TRAIN, ("2014ShAReCLEFeHealthTask2_training_corpus",)),
            Archive(_2014_TRAIN, ("2014ShAReCLEFeHealthTask2_training_pipedelimited",)),
        ),
        "test": (
            # the distribution has the year wrong
            Archive(
                "ShAReCLEFeHealth2014Task2_test_default_values.zip",
                (
                    "ShAReCLEFeHealth2104Task2_test_data_corpus",
                    "ShAReCLEFeHealth2014Task2_test_data_corpus",
                ),
            ),
            Archive(
                "ShAReCLEFeHealth2014_test_data_gold.zip", ("ShAReCLEFeHealth2014_test_data_gold",)
            ),
        ),
    },
}


def find_folders(root: Path, corpus: str, part: Part) -> PartFolders:
    """Find the folders of a part: below the unpacked archives, or as PART/text and PART/ann.

    root (Path): The folder that holds the archives' folders at any depth.
    corpus (str): "share13" or "share14".
    part (str): "train" or "test".
    RETURNS (PartFolders): The folders.
    RAISES (GapDNERError): If one is missing, or there are several.
    """
    if not root.is_dir():
        raise GapDNERError(f"There is no folder {root}. Check the path.")
    text_archive, ann_archive = ARCHIVES[corpus][part]
    other = next(p for p in PARTS if p != part)
    of_other = {name for archive in ARCHIVES[corpus][other] for name in archive.folders}
    text = _find(root, part, "text", text_archive, of_other)
    ann = _find(root, part, "ann", ann_archive, of_other)
    return PartFolders(text, ann, _named_part(root, text) != part)


def _find(root: Path, part: Part, kind: str, archive: Archive, of_other: set[str]) -> Path:
    arranged = root / part / kind
    if arranged.is_dir():
        return arranged
    found: list[Path] = []
    for path in sorted(root.rglob("*")):
        named = path.name in archive.folders and path.is_dir()
        # archives packed on a Mac have a shadow of every folder; one unpacked into a folder of
        # its own name makes two, one in the other
        if named and "__macosx" not in _below(root, path) and found[-1:] != [path.parent]:
            found.append(path)
    chosen = found
    if of_other.intersection(archive.folders):
        # folders of one name in both parts' archives: a name above them tells, or they were
        # unpacked in one place
        named_part = {path: _named_part(root, path) for path in found}
        own = [path for path in found if named_part[path] == part]
        chosen = own or [path for path in found if named_part[path] is None]
    if not chosen:
        raise GapDNERError(
            f"{root} has no folder {archive.folders[0]} of the {part} part. Unpack {archive.name} "
            f"there, or arrange its files as {part}/{kind}."
        )
    if len(chosen) > 1:
        raise GapDNERError(
            f"{root} has several folders {archive.folders[0]}: {chosen[0]} and {chosen[1]}. Keep "
            f"one, or arrange its files as {part}/{kind}."
        )
    return chosen[0]


def _named_part(root: Path, path: Path) -> str | None:
    # the nearest folder whose name tells: "train" is in "training", but "test" in "latest" too
    for name in reversed(_below(root, path).split("/")):
        parts = [part for part in PARTS if part in name]
        if len(parts) == 1:
            return parts[0]
    return None


def guess_corpus(root: Path) -> str | None:
    """Find out which corpus a folder holds, by the names of the archives' folders or, arranged by
    part, by the kind of its annotation files.

    root (Path): The folder.
    RETURNS (Optional[str]): "share13" or "share14"; None if it is neither.
    """
    if all((root / part / "ann").is_dir() for part in PARTS):
        xml = next((root / "train" / "ann").glob("*.knowtator.xml"), None)
        return "share14" if xml is None else "share13"
    names = {path.name for path in root.rglob("*") if path.is_dir()}
    for corpus, parts in ARCHIVES.items():
        own = {name for pair in parts.values() for archive in pair for name in archive.folders}
        if names & own:
            return corpus
    return None


def is_share13(path: Path) -> bool:
    """RETURNS (bool): Whether a folder holds the corpus of 2013, see `guess_corpus`."""
    return guess_corpus(path) == "share13"


def is_share14(path: Path) -> bool:
    """RETURNS (bool): Whether a folder holds the corpus of 2014, see `guess_corpus`."""
    return guess_corpus(path) == "share14"


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix().lower()
