from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.grid.scheme import type_channels


def test_entity_types_may_have_the_names_of_other_labels():
    tagging = GapAwareTagging()
    labels = ["Gap", "ADE", "None", "Frag"]
    layout = tagging.layout(labels)
    assert layout.channels == ("None", "Frag", "Gap", "Gap", "ADE", "None", "Frag")
    assert type_channels(tagging, labels) == list(layout.lower) == [3, 4, 5, 6]
    for n in range(4):
        smaller = tagging.layout(labels[:n])
        assert smaller.places_in(layout) == list(range(smaller.n_channels))
