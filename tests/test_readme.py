"""The README's Python code runs, and prints what the README says.

What the project's own model finds is measured by the project, not here: a block that loads it gets
a model that has learnt the block's sentence and its printed entities by heart. That holds names,
arguments and the form of what is printed, as well as the order of entities.
"""

import re
from pathlib import Path

import pytest
import spacy
from spacy.training import Example

from spacy_gapdner import Entity, set_entities

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf8")
BLOCKS = re.findall(r"```python\n(.+?)```\s+```text\n(.+?)```", README, flags=re.DOTALL)
MODEL = "project/training/sample/model-best"


def test_every_python_block_says_what_it_prints():
    assert len(BLOCKS) == README.count("```python") == 2


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_block(number, tmp_path, monkeypatch, capsys):
    code, printed = BLOCKS[number]
    monkeypatch.chdir(tmp_path)
    if MODEL in code:
        train_on(code, printed, tmp_path / MODEL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


def train_on(code: str, printed: str, path: Path) -> None:
    """Put a model that knows the block's sentence by heart in the place of the project's."""
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner")
    sentence = re.search(r'nlp\("(.+?)"\)', code).group(1)
    reference = nlp.make_doc(sentence)
    position = {token.text: token.i for token in reference}
    entities = []
    for line in printed.splitlines():
        label, text, is_discontinuous = line.split(" | ")
        entity = Entity.from_tokens(label, [position[word] for word in text.split()])
        assert entity.is_discontinuous == (is_discontinuous == "True")
        entities.append(entity)
    set_entities(reference, entities)
    examples = [Example(nlp.make_doc(sentence), reference)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    path.parent.mkdir(parents=True)
    nlp.to_disk(path)
