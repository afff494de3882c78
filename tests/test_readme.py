"""The README's Python code runs and prints what the README shows.

One block loads the pipeline that `project run all` trains, which takes minutes. A pipeline that has
learned the printed entities by heart takes its place; sentence, code and output stay unchanged.
"""

import re
from pathlib import Path

import pytest
from spacy.lang.en import English
from tiny_pipeline import gold_docs, learn_by_heart

from spacy_gapdner import Entity

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf8")
BLOCKS = re.findall(r"```python\n(.+?)```\s+```text\n(.+?)```", README, flags=re.DOTALL)
PIPELINE = "project/training/trials/tuned"


def test_every_python_block_shows_its_output():
    assert len(BLOCKS) == README.count("```python") == 2


def find_fragments(words, entity):
    """The fragments of an entity, from its last word back: the closest ones in the text."""
    tokens, end = [], len(words)
    for word in reversed([token.text for token in English().tokenizer(entity)]):
        end = max(i for i in range(end) if words[i] == word)
        tokens.append(end)
    return Entity.from_tokens("", tokens).fragments


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_block(number, tmp_path, monkeypatch, capsys):
    code, printed = BLOCKS[number]
    monkeypatch.chdir(tmp_path)
    if PIPELINE in code:
        (sentence,) = re.findall(r'nlp\("(.+?)"\)', code)
        words = [token.text for token in English().tokenizer(sentence)]
        rows = [line.split(" | ") for line in printed.splitlines()]
        entities = [(label, *find_fragments(words, text)) for label, text, _ in rows]
        annotated = [(" ".join(words), entities)]
        nlp = learn_by_heart(lambda vocab: gold_docs(vocab, annotated), steps=60)
        (tmp_path / PIPELINE).mkdir(parents=True)
        nlp.to_disk(tmp_path / PIPELINE)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
