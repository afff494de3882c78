"""Labels, settings, and predictions from the scores of a model."""

import warnings

import numpy as np
import pytest
import torch
from grid_models import network_of
from labeled_grids import as_grids, as_scores
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import load_model
from thinc.api import Model
from tiny_pipeline import CORPUS, LABELS, found, make_doc, make_examples, make_nlp, model_config

from spacy_gapdner import Entity, GapDNERError, get_entities
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.pipe import prediction as prediction_module
from spacy_gapdner.pipe.calibration import Calibration
from spacy_gapdner.pipe.factory import DEFAULT_SETTINGS
from spacy_gapdner.pipe.thresholds import Thresholds

FRAG, GAP, A, B = range(1, 5)
# "A" over tokens 0 and 2, "B" over token 1
TWO_ENTITIES = {(0, 0, FRAG): 0.9, (1, 1, GAP): 0.55, (2, 2, FRAG): 0.9, (2, 0, A): 0.6}
TWO_ENTITIES[1, 1, B] = 0.45


def make_pipe(nlp, name=None, **config):
    return nlp.add_pipe("gapdner", name=name, config={"model": model_config(), **config})


def make_scripted(nlp, grids, **settings):
    """A pipe whose model finds the probabilities `{(row, column, channel): p}` of each segment."""

    def forward(model, inputs, is_train):
        lengths = [segment.n_tokens for parts in inputs[1] for segment in parts]
        scores = [as_scores(cells, n, 5) for n, cells in zip(lengths, grids, strict=True)]
        return as_grids(scores), lambda d_scores: []

    model = Model("scripted", forward, attrs={"tagging": GapAwareTagging()}, dims={"nI": 1})
    model.set_ref("grid", model)
    settings = DEFAULT_SETTINGS | {"model": model, "scorer": None} | settings
    pipe = DiscontinuousEntityRecognizer(nlp.vocab, **settings)
    pipe.cfg["labels"] = ["A", "B"]
    return pipe


