from thinc.api import Config

from spacy_gapdner.training.init_config import make_config_text


def test_config_and_hints(run, tmp_path):
    path = tmp_path / "new folder" / "config.cfg"
    result = run("init-config", path, "--lang", "de", "--gpu", "--spans-key", "findings")
    settings = {"lang": "de", "gpu": True, "spans_key": "findings"}
    assert path.read_text(encoding="utf8") == make_config_text(file_name=str(path), **settings)
    # not wrapped, because wrapping would break long names at hyphens
    license = "Transformer: bert-base-german-cased. Read its license before you publish a trained "
    assert f"{license}pipeline.\nTraining takes 2500 batches. " in result.stdout
    assert f"python -m spacy train '{path}' --output training" in result.stdout
    assert "--gpu-id 0" in result.stdout


def test_stdout_only_contains_the_config(run):
    result = run("init-config", "-", "--optimize", "accuracy")
    assert result.stdout == make_config_text(optimize="accuracy")
    assert Config().from_str(result.stdout)["nlp"]["lang"] == "en"


def test_errors_are_one_line_and_write_nothing(fails, tmp_path):
    path = tmp_path / "config.cfg"
    fails("lies in the transformer", "init-config", path, "--transformer", tmp_path)
    assert list(tmp_path.iterdir()) == []
