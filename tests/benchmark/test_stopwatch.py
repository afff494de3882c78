import pytest

from spacy_gapdner.benchmark.stopwatch import Stopwatch


class Clock:
    """Shows the time that a test sets; how often it was looked at."""

    def __init__(self):
        self.now = 100.0
        self.n_synchronized = 0

    def __call__(self):
        return self.now

    def synchronize(self):
        self.n_synchronized += 1


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def stopwatch(clock):
    return Stopwatch(clock.synchronize, clock)


def test_time_counts_for_the_innermost_part(clock, stopwatch):
    with stopwatch.part("outer"):
        clock.now += 1
        with stopwatch.part("inner"):
            clock.now += 2
            with stopwatch.part("outer"):
                clock.now += 4
            clock.now += 8
        clock.now += 16
    assert stopwatch.seconds == {"outer": 21, "inner": 10}


def test_time_outside_does_not_count(clock, stopwatch):
    for _ in range(2):
        clock.now += 1
        with stopwatch.part("part"):
            clock.now += 2
    assert stopwatch.seconds == {"part": 4}


def test_the_gpu_is_waited_for_at_both_ends(clock, stopwatch):
    with stopwatch.part("part"):
        assert clock.n_synchronized == 1
    assert clock.n_synchronized == 2


def test_a_part_that_fails(clock, stopwatch):
    def fail():
        with stopwatch.part("inner"):
            clock.now += 1
            raise ValueError("broken")

    with stopwatch.part("outer"):
        with pytest.raises(ValueError, match="broken"):
            fail()
        clock.now += 2
    assert stopwatch.seconds == {"outer": 2, "inner": 1}
