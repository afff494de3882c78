import spacy
from tiny_pipeline import make_doc

from spacy_gapdner.analysis.known_texts import KnownTexts

NLP = spacy.blank("en")


def test_known_texts():
    docs = [
        make_doc(NLP, "Severe joint and back pain", [("ADE", [0, 1, 4]), ("ADE", [3, 4])]),
        make_doc(NLP, "BACK pain , back painting and back pain", [("SIGN", [0, 1])]),
    ]
    known = KnownTexts(docs)
    assert (known.types, known.discontinuous) == ({"ADE": 2, "SIGN": 1}, 1)
    assert known.describe("Back pain") == "1 ADE, 1 SIGN, 1 other"
    assert known.describe("severe joint … pain") == "1 ADE"
    assert known.describe("joint") == "1 other"
    assert known.describe("pain)") == "does not occur"
    groups = [known.group(text, "ADE") for text in ("Back Pain", "pain", "Severe joint … pain")]
    assert groups == ["as this type", "never", "as this type"]
    assert known.group("back pain", "DRUG") == "as another type"
    assert KnownTexts(docs, types=["SIGN"]).types == {"SIGN": 1}
