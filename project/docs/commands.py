"""Generate the page of commands from their help texts."""

import re
from collections.abc import Iterator
from typing import Any

import typer.main
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from spacy_gapdner.cli import app

PROGRAM = "python -m spacy gapdner"


class Commands(SphinxDirective):
    """``gapdner-commands``: a section per command, with its usage, arguments and options."""

    def run(self) -> list[nodes.Node]:
        sections: list[nodes.Node] = []
        for name, command in typer.main.get_command(app).commands.items():
            section = nodes.section(ids=[name], names=[name])
            section += nodes.title(text=name)
            self.state.document.note_explicit_target(section, section)
            text = StringList(list(describe(name, command)), source=f"gapdner {name}")
            self.state.nested_parse(text, self.content_offset, section)
            sections.append(section)
        return sections


def describe(name: str, command: Any) -> Iterator[str]:
    """YIELDS (str): The lines of a command's Markdown."""
    context = command.make_context(name, [], resilient_parsing=True)
    yield from (command.help or "").split("\n")
    pieces = (re.sub(r"[{}]", "", piece) for piece in command.collect_usage_pieces(context))
    usage = [piece for piece in pieces if piece != "[OPTIONS]"]
    yield from ("", "```bash", " ".join([PROGRAM, name, *usage, "[OPTIONS]"]), "```", "")
    records = (parameter.get_help_record(context) for parameter in command.params)
    yield from ("| argument or option | description |", "|---|---|")
    for names, text in filter(None, records):
        yield f"| {escape(names, code=True)} | {escape(text)} |"


def escape(text: str, code: bool = False) -> str:
    """RETURNS (str): Text for a cell of a Markdown table, optionally as code."""
    text = " ".join(text.split()).replace("|", "\\|")
    return f"`{text}`" if code else text.replace("<", "\\<").replace("[", "\\[").replace("*", "\\*")
