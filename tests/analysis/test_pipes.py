import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress

import pytest
import spacy
from tiny_pipeline import model_config

from spacy_gapdner.analysis.pipes import changed, find_pipe, storing_under
from spacy_gapdner.analysis.uncertainty import UncertaintySampler
from spacy_gapdner.errors import GapDNERError


def test_a_single_pipe_is_found_whatever_its_key(nlp):
    pipe = nlp.get_pipe("gapdner")
    assert find_pipe(nlp) is find_pipe(nlp, "gapdner") is find_pipe(nlp, "other") is pipe


def test_one_of_several():
    nlp = spacy.blank("en")
    config = {"model": model_config()}
    nlp.add_pipe("gapdner", config=config)
    second = nlp.add_pipe("discontinuous_ner", name="second", config={**config, "spans_key": "b"})
    assert find_pipe(nlp, "b") is second
    for key in (None, "c"):
        with pytest.raises(GapDNERError, match=r"several pipes: gapdner \(gapdner\), second \(b\)"):
            find_pipe(nlp, key)


def test_no_pipe():
    nlp = spacy.blank("en")
    with pytest.raises(GapDNERError, match="only none at all"):
        find_pipe(nlp)
    nlp.add_pipe("sentencizer")
    with pytest.raises(GapDNERError, match="only sentencizer"):
        find_pipe(nlp)


def test_the_key_is_given_back(nlp):
    pipe = nlp.get_pipe("gapdner")
    with storing_under(pipe, None) as key:
        assert (key, pipe.key) == ("gapdner", "gapdner")
    with suppress(ZeroDivisionError), storing_under(pipe, "gold") as key:
        assert (key, pipe.key) == ("gold", "gold")
        raise ZeroDivisionError
    assert pipe.key == "gapdner"


def test_two_that_change_a_pipe_at_once_leave_it_as_it_was(nlp):
    pipe = nlp.get_pipe("gapdner")
    before, entered, leave = pipe.cfg["threshold"], threading.Event(), threading.Event()

    def change():
        with changed(pipe, threshold=0.25):
            entered.set()
            leave.wait(30)

    with ThreadPoolExecutor(1) as pool:
        with changed(pipe, threshold=0.125):
            other = pool.submit(change)
            is_alone = not entered.wait(0.1) and pipe.cfg["threshold"] == 0.125
        leave.set()
        other.result(30)
    assert is_alone
    assert pipe.cfg["threshold"] == before


def test_what_another_has_changed_for_a_time_is_not_taken_for_the_pipes_own(nlp):
    pipe = nlp.get_pipe("gapdner")
    own, entered = pipe.cfg["threshold"], threading.Event()

    def look():
        entered.set()
        threshold = UncertaintySampler(pipe, 1).selection.threshold
        with storing_under(pipe, None) as key:
            return threshold, key

    with ThreadPoolExecutor(1) as pool:
        with changed(pipe, threshold=0.0, spans_key="gold"):
            looking = pool.submit(look)
            assert entered.wait(30)
            assert not wait([looking], 0.1).done
        assert looking.result(30) == (own, "gapdner")


def test_two_pipes_are_changed_at_once(nlp):
    other = spacy.blank("en").add_pipe("gapdner", config={"model": model_config()})

    def change():
        with changed(other, threshold=0.25):
            return other.cfg["threshold"]

    with ThreadPoolExecutor(1) as pool, changed(nlp.get_pipe("gapdner"), threshold=0.125):
        assert pool.submit(change).result(30) == 0.25
