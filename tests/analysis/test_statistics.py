import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.statistics import stats
from spacy_gapdner.formats import DOC_NAME

VOCAB = Vocab()


def test_counts_by_hand():
    # 0 severe 1 joint 2 and 3 shoulder 4 pain | 5 no 6 rash
    words = ["severe", "joint", "and", "shoulder", "pain", "no", "rash"]
    doc = Doc(VOCAB, words=words, sent_starts=[True, False, False, False, False, True, False])
    set_entities(
        doc,
        [
            Entity("ADR", ((0, 2), (4, 5))),
            Entity("ADR", ((0, 1), (3, 5))),
            Entity("ADR", ((0, 1), (2, 3), (4, 5))),
            Entity("Part", ((1, 2),)),
            Entity("ADR", ((6, 7),)),
            Entity("Sign", ((6, 7),)),
        ],
    )
    crossing = Doc(VOCAB, words=["a", "b"], sent_starts=[True, True])
    # duplicates have the same type
    set_entities(crossing, [Entity("Part", ((0, 2),))] * 2)
    found = stats([doc, Doc(VOCAB, words=["none"]), crossing, Doc(VOCAB)])
    assert found.to_dict() == {
        "docs": 4,
        "sentences": 5,
        "tokens": 10,
        "entities": 8,
        "labels": {"ADR": 4, "Part": 3, "Sign": 1},
        "discontinuous": 3,
        "discontinuous_labels": {"ADR": 3},
        "overlapping": 8,
        "nested": 1,
        "multi_type": 2,
        "duplicates": 1,
        "crossing": 2,
        "entity_sentences": 3,
        "discontinuous_sentences": 1,
        "fragments": {"1": 5, "2": 2, "3": 1},
        "gap_lengths": {"1": 2, "2": 2},
        "entity_lengths": {"1": 3, "2": 2, "3": 3},
        "sentence_lengths": {"1": 3, "2": 1, "5": 1},
        "documents": None,
        "discontinuous_percent": 37.5,
    }


@pytest.mark.parametrize(
    ("names", "documents"),
    [(["a", "a", "b"], 2), (["a", "b", "c"], None), ([None, None, None], None)],
)
def test_documents_by_name(names, documents):
    docs = [Doc(VOCAB, words=["x"]) for _ in names]
    for doc, name in zip(docs, names, strict=True):
        doc.user_data |= {DOC_NAME: name} if name else {}
    assert stats(docs).documents == documents
