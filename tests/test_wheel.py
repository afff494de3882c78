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
def source(tmp_path_factory):
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 70:
        pytest.skip("this setuptools is older than the one that builds the wheel")
    # a copy: what an earlier build has left in build/ would come along
    folder = tmp_path_factory.mktemp("source")
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.cfg"):
        shutil.copy(ROOT / name, folder)
    for name in ("spacy_gapdner", "project", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "corpus", "training", "runs", "output")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def names(source):
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--no-build-isolation", "--wheel-dir", source, source], check=True)
    (wheel,) = source.glob("*.whl")
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


def test_type_checkers_find_an_editable_install(source, tmp_path):
    # mypy follows a path in a .pth file, but no import hook
    script = "import sys, setuptools.build_meta as build; build.build_editable(sys.argv[1])"
    command = [sys.executable, "-c", script, tmp_path]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".pth"))
        lines = archive.read(name).decode().splitlines()
    assert [Path(line).resolve() for line in lines] == [source.resolve()]
