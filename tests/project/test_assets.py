"""The part of Chia in project/assets: complete, unchanged and described."""

import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

ASSETS = Path(__file__).parents[2] / "project" / "assets"
README = (ASSETS / "README.md").read_text(encoding="utf8")
TYPES = {"Condition", "Procedure", "Measurement", "Observation", "Drug"}


@pytest.fixture(scope="module")
def files():
    """The content of every file in the archive, by its path."""
    with tarfile.open(ASSETS / "chia.tar.xz") as archive:
        members = [member for member in archive if not member.isdir()]
        assert all(member.isfile() for member in members)
        return {member.name: archive.extractfile(member).read() for member in members}


def test_the_archive_is_small():
    assert (ASSETS / "chia.tar.xz").stat().st_size < 1_500_000


@pytest.mark.parametrize(("part", "n_trials"), [("train", 700), ("dev", 100)])
def test_every_trial_has_both_documents(files, part, n_trials):
    names = sorted(name for name in files if name.startswith(f"{part}/"))
    trials = sorted({re.fullmatch(rf"{part}/(NCT\d{{8}})_.+", name)[1] for name in names})
    assert len(trials) == n_trials
    kinds = [f"_{kind}.{ending}" for kind in ("exc", "inc") for ending in ("ann", "txt")]
    assert names == [f"{part}/{trial}{kind}" for trial in trials for kind in kinds]


def test_the_parts_share_no_trial(files):
    names = Counter(Path(name).name for name in files)
    assert set(names.values()) == {1}


@pytest.mark.parametrize(
    ("part", "n_entities", "n_discontinuous"), [("train", 16716, 945), ("dev", 2318, 137)]
)
def test_entities(files, part, n_entities, n_discontinuous):
    counts = Counter()
    for name, content in files.items():
        if name.startswith(part) and name.endswith(".ann"):
            for line in content.decode("utf8").splitlines():
                if line.startswith("T"):
                    label, offsets = line.split("\t")[1].split(" ", 1)
                    if label in TYPES:
                        counts["discontinuous" if ";" in offsets else "contiguous"] += 1
    print(part, counts)
    assert counts.total() == n_entities
    assert f"| {n_entities:,} | {counts['discontinuous']:,} |" in README


def test_license_and_citation():
    assert "creativecommons.org/licenses/by/4.0/" in README
    assert "doi.org/10.1038/s41597-020-00620-0" in README
