"""`spacy train` with valid and broken corpora."""

import warnings
import zlib

import pytest
import spacy
from spacy.cli._util import app
from spacy.cli.init_config import init_config
from tiny_pipeline import CORPUS, model_config, save_corpus
from typer.testing import CliRunner

from spacy_gapdner import GapDNERError

OURS, SPACYS = "spacy-gapdner.Corpus.v1", "spacy.Corpus.v1"


@pytest.fixture
def good(tmp_path):
    return save_corpus(tmp_path / "good.spacy")


@pytest.fixture
def run_training(tmp_path):
    """Runs `spacy train` with these corpora for four steps."""

    def run(train_path, dev_path, *options, reader=SPACYS):
        nlp = spacy.blank("en")
        nlp.add_pipe("gapdner_sentencizer")
        nlp.add_pipe("gapdner", config={"model": model_config()})
        config = init_config(pipeline=["gapdner"], silent=True)
        config["nlp"]["pipeline"] = nlp.pipe_names
        config["components"] = nlp.config["components"]
        config["training"] |= {"max_steps": 4, "eval_frequency": 2}
        for part in ("train", "dev"):
            config["corpora"][part] = {"@readers": reader, "path": f"${{paths.{part}}}"}
        config.to_disk(tmp_path / "config.cfg")
        paths = ["--paths.train", str(train_path), "--paths.dev", str(dev_path)]
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            command = ["train", str(tmp_path / "config.cfg"), *paths, *options]
            result = CliRunner().invoke(app, command)
        result.warned = [str(w.message) for w in warned]
        return result

    return run


def test_valid_corpus(run_training, good, tmp_path):
    # also one document without sentences
    path = save_corpus(tmp_path / "one.spacy", CORPUS[:1])
    for result in (
        run_training(good, good, reader=OURS),
        run_training(path, path, "--nlp.pipeline", '["gapdner"]', reader=SPACYS),
    ):
        assert result.exit_code == 0, result.output
        assert not any("gapdner" in message for message in result.warned)


# spaCy's own reader only reads the development corpus at the first evaluation, where our code is
# not involved
@pytest.mark.parametrize(
    ("part", "reader", "break_up"),
    [
        (0, SPACYS, lambda whole: zlib.compress(b"\x81\xa1a\x01")),
        (1, OURS, lambda whole: whole[: len(whole) // 2]),
    ],
)
def test_broken_corpus(run_training, good, tmp_path, part, reader, break_up):
    broken = tmp_path / "broken.spacy"
    broken.write_bytes(break_up(good.read_bytes()))
    result = run_training(*((good, broken) if part else (broken, good)), reader=reader)
    message = "is not a valid .spacy file" if reader == OURS else "Cannot read the training corpus"
    assert isinstance(result.exception, GapDNERError)
    assert message in str(result.exception)
