import signal

import pytest

from spacy_gapdner.cli._util import clean_stops


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signal_during_a_wait_for_a_lock_still_stops(sent):
    # what threading.Condition does if it is interrupted after it released its lock
    def wait():
        try:
            signal.raise_signal(sent)
        finally:
            raise RuntimeError("cannot release un-acquired lock")

    before = signal.getsignal(sent)
    with pytest.raises(SystemExit) as stopped, clean_stops():
        wait()
    assert stopped.value.code == 128 + sent
    assert signal.getsignal(sent) == before


def test_errors_without_a_signal_are_raised():
    with pytest.raises(RuntimeError, match="other"), clean_stops():
        raise RuntimeError("other")
