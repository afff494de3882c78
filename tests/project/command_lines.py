"""Runs command lines of pages and workflows in this process, which is faster."""

import runpy
import shlex
import subprocess
import sys
from importlib import import_module

import typer
from spacy.cli._util import app as spacy_app
from typer.testing import CliRunner

import spacy_gapdner.cli  # noqa: F401  # adds our commands


def invoke(app, *args, exit_code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == exit_code, f"{args}\n{result.output}\n{result.exception!r}"
    return result


def run_line(line):
    """Run a command that starts with `python`, and return its output."""
    python, *words = shlex.split(line, comments=True)
    assert python == "python", line
    if words[:2] == ["-m", "spacy"]:
        command, arguments = spacy_app, words[2:]
    elif words[0] == "-m" and words[1] in sys.stdlib_module_names:
        return subprocess.run(
            [sys.executable, *words], check=True, text=True, stdout=subprocess.PIPE
        ).stdout
    elif words[0] == "-m":
        command, arguments = import_module(f"{words[1]}.__main__").app, words[2:]
    else:
        command, arguments = typer.Typer(), words[1:]
        command.command()(runpy.run_path(words[0])["main"])
    return invoke(command, *arguments).output
