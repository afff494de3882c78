import io

import pytest
import srsly
from tiny_pipeline import make_nlp, model_config

from spacy_gapdner.pipe.training_log import make_console_logger

WEIGHTS = {
    "spans_gapdner_f": 0.75,
    "spans_gapdner_p": 0.0,
    "spans_gapdner_r": 0.0,
    "spans_gapdner_disc_f": 0.25,
    "sents_f": None,
}
SCORES = dict(zip(WEIGHTS, (0.5, 0.75, 0.125, 0.25), strict=False))
INFO = {"epoch": 1, "score": 0.4375, "other_scores": SCORES, "losses": {"gapdner": 12.345}}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """The time, which stands still until it is set."""
    now = [100.0]
    monkeypatch.setattr("spacy_gapdner.pipe.training_log.perf_counter", lambda: now[0])
    return now


@pytest.fixture
def nlp():
    return make_nlp()


def set_training(nlp, **settings):
    config = nlp.config
    config["training"].update(settings)
    nlp.config = config


def test_a_row_for_each_evaluation(clock, nlp, tmp_path):
    set_training(nlp, score_weights=WEIGHTS)
    stdout, stderr = io.StringIO(), io.StringIO()
    log, close = make_console_logger(output_file=tmp_path / "log.jsonl")(nlp, stdout, stderr)
    log({**INFO, "step": 0, "words": 0})
    log(None)
    clock[0] += 4.0
    log({**INFO, "step": 150, "words": 1000, "other_scores": {**SCORES, "spans_gapdner_f": 1.0}})
    clock[0] += 2.0
    log({**INFO, "step": 300, "words": 4000})
    close()
    printed = stdout.getvalue()
    lines = printed[printed.index(" Epoch") :].splitlines()
    assert " ".join(lines[0].split()) == "Epoch Step Loss F P R disc F Words/s Score"
    assert set(lines[1]) <= {"-", " "}
    assert [" ".join(line.split()) for line in lines[2:]] == [
        "1 0 12.35 50.00 75.00 12.50 25.00 - 43.75",
        "1 150 12.35 100.00 75.00 12.50 25.00 250 43.75",
        "1 300 12.35 50.00 75.00 12.50 25.00 1500 43.75",
    ]
    assert len({len(line) for line in lines}) == 1
    assert stderr.getvalue() == ""
    logged = list(srsly.read_jsonl(tmp_path / "log.jsonl"))
    assert [row["step"] for row in logged] == [0, 150, 300]
    assert logged[1]["scores"]["spans_gapdner_f"] == 100.0


def test_several_pipes_have_names(clock, nlp):
    nlp.add_pipe("gapdner", name="second", config={"model": model_config(), "spans_key": "ade"})
    nlp.add_pipe("textcat")
    set_training(nlp, score_weights={**WEIGHTS, "spans_ade_disc_f": 0.5, "cats_score": 0.5})
    stdout = io.StringIO()
    log, _ = make_console_logger()(nlp, stdout, io.StringIO())
    clock[0] += 1.0
    losses = {"gapdner": 1.0, "second": 2.0, "textcat": 3.0}
    scores = {"cats_score": 0.25, "spans_ade_disc_f": None}
    log({**INFO, "step": 5, "words": 10, "losses": losses, "other_scores": scores})
    header, _, row = stdout.getvalue().splitlines()
    names = ["Loss gapdner", "Loss second", "Loss textcat", "gapdner F", "ade disc F", "cats_score"]
    assert [name for name in names if name in header] == names
    # scores that were not given, or of nothing
    assert row.split() == ["1", "5", "1.00", "2.00", "3.00", *"----", "25.00", "-", "10", "43.75"]


def test_a_progress_bar_if_asked_and_there_is_a_terminal(nlp):
    set_training(nlp, score_weights=WEIGHTS, max_steps=300)
    terminal, file = Terminal(), io.StringIO()
    for stderr in (terminal, file):
        log, close = make_console_logger(progress_bar=True)(nlp, io.StringIO(), stderr)
        log({**INFO, "step": 150, "words": 1000})
        log(None)
        close()
    assert "150/300" in terminal.getvalue()
    assert file.getvalue() == ""
