import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Example

from project.benchmark.data import load_pipeline, read_examples
from project.benchmark.speed import Runner, time_batches, time_pipe
from project.experiments.spacy_pipes import PIPES, add_spans, make_config


@pytest.mark.parametrize("name", PIPES)
def test_pipes_of_spacy(name, bert, data, tmp_path):
    config = make_config(name, str(bert), steps=1, rate=5e-5, seed=0, eval_frequency=1)
    nlp = spacy.util.load_model_from_config(config)
    golds = list(DocBin().from_disk(data).get_docs(nlp.vocab))
    for gold in golds:
        add_spans(gold)
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold) for gold in golds])
    nlp.to_disk(tmp_path)
    nlp, pipe = load_pipeline(str(tmp_path), -1)
    examples = read_examples(nlp, pipe, data, 0)
    runner = Runner(nlp, pipe)
    assert time_pipe(runner, examples, 1) > 0
    for is_train in (False, True):
        found = time_batches(runner, examples, 1, is_train=is_train)
        assert found["model"] > 0
        assert found["encoder"] > 0
        assert (found["optimizer"] > 0) == is_train
