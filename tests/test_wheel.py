"""What is installed: the package and its metadata, nothing of the laboratory."""

import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 70:
        pytest.skip("this setuptools is older than the one that builds the wheel")
    # a copy: what an earlier build has left in build/ would come along
    folder = tmp_path_factory.mktemp("source")
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.cfg"):
        shutil.copy(ROOT / name, folder)
    for name in ("spacy_gapdner", "project", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "corpus", "training", "runs")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--no-build-isolation", "--wheel-dir", folder, folder], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_package_and_nothing_else(names):
    metadata = f"spacy_gapdner-{version('spacy-gapdner')}.dist-info/"
    found = {name for name in names if not name.startswith(metadata)}
    package = {path for path in (ROOT / "spacy_gapdner").rglob("*") if path.is_file()}
    assert found == {
        path.relative_to(ROOT).as_posix() for path in package if "__pycache__" not in path.parts
    }
    assert "spacy_gapdner/py.typed" in found
    assert f"{metadata}entry_points.txt" in names
