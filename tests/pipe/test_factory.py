"""The pipe, its factories, the architecture and init-config have the same defaults."""

from inspect import signature

import pytest
import spacy

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.pipe.factory import make_gapdner
from spacy_gapdner.pipe.scorer import score_discontinuous
from spacy_gapdner.training.init_config import init_config


def defaults(function):
    parameters = signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


@pytest.mark.parametrize("factory", ["gapdner", "discontinuous_ner"])
def test_settings_of_the_pipe(factory):
    settings = defaults(DiscontinuousEntityRecognizer)
    assert (settings.pop("name"), settings.pop("scorer")) == ("gapdner", score_discontinuous)
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(factory)
    assert settings.items() <= pipe.cfg.items()
    assert pipe.scorer is score_discontinuous
    made = init_config(transformer="none").interpolate()["components"]["gapdner"]
    filled = nlp.config["components"][factory]
    assert (made.pop("factory"), filled.pop("factory")) == ("gapdner", factory)
    assert made == filled
    assert {n: v for n, v in filled.items() if n not in ("model", "scorer")} == settings
    # the factory has no default
    assert defaults(make_gapdner) == {}
