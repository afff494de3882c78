import pytest

from spacy_gapdner import Entity, get_entities
from spacy_gapdner.formats import DOC_NAME, Place
from spacy_gapdner.formats.sentences import TokenRecord, make_docs


@pytest.mark.parametrize("n_sents", [0, 1, 2])
def test_sentences_of_a_document(nlp, n_sents):
    # two sentences without a document, and the first document again
    names = [("a b", "A"), ("c", "A"), ("d", "B"), ("e", None), ("f", None)]
    entity = Entity("X", ((0, 1),))
    records = [
        *(TokenRecord(f"r-{w}", tuple(w.split()), (entity,), document=d) for w, d in names),
        TokenRecord("r-g", ("g",), (entity,), document="A"),
        TokenRecord("r-h", ("h",), (entity,), Place("other"), document="A"),
    ]
    docs = list(make_docs(records, nlp.vocab, "gapdner", n_sents))
    first = ["a b", "c"] if n_sents == 1 else ["a b c"]
    assert [doc.text.strip() for doc in docs] == [*first, "d", "e", "f", "g", "h"]
    names = ["A", "B", "r-e", "r-f", "A", "A"]
    assert [doc.user_data[DOC_NAME] for doc in docs[-6:]] == names
    held = [((0, 1),), ((2, 3),)]
    found = [entity.to_entity().fragments for entity in get_entities(docs[0])]
    assert found == (held if n_sents != 1 else held[:1])
    assert len(list(docs[0].sents)) == (1 if n_sents == 1 else 2)
    assert docs[0].has_unknown_spaces
