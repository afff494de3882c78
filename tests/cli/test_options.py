"""Summaries and options of all commands are consistent."""

import re
from collections import defaultdict

import typer

from spacy_gapdner.cli import app

COMMANDS = typer.main.get_command(app).commands


def test_short_options_have_the_same_meaning_in_all_commands():
    long_forms, short_forms = defaultdict(set), defaultdict(set)
    for command in COMMANDS.values():
        for parameter in command.params:
            long = max(parameter.opts, key=len)
            short = frozenset(text for text in parameter.opts if re.match("-[^-]", text))
            short_forms[long].add(short)
            for text in short:
                long_forms[text].add(long)
    for forms in (long_forms, short_forms):
        assert {name: others for name, others in forms.items() if len(others) > 1} == {}
    assert long_forms["-o"] == {"--output"}
