"""The same words in the other texts of a folder."""

import pytest

ANN = "T1\tADR 0 4\tPain\nT2\tDrug 18 22\tpain\nA1\tSure T1\n"
DRUG = "T1\tDrug 0 4\tPain\nT2\tDrug 18 22\tpain\nA1\tSure T1\n"
ADR = "T1\tADR 0 4\tPain\nT2\tADR 18 22\tpain\nA1\tSure T1\n"


@pytest.mark.parametrize(
    ("action", "label", "n", "expected"),
    [
        ("mark", "ADR", 1, f"{ANN}T3\tADR 33 37\tPAIN\n"),
        ("change", "ADR", 1, ADR),
        ("change", "Drug", 1, DRUG),
        ("delete", "ADR", 1, "T2\tDrug 18 22\tpain\n"),
        ("delete", "Other", 0, ANN),
    ],
)
def test_actions(connect, notes, action, label, n, expected):
    # in the open text, in another word, and in a text that cannot be read
    (notes / "a.txt").write_text("pain")
    (notes / "b.txt").write_text("Pain , painful or pain of a leg. PAIN")
    (notes / "b.ann").write_text(ANN)
    (notes / "sub" / "c.txt").write_bytes(b"pain \xe9")
    client = connect()
    equal = {"words": "pain", "label": label, "skipped": "a"}
    assert client.post("equal", json=equal)[action] == {"entities": n, "texts": int(n > 0)}
    assert client.post(f"equal/{action}", json=equal) == n
    assert (notes / "b.ann").read_text() == expected
    assert not (notes / "a.ann").exists()


def test_discontinuous_entities(connect, notes):
    (notes / "b.txt").write_text("severe joint pain")
    (notes / "b.ann").write_text("T1\tADR 0 6;13 17\tsevere pain\n")
    equal = {"words": "Severe pain", "label": "Drug"}
    assert connect().post("equal/change", json=equal) == 1
    assert (notes / "b.ann").read_text() == "T1\tDrug 0 6;13 17\tsevere pain\n"


def test_words_in_another_form_of_unicode(connect, notes):
    # "o" with a combining diaeresis, as in file contents of macOS
    (notes / "b.txt").write_text("O\u0308dem", encoding="utf-8")
    (notes / "b.ann").write_text("T1\tADR 0 5\tO\u0308dem\n", encoding="utf-8")
    assert connect().post("equal/change", json={"words": "\u00f6dem", "label": "Drug"}) == 1
    assert (notes / "b.ann").read_text(encoding="utf-8").startswith("T1\tDrug 0 5\t")
