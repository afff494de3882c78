"""The custom tagging scheme of configs/README.md works in all commands."""

import re
import subprocess
import sys
from pathlib import Path

import catalogue
import pytest
import srsly
from spacy.cli.train import train
from spacy.util import import_file
from thinc.api import Config
from tiny_pipeline import ANNOTATED, model_config

README = Path(__file__).parents[2] / "configs" / "README.md"


@pytest.fixture
def code(tmp_path):
    (text,) = re.findall(r"```python\n(# extents.py\n.*?)```", README.read_text("utf8"), re.DOTALL)
    path = tmp_path / "extents.py"
    path.write_text(text, encoding="utf8")
    return path


def test_custom_tagging_scheme(run, fails, code, write_docs, tmp_path):
    import_file("extents_of_the_readme", code)
    data = write_docs("docs.spacy", ANNOTATED[1:3])
    path = tmp_path / "config.cfg"
    run("init-config", path)
    config = Config().from_disk(path, interpolate=False)
    network = config["components"]["gapdner"]["model"]
    network["tagging"]["@misc"] = "extents.v1"
    network.update(tok2vec=model_config()["tok2vec"], word_dropout=0.0)
    config["training"]["optimizer"]["learn_rate"] = 0.01
    config["training"].update(max_steps=60, eval_frequency=30, dropout=0.0)
    config["paths"].update(train=str(data), dev=str(data))
    config.to_disk(path)
    train(path, tmp_path, overrides={}, use_gpu=-1)
    model = tmp_path / "model-best"
    # the scheme is not registered in a new process
    catalogue.REGISTRY.pop(("spacy", "misc", "extents.v1"))
    fails("extents.v1", "evaluate", model, data)
    scores = tmp_path / "scores.json"
    run("evaluate", model, data, "-o", scores, "--code", code)
    assert srsly.read_json(scores)["spans_gapdner_f"] == 1.0
    result = run("debug-data", data, "-c", path, "--code", code)
    assert "train 100.00" in " ".join(result.stdout.split()), result.output


@pytest.mark.slow
def test_custom_tagging_scheme_passes_mypy(code):
    with code.open("a", encoding="utf8") as file:
        file.write(
            "\nfrom spacy_gapdner.grid import TaggingScheme\n"
            "from spacy_gapdner.grid.losses import CrossEntropy\n"
            "class Specific(ExtentTagging):\n"
            "    loss: CrossEntropy\n"
            "scheme: TaggingScheme = Specific(CrossEntropy())\n"
        )
    # with the settings and the cache of the repository, because mypy also checks imported packages
    args = [sys.executable, "-m", "mypy", str(code)]
    result = subprocess.run(args, cwd=README.parents[1], capture_output=True, text=True)
    assert "Success" in result.stdout, result.stdout


def test_code_that_cannot_be_imported(fails, model, write_docs, tmp_path):
    path = tmp_path / "own.py"
    path.write_text("x =")
    fails("(SyntaxError)", "evaluate", model, write_docs(), "--code", path)
    fails("is not a Python file", "evaluate", model, write_docs(), "--code", tmp_path / "a.cfg")
