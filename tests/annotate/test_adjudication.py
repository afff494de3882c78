"""The annotation of two people becomes one."""

import pytest

from spacy_gapdner.annotate.adjudication import Adjudication
from spacy_gapdner.annotate.journal import Entry, Journal
from spacy_gapdner.errors import GapDNERError

TEXT = "Severe joint and shoulder pain today ."
SHOULDER = "T1\tADR 0 6;17 30\tSevere shoulder pain\n"
JOINT = "T3\tADR 0 12;26 30\tSevere joint pain\n"


@pytest.fixture
def folders(write):
    """Two folders with three texts. Two texts are complete in both."""
    both = {"a.txt": TEXT, "sub/b.txt": TEXT, "sub/b.ann": SHOULDER, "c.txt": TEXT}
    ann = {"a.ann": SHOULDER + "A1\tSure T1\n" + JOINT + "R1\tLike Arg1:T3 Arg2:T1\n"}
    ben = {"a.ann": SHOULDER.replace("T1", "T9") + "T4\tDrug 7 12\tjoint\n", "c.ann": SHOULDER}
    for person, files in {"ann": ann, "ben": ben}.items():
        path = write({f"{person}/notes/{name}": file for name, file in {**both, **files}.items()})
    Journal(path / "ben" / "notes").add("a", Entry("done", annotator="Ben"))
    return path / "ann" / "notes", path / "ben" / "notes"


def test_adjudication(folders, tmp_path, connect):
    target = tmp_path / "adjudicated"
    adjudication = Adjudication(*folders)
    assert (adjudication.names, adjudication.n_left) == (["a", "sub/b"], 1)
    adjudication.prepare(target)
    # the entities of both, with the attributes of the first
    assert (target / "a.ann").read_text() == SHOULDER + "A1\tSure T1\n"
    client = connect(target, adjudication=adjudication)
    statuses = {text["id"]: text["status"] for text in client.get("texts")["texts"]}
    assert statuses == {"a": "new", "sub/b": "done"}
    first, second = map(str, folders)
    assert client.post("texts/a/proposals") == [
        {"label": "ADR", "fragments": [[0, 12], [26, 30]], "score": None, "source": first},
        {"label": "Drug", "fragments": [[7, 12]], "score": None, "source": second},
    ]
    accepted = ("ADR", [[0, 6], [17, 30]], "T1"), ("ADR", [[0, 12], [26, 30]])
    client.save("a", *accepted, rejected=[{"label": "Drug", "fragments": [[7, 12]]}])
    assert client.post("texts/a/proposals") == []
    # decisions are kept when the adjudication continues on another day
    adjudication.prepare(target)
    assert (target / "a.ann").read_text() == SHOULDER + "A1\tSure T1\n" + JOINT.replace("T3", "T2")


def test_errors(folders, tmp_path):
    first, second = folders
    (second / "a.txt").write_text("Another text.")
    with pytest.raises(GapDNERError, match="The text a differs between the folders"):
        Adjudication(first, second).prepare(tmp_path / "adjudicated")
    with pytest.raises(GapDNERError, match="overwritten"):
        Adjudication(first, second).prepare(first)
    # neither is complete
    (second / "a.ann").unlink()
    Journal(second).add("sub/b", Entry("doubtful", annotator="Ben"))
    with pytest.raises(GapDNERError, match="annotated in both"):
        Adjudication(first, second)
