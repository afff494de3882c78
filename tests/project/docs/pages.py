"""Reads the pages of the documentation, and runs their code blocks."""

import re
from pathlib import Path

from command_lines import run_line
from tiny_pipeline import learn_by_heart

FOLDER = Path(__file__).parents[3] / "project" / "docs"

# a fence, its language and contents; it can be indented, as in a list
_FENCE = re.compile(r"^( *)```(\S+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def read_page(name):
    return (FOLDER / name).read_text(encoding="utf8")


def code_blocks(name):
    """The (language, code) of the blocks of a page, in order."""
    return [
        (language, re.sub(rf"^{indent}", "", code, flags=re.MULTILINE))
        for indent, language, code in _FENCE.findall(read_page(name))
    ]


def run_commands(code):
    """Run the commands of a block."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.startswith("mkdir "):
            Path(line.split()[1]).mkdir()
        elif line.partition("#")[0].strip():
            run_line(line)


def run_page(name, capsys, change=lambda code: code):
    """Run the code blocks of a page. The block after Python code is its output."""
    namespace, printed = {"__name__": "__main__"}, None
    for number, (language, code) in enumerate(code_blocks(name), start=1):
        place = f"{name}, block {number}"
        if language == "text":
            # pages only quote a part of the output of commands
            assert printed in (None, code), place
            printed = None
        assert not printed, f"{place}: the page lacks the output of the code before"
        if language == "bash":
            run_commands(change(code))
            capsys.readouterr()
            printed = None
        elif language == "python":
            exec(compile(code, place, "exec"), namespace)
            lines = capsys.readouterr().out.splitlines()
            printed = "".join(f"{line.rstrip()}\n" for line in lines)


def train_by_heart(annotated, path):
    """Write a small pipeline that has memorized the entities of these sentences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    learn_by_heart(annotated, steps=40).to_disk(path)
