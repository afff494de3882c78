"""What users see of all commands: summaries, names and letters of options."""

import re
from collections import defaultdict

import typer

from spacy_gapdner.cli import app

COMMANDS = typer.main.get_command(app).commands


def options():
    for command in COMMANDS.values():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                yield parameter


def test_summaries_are_not_cut_off(run):
    lines = {line.split()[0]: line for line in run("--help").stdout.splitlines() if line.split()}
    assert [name for name in COMMANDS if not re.search(r"[^.]\.$", lines[name])] == []


def test_a_letter_means_one_option_and_an_option_has_one_letter_everywhere():
    names, letters = defaultdict(set), defaultdict(set)
    for option in options():
        long = max(option.opts, key=len)
        short = frozenset(text for text in option.opts if not text.startswith("--"))
        letters[long].add(short)
        for text in short:
            names[text].add(long)
    for found in (names, letters):
        assert {name: others for name, others in found.items() if len(others) > 1} == {}
    assert names["-o"] == {"--output"}
