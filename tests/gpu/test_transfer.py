"""A pipeline saved on one device finds the same entities on the other, and can be trained there."""

import pytest
import spacy
from devices import use_device
from learning import GOLD, build, find, learn, make_examples

from spacy_gapdner import use_bf16

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("source", "target"), [("cpu", "gpu"), ("gpu", "cpu"), ("gpu", "gpu")])
def test_saved_pipeline(encoder, source, target, tmp_path):
    use_device(source)
    nlp = build(encoder)
    losses = learn(nlp, 100)
    entities, scores = find(nlp)
    assert entities == GOLD
    nlp.to_disk(tmp_path / "model")
    use_device(target)
    loaded = spacy.load(tmp_path / "model")
    found, others = find(loaded)
    assert found == entities
    assert others == pytest.approx(scores, abs=0.01)
    optimizer = loaded.resume_training()
    optimizer.learn_rate = 0.0001
    for _ in range(3):
        loss = loaded.update(make_examples(loaded), sgd=optimizer)["gapdner"]
    # the optimizer has no moments yet
    assert loss < losses[0] / 10
    assert find(loaded)[0] == GOLD


def test_bytes(encoder):
    nlp = build(encoder)
    learn(nlp, 100)
    data = nlp.to_bytes()
    use_device("cpu")
    assert find(build(encoder).from_bytes(data))[0] == GOLD


def test_bfloat16(encoder):
    nlp = build(encoder)
    learn(nlp, 100)
    entities, scores = find(nlp)
    use_bf16(nlp)
    found, others = find(nlp)
    assert found == entities == GOLD
    assert others == pytest.approx(scores, abs=0.05)
