"""CoNLL: IOB, BIOES and BILOU, and documents."""

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read


def test_conll(write, report):
    # IOB1, IOB2, BIOES and BILOU; a comment, a token like one; two documents, of which one has
    # no empty line
    text = (
        "-DOCSTART- -X- O O\n\n# id 1\na X I-A\nb X I-A\nc X B-A\n# X O\n\n"
        "a B-A\nb I-A\nc I-B\n\n-DOCSTART-\tO\na S-A\nb B-B\nc E-B\n\na U-A\nb B-B\nc L-B"
    )
    path = write({"x.iob": text})
    assert guess_format(path) == "conll"
    first, second = read(path, report=report)
    assert [doc.user_data[DOC_NAME] for doc in (first, second)] == ["x-1", "x-2"]
    assert [s.text for s in first.sents] == ["a b c #", "a b c"]
    found = [[(e.label_, e.text) for e in get_entities(doc)] for doc in (first, second)]
    assert found == [
        [("A", "a b"), ("A", "c"), ("A", "a b"), ("B", "c")],
        [("A", "a"), ("B", "b c")] * 2,
    ]
