import pytest
from benchmark_pipelines import LENGTHS, TEXTS
from spacy.tokens import DocBin

from spacy_gapdner.benchmark import child, process
from spacy_gapdner.benchmark.process import (
    DOCUMENT,
    ENCODER_PREDICTS,
    ENCODER_TRAINS,
    PREDICTS,
    SENTENCE,
    TRAINS,
    Job,
    Setup,
    Usage,
    measure,
)
from spacy_gapdner.errors import GapDNERError

USAGE = Usage("document", 9, 0.5, imported=100, loading=200, loaded=150, peak=180, gpu=None)


@pytest.fixture
def run(runner, tmp_path):
    """Does a job in this process."""
    runner.nlp.to_disk(tmp_path / "model")
    docs = [runner.nlp.make_doc(text) for text in TEXTS]
    DocBin(docs=docs).to_disk(tmp_path / "data.spacy")

    def invoke(task, size, limit=0, **settings):
        setup = Setup(str(tmp_path / "model"), "gapdner", **settings)
        return child.run(Job(setup, task, str(tmp_path / "data.spacy"), limit, size))

    return invoke


@pytest.mark.parametrize("task", [ENCODER_PREDICTS, PREDICTS, ENCODER_TRAINS, TRAINS])
def test_tasks_on_the_corpus(run, task):
    usage = run(task, size=2)
    assert (usage.task, usage.n_words) == (task, sum(LENGTHS))
    assert usage.seconds > 0
    assert 0 < usage.imported <= usage.loading
    assert usage.loaded > 0
    assert usage.peak > 0
    assert usage.gpu is None


def test_limit(run):
    assert run(PREDICTS, size=2, limit=3).n_words == sum(LENGTHS[:3])


@pytest.mark.parametrize("n_words", [4, 120])
def test_documents(run, monkeypatch, n_words):
    """Sentences follow one another, from the first on again."""
    seen = []
    monkeypatch.setattr(child.Runner, "time", lambda runner, work: seen.append(work()) or len(seen))
    usage = run(DOCUMENT, size=n_words)
    assert usage.n_words == n_words == len(seen[0])
    if n_words == 120:
        # with its line break
        lengths = [len(sentence) - 1 for sentence in seen[0].sents]
        assert lengths[:8] == [*LENGTHS, *LENGTHS[:2]]


@pytest.mark.parametrize("n_words", [4, 60])
def test_sentences(run, monkeypatch, n_words):
    """As one grid, while the transformer still has windows."""
    sizes = []
    monkeypatch.setattr(child.Runner, "time", lambda runner, work: watch(runner, work))

    def watch(runner, work):
        grid = runner.pipe.model.get_ref("grid")
        func = grid._func

        def note(model, inputs, is_train):
            sizes.extend(len(segment) for parts in inputs[1] for segment in parts)
            return func(model, inputs, is_train)

        grid._func = note
        work()
        return 1.0

    assert run(SENTENCE, size=n_words).n_words == n_words
    assert sizes == [n_words]


def test_to_dict():
    found = USAGE.to_dict()
    assert (found["over_imported"], found["over_loaded"]) == (80, 30)
    assert found["peak"] == 180


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("echo one; echo two >&2; echo three >&2; exit 3", "exit code 3: two / three"),
        ("kill -9 $$", "exit code -9: it was ended from outside, perhaps for want of memory"),
        ("exit 0", "exit code 0"),
    ],
)
def test_a_process_that_fails(monkeypatch, tmp_path, ending, message):
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{ending}\n")
    program.chmod(0o755)
    monkeypatch.setattr(process.sys, "executable", str(program))
    with pytest.raises(GapDNERError, match=f"The process for 'document' ended with {message}"):
        measure(Setup("model", "gapdner"), DOCUMENT, [], limit=0, size=9)
