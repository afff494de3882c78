from pathlib import Path

import typer
import typer.main

from project.docs.commands import describe, escape


def command():
    app = typer.Typer()

    @app.command()
    def work(
        path: Path = typer.Argument(..., metavar="INPUT", help="This | that"),
        number: int = typer.Option(3, "--number", "-n", help="How many of <them>"),
    ) -> None:
        """Do work.

        More of it."""

    return typer.main.get_command(app)


def test_describe():
    lines = list(describe("work", command()))
    assert lines[:9] == [
        "Do work.",
        "",
        "More of it.",
        "",
        "```bash",
        "python -m spacy gapdner work INPUT [OPTIONS]",
        "```",
        "",
        "| argument or option | |",
    ]
    rows = lines[10:]
    assert any("INPUT" in row and r"This \| that" in row for row in rows)
    assert any("--number" in row and r"How many of \<them>" in row and "3" in row for row in rows)
    assert all(row.startswith("| `") and row.endswith(" |") for row in rows)


def test_escape():
    assert escape("a|b [c] *d*\n e") == r"a\|b \[c] \*d\* e"
    assert escape("-o, --on <stop|skip>", code=True) == r"`-o, --on <stop\|skip>`"
