"""The Python code of README.md and configs/README.md prints the output on the page. The settings
are complete."""

import re
from inspect import signature
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from thinc.api import Config

from spacy_gapdner.model.architecture import build_gapdner_v1

ROOT = Path(__file__).parents[1]
README, PAGE = (
    (ROOT / name).read_text(encoding="utf8") for name in ("README.md", "configs/README.md")
)
PYTHON = re.findall(r"```python\n([^`]+)```\s+```text\n([^`]+)```", README + PAGE)
SETTINGS = re.findall(r"```ini\n(.+?)```", PAGE, flags=re.DOTALL)
SCORE = re.compile(r"\b0\.\d\d\b")


def read_settings(block):
    # comments follow the values, and nested sections need their parents
    text = re.sub(r"[ \t]+#.*", "", block)
    parts = re.search(r"\[(.+?)\.\w+\]", text)[1].split(".")
    heads = [f"[{'.'.join(parts[: i + 1])}]\n" for i in range(len(parts))]
    return Config().from_str("\n".join([*heads, text]), interpolate=False)


@pytest.mark.usefixtures("trials")
@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_block(number, tmp_path, monkeypatch, capsys):
    code, expected = PYTHON[number]
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    printed = capsys.readouterr().out
    assert SCORE.sub("", printed).strip() == SCORE.sub("", expected).strip()
    # scores differ slightly between CPUs
    scores = [float(score) for score in SCORE.findall(expected)]
    assert [float(score) for score in SCORE.findall(printed)] == pytest.approx(scores, abs=0.02)


def test_settings_of_the_pipe():
    (block,) = (b for b in SETTINGS if b.startswith("[components.gapdner]\n"))
    pipe_settings = read_settings(block)["components"]["gapdner"]
    del pipe_settings["factory"]
    # the factory is found by its entry point
    spacy.blank("en").add_pipe("gapdner")
    defaults = Language.get_factory_meta("gapdner").default_config
    assert pipe_settings == {name: defaults[name] for name in defaults.keys() - {"model", "scorer"}}


def test_settings_of_the_model():
    (block,) = (b for b in SETTINGS if '@architectures = "spacy-gapdner.GapDNER.v1"' in b)
    model = read_settings(block)["components"]["gapdner"]["model"]
    del model["@architectures"]
    defaults = Language.get_factory_meta("gapdner").default_config["model"]
    names = signature(build_gapdner_v1).parameters.keys() - {"tok2vec", "tagging"}
    assert model == {name: defaults[name] for name in names}
