from itertools import cycle

from spacy_gapdner.benchmark import run
from spacy_gapdner.benchmark.process import Setup
from spacy_gapdner.benchmark.run import Options, run_benchmark


def test_the_parts_are_those_of_the_fastest_run(runner, corpus, monkeypatch):
    """Not the least time of each part, as parts of one run add up to its time."""
    prediction = [{"encoder": 1.0, "decoding": 3.0}, {"encoder": 2.0, "decoding": 1.0}]
    training = [{"encoder": 5.0, "loss": 1.0}, {"encoder": 4.0, "loss": 3.0}]
    for name, runs in [("prediction", cycle(prediction)), ("training", cycle(training))]:
        monkeypatch.setattr(run, f"time_{name}_parts", lambda *_, runs=runs: next(runs))
    options = Options(repeats=2, memory=False)
    setup = Setup("unused", "gapdner")
    found = run_benchmark(runner.nlp, runner.pipe, corpus, setup, options, {})
    assert found.prediction[1].parts == prediction[1]
    assert found.training[1].parts == training[0]
