import pytest
import spacy
from tiny_pipeline import model_config

from spacy_gapdner import GapDNERError


def test_the_labels_of_earlier_versions_ask_for_training():
    tagging = {
        "@misc": "spacy-gapdner.W2NERTagging.v1",
        "loss": {"@losses": "spacy-gapdner.CrossEntropy.v1"},
    }
    with pytest.raises(GapDNERError, match=r"^The pipeline was saved .* 0\.7\. Train it anew\.$"):
        spacy.blank("en").add_pipe("gapdner", config={"model": model_config(tagging=tagging)})
