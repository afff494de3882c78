"""Adjudication of the annotation of two people."""

import pytest

from spacy_gapdner.apps.annotate.adjudication import Adjudication
from spacy_gapdner.apps.annotate.journal import Entry, Journal
from spacy_gapdner.errors import GapDNERError

TEXT = "Severe joint and shoulder pain today ."
SHOULDER = "T1\tADR 0 6;17 30\tSevere shoulder pain\n"
JOINT_FRAGMENTS = [[0, 12], [26, 30]]
JOINT = "T3\tADR 0 12;26 30\tSevere joint pain\n"


@pytest.fixture
def folders(write):
    """Two folders with four texts. Three texts are complete in both."""
    both = {"a.txt": TEXT, "sub/b.txt": TEXT, "sub/b.ann": SHOULDER, "c.txt": TEXT, "d.txt": TEXT}
    ann = {"a.ann": SHOULDER + "A1\tSure T1\n" + JOINT + "R1\tLike Arg1:T3 Arg2:T1\n"}
    ben = {"a.ann": SHOULDER.replace("T1", "T9") + "T4\tDrug 7 12\tjoint\n", "c.ann": SHOULDER}
    # equal entities, of which one annotator has added an attribute
    ann["d.ann"], ben["d.ann"] = SHOULDER, SHOULDER + "A1\tNegated T1\n"
    for person, files in {"ann": ann, "ben": ben}.items():
        path = write({f"{person}/notes/{name}": file for name, file in {**both, **files}.items()})
    Journal(path / "ben" / "notes").add("a", Entry("done", annotator="Ben"))
    return path / "ann" / "notes", path / "ben" / "notes"


def test_adjudication(folders, tmp_path, connect):
    target = tmp_path / "adjudicated"
    adjudication = Adjudication(*folders)
    assert (adjudication.names, adjudication.n_left) == (["a", "d", "sub/b"], 1)
    # R1 and A1 of d
    assert adjudication.prepare(target) == 2
    # the entities of both, with the attributes of the first
    assert (target / "a.ann").read_text() == SHOULDER + "A1\tSure T1\n"
    client = connect(target, adjudication=adjudication)
    statuses = {text["id"]: text["status"] for text in client.get("texts")["texts"]}
    assert statuses == {"a": "new", "d": "new", "sub/b": "done"}
    first, second = map(str, folders)
    agreed = {"label": "ADR", "fragments": [[0, 6], [17, 30]], "score": None}
    agreed["source"] = f"{first} = {second}"
    assert client.post("texts/a/proposals") == [
        {"label": "ADR", "fragments": JOINT_FRAGMENTS, "score": None, "source": first},
        {"label": "Drug", "fragments": [[7, 12]], "score": None, "source": second},
        # hidden by the page until the entity is deleted
        agreed,
    ]
    accepted = ("ADR", [[0, 6], [17, 30]], "T1"), ("ADR", JOINT_FRAGMENTS)
    client.save("a", *accepted, rejected=[{"label": "Drug", "fragments": [[7, 12]]}])
    joint = {**agreed, "fragments": JOINT_FRAGMENTS, "source": first}
    assert client.post("texts/a/proposals") == [joint, agreed]
    # the annotators agree after a discussion
    (folders[1] / "a.ann").write_text(SHOULDER + JOINT)
    joint["source"] = agreed["source"]
    assert client.post("texts/a/proposals") == [agreed, joint]
    # decisions are kept when the adjudication continues on another day
    assert adjudication.prepare(target) == 0
    assert (target / "a.ann").read_text() == SHOULDER + "A1\tSure T1\n" + JOINT.replace("T3", "T2")


def test_errors(folders, tmp_path):
    first, second = folders
    (second / "a.txt").write_text("Another text.")
    with pytest.raises(GapDNERError, match="Text a differs between the folders"):
        Adjudication(first, second).prepare(tmp_path / "adjudicated")
    with pytest.raises(GapDNERError, match="overwritten"):
        Adjudication(first, second).prepare(first)
    # neither is complete
    for name in ("a.ann", "d.ann"):
        (second / name).unlink()
    Journal(second).add("sub/b", Entry("doubtful", annotator="Ben"))
    with pytest.raises(GapDNERError, match="annotated in both"):
        Adjudication(first, second)
