from pathlib import Path

import pytest

from project.experiments.training import read_run_config
from spacy_gapdner.errors import GapDNERError

CONFIG = Path(__file__).parents[3] / "configs" / "gapdner_cpu.cfg"
WEIGHTS = "training.score_weights"
NO_WEIGHT = {f"{WEIGHTS}.spans_gapdner_f": 0.0, f"{WEIGHTS}.spans_gapdner_disc_f": 0.0}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({f"{WEIGHTS}.spans_gapdner_p": 1.0}, "spans_gapdner_p = 0.5"),
        (NO_WEIGHT, "but has no weight"),
        ({"system.seed": 1}, "--system.seed would set the same seed for all runs. Use --seeds"),
        ({"training.optimizer.learn_rate.total_steps": "many"}, "not a valid config"),
        ({"nlp.pipeline": ["sentencizer"]}, "no component with the factory gapdner"),
    ],
)
def test_invalid_config(overrides, message):
    with pytest.raises(GapDNERError, match=message):
        read_run_config(CONFIG, overrides, 0)
