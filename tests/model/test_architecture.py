import pytest
import spacy
from confection import ConfigValidationError
from grid_models import LABELS, SETTINGS, WIDTH, fixed_vectors, initialize_model, network_of

from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.model.architecture import build_gapdner_v1
from spacy_gapdner.model.network import GapDNERNetwork, GapDNERSettings

TAGGING = GapAwareTagging()


def make_model(**settings):
    return build_gapdner_v1(fixed_vectors(), TAGGING, **{**SETTINGS, **settings})


@pytest.mark.parametrize("settings", [{}, {"bilstm": False, "biaffine": False}])
def test_every_setting_reaches_the_network(settings):
    model = initialize_model(make_model(**settings))
    assert (model.name, model.attrs["tagging"]) == ("gapdner", TAGGING)
    built, channels = network_of(model), TAGGING.channels(LABELS)
    assert (built.n_in, built.labels) == (WIDTH, tuple(LABELS))
    expected = GapDNERNetwork(WIDTH, channels, GapDNERSettings(**{**SETTINGS, **settings}))
    assert str(built) == str(expected)
    assert [p.shape for p in built.parameters()] == [p.shape for p in expected.parameters()]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hidden_width", 0, r"0\. It must be at least 1"),
        ("word_dropout", 1.0, r"1\.0\. It must be in \[0, 1\)"),
        ("hidden_width", 7, r"7\. .* needs an even number"),
        ("max_batch_cells", 0, r"0\. It must be at least 1"),
    ],
)
def test_invalid_settings_are_refused(name, value, message):
    with pytest.raises(ValueError, match=f"Invalid {name}: {message}"):
        initialize_model(make_model(**{name: value}))


@pytest.mark.parametrize("wrong", [{"co_predictor": True}, {"hidden_width": "wide"}])
def test_config_is_checked(wrong):
    """spaCy validates settings against the arguments of the function."""
    with pytest.raises(ConfigValidationError, match=next(iter(wrong))):
        spacy.blank("en").add_pipe("gapdner", config={"model": wrong})
