import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.benchmark.results import (
    Speed,
    Timing,
    add_up,
    by_length,
    fastest,
    shares,
    split_part,
)

TIMINGS = [
    Timing(64, 2, 80, encoder=1.0, model=1.5, optimizer=0.25),
    Timing(32, 3, 60, encoder=0.5, model=0.75, optimizer=0.25),
    Timing(32, 1, 20, encoder=0.5, model=0.5, optimizer=0.25),
    Timing(16, 1, 10, encoder=0.5, model=0.25),
]
SECONDS = st.floats(0.001, 1000)
PARTS = st.dictionaries(st.sampled_from("abcdef"), SECONDS, min_size=1)


def test_add_up():
    speed = add_up(TIMINGS)
    assert speed == Speed(7, 170, encoder=2.5, model=3.0, optimizer=0.75)
    assert speed.ratio == pytest.approx(1.2)
    assert speed.words_per_second(speed.encoder) == 68


def test_to_dict():
    assert add_up(TIMINGS[:1]).to_dict() == {
        "sentences": 2,
        "words": 80,
        "encoder_seconds": 1.0,
        "encoder_words_per_second": 80,
        "model_seconds": 1.5,
        "model_words_per_second": pytest.approx(53.333333),
        "model_ratio": 1.5,
        "optimizer_seconds": 0.25,
    }


def test_by_length():
    groups = by_length(TIMINGS)
    assert list(groups) == ["1-16", "17-32", "33-64"]
    assert groups["1-16"] == add_up(TIMINGS[3:])
    assert groups["17-32"] == Speed(4, 80, encoder=1.0, model=1.25, optimizer=0.5)
    assert groups["33-64"].ratio == 1.5


def test_fastest():
    """The least of each, whichever computation it was."""
    times = [
        Timing(16, 2, 9, encoder=2.0, model=3.0, optimizer=0.5),
        Timing(16, 2, 9, encoder=1.0, model=4.0, optimizer=0.75),
    ]
    assert fastest(times) == Timing(16, 2, 9, encoder=1.0, model=3.0, optimizer=0.5)


def test_split_part():
    seconds = {"encoder": 6.0, "rest": 1.0, "grid": 3.0}
    inner = {"bilstm": 10.0, "rest": 20.0}
    assert split_part(seconds, "grid", inner) == {"encoder": 6.0, "rest": 3.0, "bilstm": 1.0}


@given(seconds=PARTS, inner=PARTS, name=st.sampled_from("abcdefg"))
def test_splitting_keeps_the_sum(seconds, inner, name):
    split = split_part(seconds, name, inner)
    assert sum(split.values()) == pytest.approx(sum(seconds.values()))
    assert set(split) == set(seconds) - {name} | set(inner)


def test_shares():
    assert shares({"a": 1.0, "b": 3.0}) == {"a": 0.25, "b": 0.75}


@given(PARTS)
def test_shares_sum_to_one(seconds):
    assert sum(shares(seconds).values()) == pytest.approx(1)
