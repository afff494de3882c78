"""The factories and init-config have the same defaults."""

import pytest
import spacy

from spacy_gapdner.pipe.factory import DEFAULT_SETTINGS
from spacy_gapdner.pipe.scorer import score_discontinuous
from spacy_gapdner.training.init_config import init_config


@pytest.mark.parametrize("factory", ["gapdner", "discontinuous_ner"])
def test_settings_of_the_pipe(factory):
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(factory)
    made = init_config(transformer="none").interpolate()["components"]["gapdner"]
    filled = nlp.config["components"][factory]
    assert (made.pop("factory"), filled.pop("factory")) == ("gapdner", factory)
    assert made == filled
    assert {n: v for n, v in DEFAULT_SETTINGS.items() if n in pipe.cfg}.items() <= pipe.cfg.items()
    assert pipe.scorer is score_discontinuous
