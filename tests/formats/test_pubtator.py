"""PubTator: articles, ids and relations."""

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read


def test_pubtator(write, report):
    text = (
        "12|t|Joint pain\n12|a|It is severe.\n12\t0\t10\tJoint pain\tDisease\tMESH:D1\tx\n"
        "12\t17\t23\tsevere\tGrade\t-\n12\tCID\tD1\tD2\n12\tx\n\n13|t|None\n13|a|\n"
    )
    path = write({"a.PubTator": text})
    assert guess_format(path / "a.PubTator") == guess_format(path) == "pubtator"
    first, second = read(path, report=report)
    assert first.text == "Joint pain\nIt is severe."
    assert [(e.label_, e.text, e.kb_id_) for e in get_entities(first)] == [
        ("Disease", "Joint pain", "MESH:D1"),
        ("Grade", "severe", ""),
    ]
    assert (second.text, second.user_data[DOC_NAME]) == ("None\n", "13")
    assert report.counts("dropped") == {"relation": 1, "malformed line": 1}
