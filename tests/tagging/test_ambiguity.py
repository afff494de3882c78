"""Which entities that nobody annotated the schemes read from a gold grid: chains of neighbouring
words combine more often than fragments and gaps do."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.tagging import (
    MultilabelTagging,
    SoftmaxTagging,
    TOETagging,
    W2NERTagging,
)
from spacy_gapdner.tagging.grid_losses import grid_losses

LABELS = ["ADE", "Symptom"]
SOFTMAX, MULTILABEL = SoftmaxTagging(), MultilabelTagging()
PER_TYPE = MultilabelTagging(per_type=True)
W2NER, TOE = W2NERTagging(), TOETagging()


def entity(*tokens):
    return Entity.from_tokens("ADE", tokens)


def spurious(tagging, entities):
    report = grid_losses(entities, tagging, LABELS)
    assert report.missed == []
    return report.spurious


def test_gaps_tell_apart_what_chains_mix_up():
    # both pass through word 2, the first at the end of a fragment, the second at the beginning
    entities = [entity(0, 1, 2, 6), entity(0, 2, 3, 6)]
    for tagging in (W2NER, TOE):
        assert spurious(tagging, entities) == [entity(0, 2, 6), entity(0, 1, 2, 3, 6)]
    for tagging in (SOFTMAX, MULTILABEL, PER_TYPE):
        assert spurious(tagging, entities) == []


def test_gaps_tell_apart_an_entity_and_the_words_around_it():
    entities = [entity(0, 2, 4), entity(0, 1, 2, 3, 4)]
    for tagging in (W2NER, TOE):
        assert spurious(tagging, entities) == [entity(0, 2, 3, 4), entity(0, 1, 2, 4)]
    for tagging in (SOFTMAX, MULTILABEL, PER_TYPE):
        assert spurious(tagging, entities) == []


def test_entities_that_share_whole_fragments_are_ambiguous_to_all():
    entities = [entity(0, 2, 4), entity(0, 4, 6)]
    for tagging in (W2NER, TOE, SOFTMAX, MULTILABEL, PER_TYPE):
        assert spurious(tagging, entities) == [entity(0, 4), entity(0, 2, 4, 6)]


def read(tagging, entities):
    report = grid_losses(entities, tagging, LABELS)
    missed = {missed for missed, _ in report.missed}
    return set(entities) - missed | set(report.spurious)


@given(
    entities=st.lists(
        st.builds(
            Entity.from_tokens,
            st.sampled_from(LABELS),
            st.sets(st.integers(0, 6), min_size=1, max_size=5),
        ),
        max_size=5,
        unique=True,
    )
)
def test_chains_read_whatever_gaps_do(entities):
    assert read(PER_TYPE, entities) <= read(MULTILABEL, entities) <= read(TOE, entities)
    # of several types in one cell both keep the same one
    assert read(SOFTMAX, entities) <= read(W2NER, entities) <= read(TOE, entities)
