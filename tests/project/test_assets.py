"""The part of Chia in project/assets."""

import re
import tarfile
from collections import Counter
from pathlib import Path

ASSETS = Path(__file__).parents[2] / "project" / "assets"
TYPES = {"Condition", "Procedure", "Measurement", "Observation", "Drug"}


def test_chia():
    """The archive is complete, its parts share no trial, and the README describes it."""
    with tarfile.open(ASSETS / "chia.tar.xz") as archive:
        files = {m.name: archive.extractfile(m).read() for m in archive if not m.isdir()}
    readme = (ASSETS / "README.md").read_text(encoding="utf8")
    assert set(Counter(Path(name).name for name in files).values()) == {1}
    for part, n_trials, n_entities in (("train", 700, 16716), ("dev", 100, 2318)):
        names = sorted(name for name in files if name.startswith(f"{part}/"))
        trials = sorted({re.fullmatch(rf"{part}/(NCT\d{{8}})_.+", name)[1] for name in names})
        assert len(trials) == n_trials
        kinds = [f"_{kind}.{suffix}" for kind in ("exc", "inc") for suffix in ("ann", "txt")]
        assert names == [f"{part}/{trial}{kind}" for trial in trials for kind in kinds]
        text = "\n".join(files[name].decode("utf8") for name in names if name.endswith(".ann"))
        entities = re.findall(r"^T\d+\t(\S+) (.+?)\t", text, flags=re.MULTILINE)
        offsets = [offsets for label, offsets in entities if label in TYPES]
        assert len(offsets) == n_entities
        n_discontinuous = sum(";" in found for found in offsets)
        assert f"| {n_entities:,} | {n_discontinuous:,} |" in readme
