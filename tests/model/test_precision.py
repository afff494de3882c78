import pytest
import spacy
import torch
from confection import Config
from spacy.lang.en import English
from spacy.util import load_model_from_config, registry

from spacy_gapdner.model.precision import make_matmul_precision


@pytest.fixture(autouse=True)
def restored():
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("precision", ["medium", "high", "highest"])
def test_a_config_sets_the_precision_of_the_process(precision, tmp_path):
    block = {"@callbacks": "spacy-gapdner.matmul_precision.v1", "precision": precision}
    nlp = load_model_from_config(
        Config({"nlp": {"lang": "en", "before_creation": block}}), auto_fill=True
    )
    assert torch.get_float32_matmul_precision() == precision
    # so does a pipeline that is loaded
    nlp.to_disk(tmp_path / "model")
    torch.set_float32_matmul_precision("highest")
    spacy.load(tmp_path / "model")
    assert torch.get_float32_matmul_precision() == precision


def test_the_class_is_passed_on():
    assert registry.callbacks.get("spacy-gapdner.matmul_precision.v1") is make_matmul_precision
    assert make_matmul_precision()(English) is English


def test_unknown_precision():
    with pytest.raises(ValueError, match="'highest', 'high' or 'medium', but it is 'half'"):
        make_matmul_precision("half")