def ents(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def test_labels_are_sorted_unless_given(nlp):
    pipe = make_pipe(nlp)
    nlp.initialize(lambda: make_examples(nlp, [("", []), *CORPUS[::-1]]))
    assert pipe.labels == LABELS
    assert pipe.label_data == nlp.pipe_labels["gapdner"] == list(network_of(pipe.model).labels)
    labels = ["SYMPTOM", "OTHER", "DRUG", "BODY"]
    pipe = make_pipe(nlp, name="second", spans_key="second")
    pipe.initialize(lambda: make_examples(nlp, key="second"), labels=labels)
    assert pipe.label_data == labels


def test_add_label_and_reset_of_tuned_settings(nlp):
    pipe = make_pipe(nlp)
    with pytest.raises(GapDNERError, match="'gapdner' has no labels"):
        pipe.predict([make_doc(nlp, "some words")])
    assert [pipe.add_label("ZEBRA"), pipe.add_label("ZEBRA")] == [1, 0]
    with pytest.raises(GapDNERError, match=r"not initialized. Call nlp.initialize\(get_examples\)"):
        pipe.update(make_examples(nlp))
    assert "ZEBRA" in nlp.vocab.strings
    with pytest.raises(GapDNERError, match="Invalid label: "):
        pipe.add_label(3)
    # without a calibration, the thresholds are those of the user
    pipe.cfg["threshold"] = 0.6
    nlp.initialize(lambda: make_examples(nlp))
    assert pipe.labels == ("ZEBRA", *LABELS)
    assert pipe.thresholds == Thresholds(0.6)
    pipe.cfg |= {"calibration": Calibration(0.1)._asdict(), "type_thresholds": {"DRUG": 1.0}}
    pipe.cfg["disc_threshold"] = 0.2
    nlp.initialize(lambda: make_examples(nlp))
    assert pipe.thresholds == Thresholds(0.4)


@pytest.mark.parametrize("setting", [{"spans_key": ""}, {"max_paths": 0}, {"lr_scale": -1.0}])
def test_invalid_settings(setting):
    with pytest.raises(GapDNERError, match=next(iter(setting))):
        make_nlp(**setting)


def test_smallest_settings():
    nlp = make_nlp(lr_scale=0.0, max_paths=1)
    nlp.initialize(lambda: make_examples(nlp))
    network = network_of(nlp.get_pipe("gapdner").model)
    before = [weights.clone() for weights in network.parameters()]
    assert nlp.update(make_examples(nlp))["gapdner"] > 0
    assert all(map(torch.equal, before, network.parameters()))


def test_thresholds_changed_to_invalid_values(nlp):
    for name, value in (("threshold", None), ("disc_threshold", 7), ("type_thresholds", {"A": -1})):
        pipe = make_nlp().get_pipe("gapdner")
        pipe.cfg[name] = value
        with pytest.raises(GapDNERError, match="Use a number between 0 and 1"):
            pipe(make_doc(nlp, "a b"))


def test_initialize_after_loading_without_the_model(nlp):
    loaded = make_nlp().from_bytes(nlp.to_bytes(exclude=["model"]), exclude=["model"])
    loaded.initialize(lambda: make_examples(loaded))
    assert loaded.get_pipe("gapdner").labels == LABELS
    losses = [loaded.update(make_examples(loaded))["gapdner"] for _ in range(8)]
    assert 0 < losses[-1] < losses[0]


def test_missing_gold_error_lists_existing_keys(nlp):
    pipe = make_pipe(nlp)
    elsewhere = r"10 in doc.spans\['coref_\*'\], 10 in doc.spans\['ents_\*'\]"
    with pytest.raises(GapDNERError, match=rf"spans_key 'gapdner'.*{elsewhere}"):
        nlp.initialize(lambda: [*make_examples(nlp, key="ents"), *make_examples(nlp, key="coref")])
    with pytest.raises(GapDNERError, match=r"spans_key 'gapdner'.*max_length or gold_preproc"):
        nlp.initialize(lambda: make_examples(nlp, [("no entity here", [])]))
    with pytest.raises(GapDNERError, match="training corpus has no documents with text"):
        nlp.initialize(lambda: make_examples(nlp, [("", [])]))
    # if labels are given, there is only a warning
    with pytest.warns(UserWarning, match=r"has no entities.*10 in doc.spans\['other_\*'\]"):
        pipe.initialize(lambda: make_examples(nlp, key="other"), labels=["DRUG"])
    assert pipe.labels == ("DRUG",)


def test_components_with_the_same_key(nlp, tmp_path):
    # pytest turns our warnings into errors
    make_pipe(nlp)
    nlp.add_pipe("span_ruler", "first", config={"spans_key": "gapdner_rules_1"})
    nlp.initialize(lambda: make_examples(nlp))
    nlp.add_pipe("span_ruler", "second", config={"spans_key": "gapdner_1"})
    message = "'gapdner' has the spans_key 'gapdner' and 'second' has 'gapdner_1'"
    with pytest.warns(UserWarning, match=message):
        nlp.initialize(lambda: make_examples(nlp))
    nlp.remove_pipe("second")
    other = make_pipe(nlp, name="other")
    with pytest.warns(UserWarning, match="'gapdner' and 'other' has 'gapdner'"):
        nlp.initialize(lambda: make_examples(nlp))
    # loading does not warn: the settings of a pipe can differ from the saved config
    other.cfg["spans_key"] = "other"
    nlp.initialize(lambda: [*make_examples(nlp), *make_examples(nlp, key="other")])
    nlp.to_disk(tmp_path)
    load_model(tmp_path)


def test_only_set_annotations_changes_docs(nlp):
    pipe = make_scripted(nlp, [TWO_ENTITIES])
    doc = make_doc(nlp, "a b c", [("OLD", [0]), ("OLD", [2])])
    doc.spans["mine"] = [doc[0:1]]
    predicted = pipe.predict([doc])
    assert found(doc) == [("OLD", [0]), ("OLD", [2])]
    assert predicted == [[Entity("A", ((0, 1), (2, 3))), Entity("B", ((1, 2),))]]
    pipe.set_annotations([doc], predicted)
    assert found(doc) == [("A", [0, 2]), ("B", [1])]
    assert set(doc.spans) == {"mine", "gapdner_1", "gapdner_2"}
    assert [entity.score for entity in get_entities(doc)] == pytest.approx([0.55, 0.45])
    # changed settings apply immediately
    pipe.cfg["threshold"] = 0.5
    assert found(pipe(doc)) == [("A", [0, 2])]
    pipe.cfg["disc_threshold"] = 0.6
    assert found(pipe(doc)) == []
    # the logit of 0.55 is 0.2
    pipe.cfg["calibration"] = Calibration(discontinuous=1.0)._asdict()
    (entity,) = get_entities(pipe(doc))
    assert entity.score == pytest.approx(1 / (1 + (0.45 / 0.55) * np.exp(-1.0)))


def test_whitespace_entities_are_never_predicted(nlp):
    doc = Doc(nlp.vocab, words=["a", "\n\n", "b", "\r\n"])
    cells = {(1, 1, A): 0.9, (3, 3, B): 0.9, (2, 2, GAP): 0.9, (3, 1, B): 0.9}
    assert found(make_scripted(nlp, [cells])(doc)) == []
    # whitespace within an entity is kept
    inside = {(0, 2, FRAG): 0.9, (2, 0, A): 0.9, (2, 3, FRAG): 0.9, (3, 2, B): 0.9}
    assert found(make_scripted(nlp, [cells | inside])(doc)) == [("A", [0, 1, 2]), ("B", [2, 3])]


def make_crowded(**settings):
    """A pipe whose untrained network gives most cells a label."""
    pipe = make_nlp({}, threshold=0.05, **settings).get_pipe("gapdner")
    torch.nn.init.zeros_(network_of(pipe.model).classifier.bias)
    return pipe


def test_paths_dropped_by_max_paths_are_reported_once(nlp):
    pipe = make_crowded(max_paths=7)
    texts = ["one two three four five six", "", "one two three four five six seven"]
    message = r"dropped \d+ paths in 2 of 3 documents because max_paths \(7\) was reached"
    with pytest.warns(UserWarning, match=message) as caught:
        predicted = pipe.predict([nlp.make_doc(text) for text in texts])
    assert len(caught) == 1
    assert max(map(len, predicted)) <= 7


def test_annotate_ents_adds_contiguous_entities_to_doc_ents(nlp):
    nested = {(0, 1, FRAG): 0.9, (1, 0, A): 0.9, (1, 1, B): 0.9, **TWO_ENTITIES}
    doc = make_doc(nlp, "a b c d")
    doc.ents = [Span(doc, 1, 3, "CLASH"), Span(doc, 3, 4, "OLD", kb_id="Q1")]
    before = doc.ents
    assert make_scripted(nlp, [nested])(doc).ents == before
    doc = make_scripted(nlp, [nested], annotate_ents=True)(doc)
    assert found(doc) == [("A", [0, 1]), ("A", [0, 2]), ("B", [1])]
    # the longer of two contiguous entities, and existing entities that do not overlap
    assert ents(doc) == [(0, 2, "A"), (3, 4, "OLD")]
    assert doc.ents[1].kb_id_ == "Q1"
    # the pipe replaces its own earlier predictions
    doc = make_scripted(nlp, [{(2, 2, B): 0.9}], annotate_ents=True)(doc)
    assert ents(doc) == [(2, 3, "B"), (3, 4, "OLD")]
    # also after tokens were merged
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:3])
    doc = make_scripted(nlp, [{(0, 0, A): 0.9}], annotate_ents=True)(doc)
    assert found(doc) == [("A", [0])]
    assert ents(doc) == [(0, 1, "A"), (1, 2, "OLD")]


