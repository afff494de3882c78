import numpy as np
import pytest
from grid_models import network_of
from labeled_grids import as_grids
from spacy.training import Example
from tiny_pipeline import CORPUS, annotate, found, make_doc, make_examples, make_nlp, train

from spacy_gapdner import GapDNERError


def test_every_kind_of_entity_is_learned(trained):
    for text, entities in CORPUS:
        assert found(annotate(trained, text)) == entities, text
    scores = trained.evaluate(make_examples(trained))
    assert (scores["spans_gapdner_f"], scores["spans_gapdner_disc_f"]) == (1.0, 1.0)


@pytest.mark.parametrize("sent_starts", [None, [True, False, True, *[False] * 6]])
def test_entities_outside_segments_are_reported(sent_starts):
    nlp = make_nlp(**({} if sent_starts else {"max_length": 7, "stride": 7}))
    text, entities = CORPUS[0]
    predicted = make_doc(nlp, text, sent_starts=sent_starts)
    example = Example(predicted, make_doc(nlp, text, entities))
    with pytest.warns(UserWarning, match="cross a sentence boundary or do not fit into a window"):
        nlp.update([example])


def test_losses_and_gradients_add_up():
    nlp = make_nlp()
    pipe, examples = nlp.get_pipe("gapdner"), make_examples(nlp)
    before = nlp.to_bytes()
    first = pipe.update(examples)["gapdner"]
    gradient = network_of(pipe.model).classifier.weight.grad.clone()
    losses = {"gapdner": 1.0, "other": 2.0}
    # empty documents do not change the loss
    empty = make_examples(nlp, [("", [])])
    assert pipe.update([*empty, *examples, *empty], losses=losses) is losses
    assert losses == {"gapdner": pytest.approx(1.0 + first), "other": 2.0}
    total = network_of(pipe.model).classifier.weight.grad
    np.testing.assert_allclose(total, 2 * gradient, rtol=1e-4, atol=1e-6)
    # dropout of the tok2vec
    assert pipe.update(examples, drop=0.5)["gapdner"] != pytest.approx(first)
    assert pipe.update(examples)["gapdner"] == pytest.approx(first)
    # without an optimizer, no weight changes
    assert nlp.to_bytes() == before
    assert pipe.update(empty) == pipe.update([]) == {"gapdner": 0.0}
    pipe.update(examples, sgd=nlp.create_optimizer())
    assert nlp.to_bytes() != before


def test_any_function_can_be_the_optimizer():
    nlp = make_nlp()
    before = nlp.to_bytes()
    nlp.update(make_examples(nlp), sgd=lambda key, *arrays, lr_scale=1.0: arrays)
    assert nlp.to_bytes() == before


def test_nan_stops_the_training():
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    # the step makes the weights invalid, and the next loss shows it
    network_of(pipe.model).classifier.bias.register_hook(lambda gradient: gradient * np.nan)
    train(nlp, 1)
    before = nlp.to_bytes()
    with pytest.raises(GapDNERError, match="Training has diverged: the loss of 'gapdner' is nan"):
        train(nlp, 1)
    assert nlp.to_bytes() == before
    for value in (np.nan, np.inf):
        network_of(pipe.model).classifier.bias.data.fill_(value)
        with pytest.raises(GapDNERError, match="scores are NaN or infinite"):
            nlp(make_doc(nlp, CORPUS[0][0]))


def make_misaligned(nlp):
    """Tokens "no | chest-pain | or | fe ver"; gold on "chest", "no .. fever" and "or"."""
    gold = [("SYMPTOM", [1]), ("SYMPTOM", [0, 5]), ("DRUG", [4])]
    spaces = [True, False, False, True, True, False]
    reference = make_doc(nlp, "no chest - pain or fever", gold, spaces=spaces)
    spaces = [True, True, True, False, False]
    return Example(make_doc(nlp, "no chest-pain or fe ver", spaces=spaces), reference)


MESSAGE = "cannot learn (1 of 3 )?gold entities whose boundaries fall inside a token"


@pytest.mark.filterwarnings(f"ignore:.*{MESSAGE}")
def test_unaligned_gold_is_masked():
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    scores = as_grids([np.zeros((5, 5, 6), dtype="float32")])
    _, (gradient,) = pipe.get_loss([make_misaligned(nlp)], scores)
    # "chest" is half a predicted token: its cell is masked, the others are not
    assert np.argwhere(~gradient.any(axis=-1)).tolist() == [[1, 1]]
    # "no" and "fe ver", whose gap covers the masked token, and "or" are learned
    frag, gap, drug, symptom = 1, 2, 4, 5
    learned = {(0, 0, frag), (1, 2, gap), (3, 4, frag), (4, 0, symptom), (2, 2, drug)}
    wanted = np.argwhere(gradient < 0).tolist()
    assert {(row, column, channel) for row, column, channel in wanted if channel} == learned


def test_unaligned_gold_is_reported_and_refused_in_strict_mode():
    nlp = make_nlp()
    with pytest.warns(UserWarning, match=MESSAGE):
        nlp.update([make_misaligned(nlp)])
    pipe = nlp.get_pipe("gapdner")
    with pytest.raises(GapDNERError, match=MESSAGE):
        pipe.initialize(lambda: [make_misaligned(nlp)], strict_alignment=True)
    pipe.initialize(lambda: make_examples(nlp), nlp=nlp, strict_alignment=True)
    with pytest.raises(GapDNERError, match=MESSAGE):
        nlp.update([make_misaligned(nlp)])


def test_kernels_of_a_gpu_are_announced(monkeypatch, caplog):
    nlp = make_nlp()
    with caplog.at_level("INFO", "spacy"):
        nlp.initialize(lambda: make_examples(nlp))
        assert "CuPy" not in caplog.text
        monkeypatch.setattr(nlp.get_pipe("gapdner").model.ops, "device_type", "gpu")
        nlp.initialize(lambda: make_examples(nlp))
    assert "because CuPy compiles its kernels" in caplog.text
