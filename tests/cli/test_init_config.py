import pytest
from thinc.api import Config

from spacy_gapdner.config.template import make_config_text


def test_a_config_is_written(run, tmp_path):
    path = tmp_path / "new folder" / "config.cfg"
    result = run("init-config", path, "--lang", "de", "--gpu", "--spans-key", "findings")
    text = path.read_text(encoding="utf8")
    settings = {"lang": "de", "gpu": True, "spans_key": "findings"}
    assert text == make_config_text(file_name=str(path), **settings)
    assert "bert-base-german-cased. Read its license" in " ".join(result.stdout.split())
    assert f"python -m spacy train '{path}' --output training" in result.stdout
    assert "--gpu-id 0" in result.stdout
    assert "No transformer" in run("init-config", tmp_path / "cpu.cfg").stdout


def test_stdout_has_the_config_alone(run):
    result = run("init-config", "-", "--optimize", "accuracy")
    assert result.stdout == make_config_text(optimize="accuracy")
    assert Config().from_str(result.stdout)["nlp"]["lang"] == "en"


def test_a_file_is_replaced_on_demand_alone(run, fails, tmp_path):
    path = tmp_path / "config.cfg"
    path.write_text("mine")
    fails("Use --force to overwrite it", "init-config", path)
    assert path.read_text() == "mine"
    run("init-config", path, "--force")
    assert path.read_text() == make_config_text(file_name=str(path))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("spaCy has no language 'klingon'", ["--lang", "klingon"]),
        ("Invalid spans_key: 'a.b'", ["--spans-key", "a.b"]),
        ("'./bert' is neither a directory nor a name", ["--transformer", "./bert"]),
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