def test_sentences_and_windows_have_their_own_grids(nlp):
    doc = make_doc(nlp, "a b c d e", sent_starts=[True, False, False, True, False])
    pipe = make_scripted(nlp, [TWO_ENTITIES, {(0, 0, B): 0.9}], max_length=3, stride=3)
    assert found(pipe(doc)) == [("A", [0, 2]), ("B", [1]), ("B", [3])]
    # windows 0-3, 2-5, 4-6; the entity over tokens 2 and 3 is found by two of them
    pair = {(2, 3, FRAG): 0.9, (3, 2, A): 0.8}
    windows = [pair, {(0, 1, FRAG): 0.6, (1, 0, A): 0.6}, {(2, 2, B): 0.9}]
    pipe = make_scripted(nlp, windows, max_length=4, stride=2)
    assert found(pipe(make_doc(nlp, "a b c d e f g"))) == [("A", [2, 3]), ("B", [6])]


@pytest.mark.parametrize(
    ("weights", "others", "is_warned"),
    [
        ({"spans_gapdner_f": 1.0}, [], True),
        ({"spans_gapdner_f": 1.0, "ents_f": 1.0, "spans_sc_f": 1.0}, [], True),
        ({"spans_gapdner_f": None, "spans_gapdner_disc_f": 0.0, "ents_f": 1.0}, [], False),
        ({"spans_ades_f": 1.0}, [], False),
        # it is only not scored
        ({"spans_gapdner_f": 1.0, "spans_sc_f": 1.0}, ["gapdner"], False),
    ],
)
def test_score_weights_of_another_key(nlp, weights, others, is_warned):
    pipe = make_pipe(nlp, spans_key="ades")
    for factory in ("spancat", *others):
        nlp.add_pipe(factory, name=f"other_{factory}")
    defaults = dict.fromkeys(nlp.config["training"]["score_weights"])
    nlp.config["training"]["score_weights"] = defaults | weights
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipe.initialize(lambda: make_examples(nlp, key="ades"), nlp=nlp)
    messages = [str(warning.message) for warning in caught]
    message = (
        "'gapdner' has the spans_key 'ades', but [training.score_weights] has weights for "
        "spans_gapdner_f. Set the weights of spans_ades_f and spans_ades_disc_f instead. "
        "Otherwise, spacy train cannot select the best model."
    )
    assert messages == [message] * is_warned


