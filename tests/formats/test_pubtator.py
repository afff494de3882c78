"""PubTator."""

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read


def test_pubtator(write, report):
    text = (
        "12|t|Joint pain\n12|a|It is severe.\n12\t0\t10\tJoint pain\tDisease\tMESH:D1\tx\n"
        "12\t17\t23\tsevere\tGrade\t-\n12\tCID\tD1\tD2\n12\tx\n\n13|t|None\n13|a|\n"
        # code units of JavaScript and Java
        "\n14|t|𝒳-ray pain\n14\t7\t11\tpain\tDisease\n"
    )
    path = write({"a.PubTator": text})
    assert guess_format(path / "a.PubTator") == guess_format(path) == "pubtator"
    first, second, third = read(path, report=report)
    assert first.text == "Joint pain\nIt is severe."
    found = [(e.label_, e.text, e.kb_id_) for e in get_entities(first)]
    assert found == [("Disease", "Joint pain", "MESH:D1"), ("Grade", "severe", "")]
    assert (second.text, second.user_data[DOC_NAME]) == ("None\n", "13")
    assert [e.text for e in get_entities(third)] == ["pain"]
    assert report.counts("dropped") == {"relation": 1, "malformed line": 1}
    assert report.counts("repaired") == {"offsets in UTF-16": 1}


def test_lines_with_the_same_id_are_fragments(write, report):
    text = (
        "1|t|Back or leg pain.\n1|a|No rash.\n1\tT1\tSign\t0\t4\tBack\n"
        "1\tT2\tSign\t8\t16\tleg pain\n1\tT1\tSign\t12\t16\tpain\n"
        "1\tT3\tSign\t21\t25\trash\n1\tCID\tT1\tT2\n"
    )
    (doc,) = read(write({"a.pubtator": text}), report=report)
    found = [(e.id_, e.text) for e in get_entities(doc)]
    assert found == [("T1", "Back pain"), ("T2", "leg pain"), ("T3", "rash")]
    assert report.counts() == {"relation": 1}


def test_columns_of_pubtator(write, report):
    text = (
        "1|t|Zyx and leg swelling.\n1|a|\n"
        # the concepts and mentions of a coordination, and a column after an empty one
        "1\t8\t20\tleg swelling\tDisease\tD1|D2\tleg pain|swelling\t\tx\n"
        "1\t0\t3\tZyx\tChemical\t-\t\n"
        "1\tAssociation\tD1\tD2\tNovel\n1\tCID\t7\t8\n1\t0\t3\n1\t0\t3\tZyx\n"
    )
    (doc,) = read(write({"a.pubtator": text}), report=report)
    found = [(e.text, e.kb_id_, e.attrs.get("_")) for e in get_entities(doc)]
    assert found == [
        ("Zyx", "", None),
        ("leg swelling", "D1|D2", {"column_7": "leg pain|swelling", "column_9": "x"}),
    ]
    assert report.counts("dropped") == {"relation": 2, "malformed line": 2}
