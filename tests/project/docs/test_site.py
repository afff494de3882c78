"""The site is built without a warning, documents every public name, and loads no external files."""

import html
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
import typer.main
from pages import read_page

import spacy_gapdner
from project.docs.text_pictures import TEXTS
from spacy_gapdner.cli import app

ROOT = Path(__file__).parents[3]
# external files that a browser would load
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|object|embed)[^>]*\b(?:src|data)=["']?(?:https?:)?//"""
    r"""|<link[^>]*\bhref=["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import\s"""
)


def test_pictures_as_text():
    written = re.findall(
        r"```{gapdner-picture} (\w+)\n(.*?)```", read_page("concepts.md"), re.DOTALL
    )
    assert dict(written) == {name: draw() for name, draw in TEXTS.items()}


def test_every_command_is_listed():
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", read_page("commands.md"), re.MULTILINE)
    commands = typer.main.get_command(app).commands
    helps = {name: command.help.split("\n\n")[0] for name, command in commands.items()}
    assert {name: f"{text}." for name, text in rows} == helps


@pytest.mark.slow
def test_site(tmp_path):
    site = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "cache"]
    command += [ROOT / "project" / "docs", site]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    paths = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js")]
    pages = {path.relative_to(site).as_posix(): path.read_text("utf8") for path in paths}
    reference = "".join(text for name, text in pages.items() if name.startswith("api/"))
    for name in spacy_gapdner.__all__:
        assert f'id="spacy_gapdner.{name}"' in reference, name
    # other names have a link
    unlinked = re.findall(
        r'[Ss]ee (?:also )?<code class="xref[^>]*><span class="pre">(.+?)<', reference
    )
    assert set(unlinked) == {
        "Span.set_extension",
        "TrainablePipe.from_bytes",
        "TrainablePipe.from_disk",
        "spacy.training.Corpus",
    }
    for entry_point in distribution("spacy-gapdner").entry_points:
        if entry_point.group != "spacy_cli":
            assert f'id="{entry_point.value.replace(":", ".")}"' in reference, entry_point
            assert entry_point.name in html.unescape(reference), entry_point
    for name, command in typer.main.get_command(app).commands.items():
        assert f'<section id="{name}"' in pages["commands.html"]
        for parameter in command.params:
            long = [option for option in parameter.opts if option.startswith("--")]
            assert all(option in pages["commands.html"] for option in long), (name, long)
    assert len(pages) > 20
    assert not {name for name, text in pages.items() if FETCHED.search(text)}
    # included documents of the repository, with rewritten links
    assert 'href="settings.html"' in pages["index.html"]
    assert "GapDNER.v1" in pages["settings.html"]
    assert f"<h2>{spacy_gapdner.__version__} (" in pages["changelog.html"]
