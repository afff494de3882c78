from pathlib import Path

import pytest

from project.experiments.training import read_evaluations, read_run_config
from spacy_gapdner.errors import GapDNERError

CONFIG = Path(__file__).parents[3] / "configs" / "gapdner_cpu.cfg"
WEIGHTS = "training.score_weights"
NO_WEIGHT = {f"{WEIGHTS}.spans_gapdner_f": 0.0, f"{WEIGHTS}.spans_gapdner_disc_f": 0.0}


def test_the_config_holds_seed_overrides_and_defaults(tmp_path):
    text = CONFIG.read_text(encoding="utf8")
    (tmp_path / "short.cfg").write_text(text.replace("max_paths = 10000\n", ""))
    overrides = {
        "training.optimizer.learn_rate.total_steps": 12,
        "components.gapdner.model.bilstm": False,
        "paths.train": "a/b.spacy",
    }
    read = read_run_config(tmp_path / "short.cfg", overrides, 3)
    for config in (read.config, read.filled):
        assert config["system"]["seed"] == config["training"]["seed"] == 3
        # a variable that stands for another setting
        assert config["training"]["max_steps"] == 12
        assert config["components"]["gapdner"]["model"]["bilstm"] is False
    assert read.filled["components"]["gapdner"]["max_paths"] == 10_000
    assert read.spans_key == "gapdner"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({f"{WEIGHTS}.spans_gapdner_p": 1.0}, "spans_gapdner_p = 0.5"),
        (NO_WEIGHT, "but it has no weight"),
        ({"system.seed": 1}, "--system.seed would give all runs one seed. Use --seeds"),
        ({"training.optimizer.learn_rate.total_steps": "many"}, "not a valid config"),
        ({"nlp.pipeline": ["sentencizer"]}, "no component with the factory gapdner"),
    ],
)
def test_what_is_no_config(overrides, message):
    with pytest.raises(GapDNERError, match=message):
        read_run_config(CONFIG, overrides, 0)


def test_of_equal_scores_the_last_is_the_best_model(tmp_path):
    """spaCy saves a model that is as good as the best before."""
    rows = [(0, 0.1), (5, 0.25), (10, 0.25), (15, 0.2)]
    lines = [
        f'{{"epoch":1,"step":{step},"losses":{{"gapdner":2.5}},"scores":{{}},"score":{score}}}\n'
        for step, score in rows
    ]
    (tmp_path / "evaluations.jsonl").write_text("".join(lines))
    evaluations, best = read_evaluations(tmp_path)
    assert [(e["step"], e["score"]) for e in evaluations] == rows
    assert best == {"step": 10, "epoch": 1, "score": 0.25, "losses": {"gapdner": 2.5}}
