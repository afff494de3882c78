"""The site is built without a warning, documents every public name, and loads no external files."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from entry_points import read_entry_points

import spacy_gapdner
from spacy_gapdner.cli import app

ROOT = Path(__file__).parents[3]
# external files that a browser would load
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|object|embed)[^>]*\b(?:src|data)=["']?(?:https?:)?//"""
    r"""|<link[^>]*\bhref=["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import\s"""
)


@pytest.fixture
def site(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "cache"]
    done = subprocess.run(
        [*command, ROOT / "project" / "docs", tmp_path / "html"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "html"


def check_every_public_name_is_documented(pages):
    reference = "".join(text for name, text in pages.items() if name.startswith("api/"))
    for name in spacy_gapdner.__all__:
        assert f'id="spacy_gapdner.{name}"' in reference, name
    for group, name, target in read_entry_points():
        if group != "spacy_cli":
            assert f'id="{target.replace(":", ".")}"' in reference, target
            assert name in html.unescape(reference), name


def check_every_command_has_its_section(pages):
    for name, command in typer.main.get_command(app).commands.items():
        assert f'<section id="{name}"' in pages["commands.html"]
        for parameter in command.params:
            long = [option for option in parameter.opts if option.startswith("--")]
            assert all(option in pages["commands.html"] for option in long), (name, long)


def check_no_external_files_are_loaded(site):
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js")]
    assert len(files) > 20
    for path in files:
        found = FETCHED.search(path.read_text(encoding="utf8"))
        assert found is None, f"{path}: {found.group()}"


def check_documents_of_the_repository_are_pages(pages):
    assert "Install and try it" in pages["quickstart.html"]
    assert 'href="settings.html"' in pages["quickstart.html"]
    assert 'href="experiments.html#apache-spark"' in pages["quickstart.html"]
    assert "GapDNER.v1" in pages["settings.html"]
    assert f"<h2>{spacy_gapdner.__version__}<" in pages["changelog.html"]


@pytest.mark.slow
def test_site(site):
    pages = {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf8")
        for path in site.rglob("*.html")
    }
    check_every_public_name_is_documented(pages)
    check_every_command_has_its_section(pages)
    check_no_external_files_are_loaded(site)
    check_documents_of_the_repository_are_pages(pages)
