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


def test_a_letter_means_one_option():
    names = defaultdict(set)
    for option in options():
        long = [text for text in option.opts if text.startswith("--")]
        for text in option.opts:
            if text not in long:
                names[text].update(long)
    assert {letter: found for letter, found in names.items() if len(found) > 1} == {}
    assert names["-o"] == {"--output"}


def test_an_option_has_the_same_letter_everywhere():
    letters = defaultdict(set)
    for option in options():
        short = frozenset(text for text in option.opts if not text.startswith("--"))
        letters[max(option.opts, key=len)].add(short)
    assert {name: found for name, found in letters.items() if len(found) > 1} == {}