def test_output_cannot_be_resized_by_a_number(nlp):
    pipe = make_nlp().get_pipe("gapdner")
    assert not pipe.is_resizable
    with pytest.raises(NotImplementedError, match="E921"):
        pipe.set_output(7)
    assert pipe.add_label("OTHER") == 1


def test_spans_key_names_groups_and_scores(nlp):
    pipe = make_pipe(nlp, spans_key="ades")
    pipe.initialize(lambda: make_examples(nlp, key="ades"))
    doc = make_doc(nlp, "fever", [("DRUG", [0])], key="gapdner")
    pipe.set_annotations([doc], [[Entity("SYMPTOM", ((0, 1),))]])
    assert found(doc, "ades") == [("SYMPTOM", [0])]
    assert found(doc) == [("DRUG", [0])]
    gold = make_doc(nlp, "a b c", [("DRUG", [0, 2]), ("BODY", [1])], key="ades")
    predicted = make_doc(nlp, "a b c", [("DRUG", [0, 2])], key="ades")
    scores = pipe.score([Example(predicted, gold)])
    assert (scores["spans_ades_p"], scores["spans_ades_r"]) == (1.0, 0.5)
    pipe.scorer = None
    assert pipe.score([Example(predicted, gold)]) == {}


def test_many_words_and_empty_documents_are_predicted_in_several_calls(nlp, monkeypatch):
    pipe = make_crowded()
    docs = [make_doc(nlp, text) for text in ("a b c", "d e f g", "h", "", "i j k l m n o", "p")]
    expected = pipe.predict(docs)
    assert all(expected[:3])
    calls, segment = [], pipe.segments

    def watch(docs):
        calls.append([len(doc) for doc in docs])
        return segment(docs)

    monkeypatch.setattr(prediction_module, "_MAX_WORDS", 5)
    monkeypatch.setattr(pipe, "segments", watch)
    assert pipe.predict(docs) == expected
    # a Doc is never split: the one that exceeds the limit is the last of its call
    assert calls == [[3, 4], [1, 0, 7], [1]]
    assert pipe.predict([docs[3]]) == [[]]
    assert pipe.predict([]) == []
