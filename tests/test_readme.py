"""The README's Python code runs, and prints what the README says.

Of a block that loads the project's own model, which takes minutes to train, the form of what is
printed is compared: a small model stands in for it.
"""

import re
from pathlib import Path

import pytest
from tiny_pipeline import ANNOTATED, trained_pipeline

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf8")
BLOCKS = re.findall(r"```python\n(.+?)```\s+```text\n(.+?)```", README, flags=re.DOTALL)
MODEL = "project/training/trials/tuned"
FOUND = re.compile(r"[A-Za-z]+ \| [^|]+ \| (True|False)")


def test_every_python_block_says_what_it_prints():
    assert len(BLOCKS) == README.count("```python") == 2


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_block(number, tmp_path, monkeypatch, capsys):
    code, printed = BLOCKS[number]
    monkeypatch.chdir(tmp_path)
    if MODEL not in code:
        exec(compile(code, "README.md", "exec"), {})
        assert capsys.readouterr().out == printed
        return
    (tmp_path / MODEL).mkdir(parents=True)
    trained_pipeline().to_disk(tmp_path / MODEL)
    known = re.sub(r'nlp\(".+?"\)', f"nlp({ANNOTATED[0][0]!r})", code)
    assert known != code
    exec(compile(known, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(FOUND.fullmatch(line) for line in [*lines, *printed.splitlines()])
