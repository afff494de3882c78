"""Find the folders of the ShARe/CLEF corpora."""

from pathlib import Path
from typing import Literal, NamedTuple

from spacy_gapdner.errors import GapDNERError

Part = Literal["train", "test"]
PARTS: tuple[Part, ...] = ("train", "test")


class PartFolders(NamedTuple):
    """The folders of reports and annotation files of a part. If `shared`, reports of the other part
    can be in the same folder."""

    text: Path
    ann: Path
    shared: bool


_2014_TRAIN = "2014ShAReCLEFeHealthTasks2_training_10Jan2014.zip"
_2014_TEXT = "ShAReCLEFeHealth{}Task2_test_data_corpus"
_2014_GOLD = "ShAReCLEFeHealth2014_test_data_gold"
# by corpus, part and kind: the archive, and possible names of its folder
ARCHIVES: dict[tuple[str, Part, str], tuple[str, ...]] = {
    ("share13", "train", "text"): ("Task1TrainSetCorpus199.zip", "ALLREPORTS"),
    ("share13", "train", "ann"): ("Task1TrainSetGOLD199knowtatorehost.zip", "ALLSAVED"),
    ("share13", "test", "text"): ("Task1TestSetCorpus100.zip", "ALLREPORTS"),
    ("share13", "test", "ann"): ("Task1Gold_SN2012.tar.bz2", "Gold_SN2012"),
    ("share14", "train", "text"): (_2014_TRAIN, "2014ShAReCLEFeHealthTask2_training_corpus"),
    ("share14", "train", "ann"): (_2014_TRAIN, "2014ShAReCLEFeHealthTask2_training_pipedelimited"),
    ("share14", "test", "text"): (
        "ShAReCLEFeHealth2014Task2_test_default_values.zip",
        # the distribution has the wrong year
        *(_2014_TEXT.format(2104), _2014_TEXT.format(2014)),
    ),
    ("share14", "test", "ann"): (f"{_2014_GOLD}.zip", _2014_GOLD),
}


def find_folders(root: Path, corpus: str, part: Part) -> PartFolders:
    """Find the folders of a part in a folder or its subfolders: the folders of the unpacked
    archives, or PART/text and PART/ann."""
    text, ann = (_find(root, corpus, part, kind) for kind in ("text", "ann"))
    return PartFolders(text, ann, _named_part(root, text) != part)


def _find(root: Path, corpus: str, part: Part, kind: str) -> Path:
    arranged = root / part / kind
    if arranged.is_dir():
        return arranged
    archive, *names = ARCHIVES[corpus, part, kind]
    found = [path for path in sorted(root.rglob("*")) if path.name in names and path.is_dir()]
    # the archives of both parts can contain folders with the same name
    own = [path for path in found if _named_part(root, path) == part]
    chosen = own or [path for path in found if _named_part(root, path) is None]
    if len(chosen) == 1:
        return chosen[0]
    problem = f"no folder {names[0]} of the {part} part. Unpack {archive} there"
    if chosen:
        problem = f"several folders {names[0]}: {chosen[0]} and {chosen[1]}. Keep one"
    raise GapDNERError(f"{root} has {problem}, or arrange its files as {part}/{kind}.")


def _named_part(root: Path, path: Path) -> str | None:
    # the closest folder with the name of one part: "latest_training" contains both names
    for name in reversed(path.relative_to(root).as_posix().lower().split("/")):
        parts = [part for part in PARTS if part in name]
        if len(parts) == 1:
            return parts[0]
    return None


def is_share(root: Path, *, corpus: str) -> bool:
    """RETURNS (bool): Whether a folder contains "share13" or "share14"."""
    if all((root / part / "ann").is_dir() for part in PARTS):
        is_2013 = any((root / "train" / "ann").glob("*.knowtator.xml"))
        return is_2013 == (corpus == "share13")
    folders = {path.name for path in root.rglob("*") if path.is_dir()}
    return any(key[0] == corpus and folders & {*names} for key, (_, *names) in ARCHIVES.items())
