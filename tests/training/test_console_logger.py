import io
import warnings
from types import SimpleNamespace

import pytest
import spacy
import srsly
from spacy import registry
from tiny_pipeline import model_config

NAMES = ["spans_gapdner_f", "spans_gapdner_disc_f", "ents_f"]


def start_logging(keys, scores, output_file=None, **training):
    """The functions of a logger, the losses, and its output."""
    nlp = spacy.blank("en")
    for key in keys:
        nlp.add_pipe("gapdner", name=key, config={"model": model_config(), "spans_key": key})
    config = nlp.config.copy()
    config["training"] |= training
    # without the weights that nlp.config adds
    config["training"]["score_weights"] = {**dict.fromkeys(scores, 0.5), "unused": None}
    logger = registry.loggers.get("spacy-gapdner.ConsoleLogger.v1")(output_file=output_file)
    stdout = io.StringIO()
    trained = SimpleNamespace(pipeline=nlp.pipeline, config=config)
    log_step, finalize = logger(trained, stdout, io.StringIO())
    losses = dict.fromkeys(nlp.pipe_names, 2.0)
    log_step(None)
    return log_step, finalize, losses, stdout


def log(keys, scores, output_file=None):
    """The lines that the logger prints for one evaluation, as columns."""
    log_step, finalize, losses, stdout = start_logging(keys, scores, output_file)
    log_step({"epoch": 1, "step": 5, "score": 0.5, "losses": losses, "other_scores": scores})
    finalize()
    return [line.split() for line in stdout.getvalue().splitlines()]


def test_columns_can_be_told_apart(tmp_path):
    path, scores = tmp_path / "log.jsonl", dict(zip(NAMES, (0.5, 0.25, 1.0), strict=True))
    *_, header, _, row = log(["gapdner"], scores, path)
    assert header == ["E", "#", "LOSS", "GAPDNER", "F", "DISC_F", "ENTS_F", "SCORE"]
    assert row == ["1", "5", "2.00", "50.00", "25.00", "100.00", "0.50"]
    # the file has the full names
    (saved,) = srsly.read_jsonl(path)
    assert saved["scores"] == dict(zip(NAMES, (50, 25, 100), strict=True))


@pytest.mark.parametrize(
    ("keys", "names", "columns"),
    [
        (["body"], ["spans_body_f", "spans_gapdner_f"], ["F", "SPANS_GAPD..."]),
        (["a", "a_b"], ["spans_a_f", "spans_a_b_f", "spans_a_p"], ["F_A", "F_A_B", "P_A"]),
        ([], ["spans_sc_f"], ["SPANS_SC_F"]),
    ],
)
def test_columns_of_other_keys(keys, names, columns):
    header, *_ = log(keys, dict.fromkeys(names, 0.5))
    assert header[-len(columns) - 1 :] == [*columns, "SCORE"]


def test_missing_discontinuous_predictions_are_reported_once():
    log_step, _, losses, _ = start_logging(["gapdner"], NAMES)
    info = {"epoch": 1, "step": 5, "score": 0.5, "losses": losses}

    def evaluate(n_found, times):
        counts = {"spans_gapdner_counts": {"disc_gold": 4, "disc_correct": n_found}}
        for _ in range(times):
            log_step({**info, "other_scores": dict.fromkeys(NAMES, 0.5) | counts})

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        evaluate(0, 4)
        evaluate(1, 1)
        evaluate(0, 4)
        assert not warned
        evaluate(0, 7)
    (warning,) = warned
    assert "5 evaluations have not found any of 4 discontinuous entities" in str(warning.message)


@pytest.mark.parametrize("n_batches", [0, 3, 6])
def test_lengths_of_a_training(n_batches):
    start_logging(["gapdner"], {}, max_steps=n_batches, eval_frequency=3)


@pytest.mark.parametrize(
    ("n_batches", "expected"),
    [
        (2, "max_steps = 2 is less than eval_frequency = 3. .* model-best is untrained."),
        (4, "max_steps = 4 is not a multiple of eval_frequency = 3."),
    ],
)
def test_batches_after_the_last_evaluation(n_batches, expected):
    total = "${training.optimizer.learn_rate.total_steps}"
    with pytest.warns(UserWarning, match=expected):
        start_logging(
            ["gapdner"],
            {},
            max_steps=total,
            eval_frequency=3,
            optimizer={"learn_rate": {"total_steps": n_batches}},
        )
