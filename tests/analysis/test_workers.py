import pickle

import pytest
import spacy
from spacy.language import Language

from spacy_gapdner import GapDNERError
from spacy_gapdner.analysis import workers


class OddError(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        # what a parent process could not unpickle
        (OddError("this", "that"), GapDNERError, r"The pipeline fails \(OddError\): this and that"),
        (ValueError("plain"), ValueError, "^plain$"),
    ],
)
def test_errors_of_a_worker_reach_the_parent(monkeypatch, error, raised, message):
    def fail(doc):
        raise error

    name = f"gapdner_test_{type(error).__name__}"
    Language.component(name, func=fail)
    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    monkeypatch.setitem(workers._WORKER, "nlp", nlp)
    with pytest.raises(raised, match=message) as caught:
        workers._annotate(["a"], skip=False)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
