import pytest
from thinc.api import Config

from spacy_gapdner.config.encoders import ENCODERS
from spacy_gapdner.config.init_config import make_config_text


def test_a_config_is_written(run, tmp_path):
    path = tmp_path / "new folder" / "config.cfg"
    result = run("init-config", path, "--lang", "de", "--gpu", "--spans-key", "findings")
    text = path.read_text(encoding="utf8")
    settings = {"lang": "de", "gpu": True, "spans_key": "findings"}
    assert text == make_config_text(file_name=str(path), **settings)
    shown = result.stdout.replace("\n", " ")
    assert "bert-base-german-cased. Read its license" in shown
    assert f"python -m spacy train '{path}' --output training" in result.stdout
    assert "--gpu-id 0" in result.stdout


def test_what_is_known_of_the_encoder_is_said(run, tmp_path):
    result = run("init-config", tmp_path / "c.cfg", "--optimize", "accuracy")
    assert "nreimers/MiniLM-L6-H384-uncased (general English, 23 M parameters, MIT)" in (
        result.stdout.replace("\n", " ")
    )
    result = run("init-config", tmp_path / "d.cfg", "-G", "--transformer", "none")
    assert "learned from your data alone" in result.stdout


def test_stdout_has_the_config_alone(run):
    result = run("init-config", "-", "--optimize", "accuracy")
    assert result.stdout == make_config_text(optimize="accuracy")
    assert Config().from_str(result.stdout)["nlp"]["lang"] == "en"


def test_a_file_is_replaced_on_demand_alone(run, fails, tmp_path):
    path = tmp_path / "config.cfg"
    path.write_text("mine")
    fails("Give --force to replace it", "init-config", path)
    assert path.read_text() == "mine"
    run("init-config", path, "--force")
    assert path.read_text() == make_config_text(file_name=str(path))
    assert list(tmp_path.iterdir()) == [path]


def test_encoders_are_listed_without_a_file(run):
    result = run("init-config", "--encoders")
    # what a terminal is too narrow for goes on in the next line
    printed = "".join(result.stdout.split())
    for encoder in ENCODERS:
        assert f"{encoder.parameters}M{encoder.license}" in printed
        assert "".join(encoder.name.split())[:20] in printed


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("spaCy has no language 'klingon'", ["--lang", "klingon"]),
        ("spans_key 'a.b' cannot be used", ["--spans-key", "a.b"]),
        ("There is no directory './bert'", ["--transformer", "./bert"]),
    ],
)
def test_errors_are_one_line_and_write_nothing(fails, tmp_path, message, arguments):
    fails(message, "init-config", tmp_path / "config.cfg", *arguments)
    fails(message, "init-config", "-", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_the_transformer_is_not_written_into(fails, tmp_path):
    (tmp_path / "config.json").touch()
    path = tmp_path / "config.cfg"
    fails("lies in the transformer", "init-config", path, "--transformer", tmp_path)
