"""Training on the GPU, and its differences from training on the CPU.

Sums of gradients on a GPU are rounded in a different order in each run, and cuDNN's LSTM rounds its
inputs to TF32. The tolerances are several times the effect of such errors on a CPU.
"""

import pytest
import torch
from devices import use_device
from learning import GOLD, build, find, learn
from spacy.pipeline import TrainablePipe
from thinc.api import Adam, get_torch_default_device
from tiny_pipeline import model_config

from project.baselines import register  # noqa: F401
from spacy_gapdner.model.optimizer import update_weights

pytestmark = pytest.mark.gpu


def is_on_current_device(nlp):
    models = [pipe.model for _, pipe in nlp.pipeline if isinstance(pipe, TrainablePipe)]
    shims = [shim for model in models for node in model.walk() for shim in node.shims]
    weights = [w for shim in shims for w in shim._model.parameters()]
    return {w.device for w in weights} == {get_torch_default_device()}


def test_learns_and_is_repeatable(encoder):
    runs = []
    for _ in range(2):
        nlp = build(encoder)
        runs.append(learn(nlp, 100))
        assert is_on_current_device(nlp)
        entities, scores = find(nlp)
        assert entities == GOLD
        assert min(scores) > 0.9
    assert runs[0][-1] < runs[0][0] / 100
    assert runs[0] == pytest.approx(runs[1], rel=0.01, abs=1e-4)


def test_losses_are_those_of_the_cpu(encoder):
    found = learn(build(encoder), 30)
    use_device("cpu")
    assert found == pytest.approx(learn(build(encoder), 30), rel=0.05, abs=1e-3)


def test_learns_in_bfloat16():
    nlp = build(None, mixed_precision=True)
    losses = learn(nlp, 100)
    assert losses[-1] < losses[0] / 100
    assert find(nlp)[0] == GOLD


def test_added_types_are_learned(encoder):
    """The output is resized, which keeps the weights on the GPU."""
    nlp = build(encoder)
    learn(nlp, 100)
    nlp.get_pipe("gapdner").add_label("FOOD")
    assert is_on_current_device(nlp)
    assert find(nlp)[0] == GOLD
    assert learn(nlp, 2)[-1] < 1


W2NER = {"hidden_width": 16, "embedding_width": 4, "grid_width": 8, "dilations": [1, 2]}
W2NER |= {"biaffine_width": 16, "predictor_width": 8}
W2NER |= dict.fromkeys(("word_dropout", "grid_dropout", "predictor_dropout"), 0.0)
TOE = {**W2NER, "n_rounds": 2, "n_heads": 2, "inner_width": 16, "attention_dropout": 0.0}


@pytest.mark.parametrize(("name", "settings"), [("W2NER", W2NER), ("TOE", TOE)])
def test_losses_of_the_baselines(name, settings):
    model = {"@architectures": f"gapdner-baselines.{name}.v1", **settings}
    model["tagging"] = {"@misc": f"gapdner-baselines.{name}Tagging.v1"}
    model["tok2vec"] = model_config()["tok2vec"]
    found = learn(build(None, model=model), 20)
    assert found[-1] < found[0]
    use_device("cpu")
    assert found == pytest.approx(learn(build(None, model=model), 20), rel=0.05, abs=1e-3)


def test_optimizer_agrees_with_thinc():
    settings = {"L2": 0.01, "L2_is_weight_decay": True, "grad_clip": 1.0, "eps": 1e-8}
    settings["use_averages"] = False
    optimizers = Adam(0.01, **settings), Adam(0.01, **settings)
    weights = {"matrix": torch.randn(30, 20), "vector": torch.randn(7)}
    on_device = {name: torch.nn.Parameter(w.cuda()) for name, w in weights.items()}
    arrays = {name: w.numpy().copy() for name, w in weights.items()}
    # every second gradient is clipped
    for scale in (0.01, 1.0) * 20:
        for name, array in arrays.items():
            gradient = scale * torch.randn(*array.shape)
            on_device[name].grad = gradient.cuda()
            arrays[name], _ = optimizers[1]((1, name), array, gradient.numpy().copy())
        assert update_weights(optimizers[0], [((1, n), w) for n, w in on_device.items()])
    for name, array in arrays.items():
        assert on_device[name].detach().cpu().numpy() == pytest.approx(array, rel=1e-4, abs=1e-5)
