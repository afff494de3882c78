import configparser
import re
from pathlib import Path

from pages import code_blocks, read_page

import spacy_gapdner

ROOT = Path(__file__).parents[3]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf8")


def test_tree_lists_all_modules():
    tree = read_page("contributing.md").partition("## The tree")[2].partition("##")[0]
    rows = re.findall(r"^\| (`.+?`) \|", tree, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    folder = Path(spacy_gapdner.__file__).parent
    modules = {
        path.stem for path in folder.iterdir() if not path.name.startswith(("_", "py.typed"))
    }
    assert sorted(listed) == sorted(modules - {"__init__", "__pycache__"})


def test_paths_and_versions_exist():
    named = re.findall(
        r"tests/[\w/.]+", "".join(code for _, code in code_blocks("contributing.md"))
    )
    assert [path for path in named if not (ROOT / path).exists()] == []
    version = f"\nversion: {spacy_gapdner.__version__}\n"
    assert version in CITATION


def test_address_of_repository():
    """Unknown yet. Once it is set in setup.cfg, the other files contain it."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    url = settings["metadata"].get("url")
    (cited,) = re.findall(r"^repository-code: (.+)$", CITATION, re.MULTILINE) or [None]
    assert cited == url
    assert url is None or url in (ROOT / "README.md").read_text(encoding="utf8")
