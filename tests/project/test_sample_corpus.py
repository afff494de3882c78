import json
import os
import random
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import count_right
import make_sample_corpus as script
import pytest
import sample_grammar as grammar
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, read, set_entities, stats
from spacy_gapdner.formats import Report

SCRIPTS = Path(__file__).parents[2] / "project" / "scripts"
SENTENCES = SCRIPTS.parent / "sentences"
PARTS = ("train", "dev", "test")


@pytest.fixture(scope="module")
def corpus():
    return script.make_corpus(n_train=800)


def slots(*choices):
    return [grammar.Slot(tuple(map(grammar.plain, words))) for words in choices]


def test_coordination_gives_an_entity_for_each_combination():
    phrase = grammar.distribute(
        "ADE", slots(["severe"], ["joint", "shoulder", "upper body"], ["pain"])
    )
    assert " ".join(phrase.tokens) == "severe joint , shoulder and upper body pain"
    assert phrase.entities == (
        ("ADE", (0, 1, 7)),
        ("ADE", (0, 3, 7)),
        ("ADE", (0, 5, 6, 7)),
    )


@pytest.mark.parametrize(
    ("line", "text", "entities"),
    [
        ("ADE: {part} (so {verb}) {state}", "legs so went numb", [("ADE", (0, 3))]),
        ("{drug} and {bad}", "Velorix and pain", [("DRUG", (0,)), ("ADE", (2,))]),
        # entities of a part stay
        ("ADE: {drug} {bad}", "Velorix pain", [("DRUG", (0,)), ("ADE", (1,)), ("ADE", (0, 1))]),
        ("of/of in_the {part}", "of in the legs", []),
        ("{part}+", "legs", []),
    ],
)
def test_a_line_of_a_rule(line, text, entities):
    words = {"part": ("legs",), "verb": ("went",), "state": ("numb",)}
    rules = {"drug": "DRUG: Velorix", "bad": "ADE: pain", "rule": line}
    phrase = grammar.Grammar(words, rules, random.Random(0)).draw("rule")
    assert (" ".join(phrase.tokens), list(phrase.entities)) == (text, entities)


def test_what_is_drawn_for_a_line():
    rules = {"rule": "3 ADE: {fat}? {part}+ pain\ntea", "fat": "big"}
    rng = random.Random(0)
    pool = grammar.Grammar({"part": ("back", "hip joint")}, rules, rng)
    drawn = [pool.draw("rule") for _ in range(400)]
    assert {phrase for phrase in drawn if phrase.tokens == ("tea",)} == {grammar.plain("tea")}
    assert 60 < sum(phrase.tokens == ("tea",) for phrase in drawn) < 140
    assert (
        grammar.Phrase(
            ("big", "hip", "joint", "or", "back", "pain"),
            (("ADE", (0, 1, 2, 5)), ("ADE", (0, 4, 5))),
        )
        in drawn
    )
    assert any(phrase.tokens[:2] == ("back", "/") for phrase in drawn)


@pytest.mark.parametrize("part", [*PARTS, "unseen"])
def test_entities_are_valid(corpus, part):
    for phrase in corpus[part]:
        assert len(set(phrase.entities)) == len(phrase.entities)
        for label, indices in phrase.entities:
            assert label in {"ADE", "DRUG"}
            assert list(indices) == sorted(set(indices))
            assert indices[0] >= 0
            assert indices[-1] < len(phrase.tokens)


@pytest.mark.parametrize("part", [*PARTS, "unseen"])
def test_tokens_are_those_of_spacy(corpus, part):
    nlp = spacy.blank("en")
    for phrase in corpus[part]:
        doc = nlp.make_doc(grammar.detokenize(phrase.tokens))
        assert tuple(token.text for token in doc) == phrase.tokens


@pytest.mark.parametrize("part", PARTS)
def test_every_phenomenon_occurs(corpus, part):
    nlp = spacy.blank("en")
    docs = []
    for phrase in corpus[part]:
        docs.append(Doc(nlp.vocab, words=list(phrase.tokens)))
        entities = [Entity.from_tokens(label, tokens) for label, tokens in phrase.entities]
        set_entities(docs[-1], entities)
    found = stats(docs)
    assert found.fragments.keys() >= {1, 2, 3}
    assert found.overlapping
    assert found.nested
    assert found.sentences > found.entity_sentences
    # contiguous and discontinuous entities of both types
    assert found.discontinuous_labels.keys() == {"ADE", "DRUG"}
    assert all(found.labels[label] > n for label, n in found.discontinuous_labels.items())
    assert 20 <= found.discontinuous_percent <= 40


def content_words(words, rules):
    text = " ".join(chain(chain.from_iterable(words.values()), rules.values()))
    found = set(re.findall(r"[a-z]+", re.sub(r"\{\w+\}|[A-Z]+:|_", " ", text).lower()))
    return found - grammar.common_words()


def test_test_words_are_held_out():
    parts = {name: content_words(*part) for name, part in grammar.load_parts().items()}
    assert not (parts["test"] | parts["unseen"]) & parts["train"]
    assert len(parts["train"]) > 1500


@pytest.mark.parametrize(("part", "n"), [("dev", 34), ("test", 30)])
def test_sentences_written_by_hand(part, n):
    report = Report(strict=True)
    docs = list(read(SENTENCES / f"{part}.inline", n_sents=1, report=report))
    assert len(docs) == n
    assert report.issues == []
    nlp = spacy.blank("en")
    for doc in docs:
        words = [token.text for token in doc]
        assert [token.text for token in nlp(grammar.detokenize(words))] == words
        for entity in get_entities(doc):
            assert entity.label_ in {"ADE", "DRUG"}
            # no gap begins or ends an entity, and no fragment is a conjunction or a mark
            assert {"and", "or", ",", "/", "."}.isdisjoint(t.text for t in entity)


@pytest.mark.slow
def test_no_sentence_written_by_hand_is_in_the_corpus():
    corpus = script.make_corpus()
    made = {" ".join(phrase.tokens) for phrases in corpus.values() for phrase in phrases}
    for part in ("dev", "test"):
        docs = read(SENTENCES / f"{part}.inline", n_sents=1)
        assert made.isdisjoint(" ".join(token.text for token in doc) for doc in docs)


def test_what_is_missed_and_invented_is_shown():
    nlp = spacy.blank("en")
    both = [Entity("ADE", ((0, 1), (3, 4))), Entity("ADE", ((2, 4),))]
    found = list(both)
    Language.component("finds", func=lambda doc: set_entities(doc, found) or doc)
    nlp.add_pipe("finds")
    gold = spacy.blank("en")("neck or back pain")
    set_entities(gold, both)
    assert count_right._differences(nlp, gold) == []
    found[0] = Entity("DRUG", ((2, 4),))
    lines = ["neck or back pain", "  - ADE neck ... pain", "  + DRUG back pain"]
    assert count_right._differences(nlp, gold) == lines


def run_in_fresh_process(directory, hash_seed):
    command = [sys.executable, str(SCRIPTS / "make_sample_corpus.py"), str(directory)]
    sizes = ["--seed", "7", "--n-train", "60", "--n-dev", "20", "--n-test", "30"]
    result = subprocess.run(
        command + sizes,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout, {p.name: p.read_bytes() for p in sorted(directory.iterdir())}


def test_files_are_the_same_in_every_process(tmp_path):
    stdout, files = run_in_fresh_process(tmp_path / "a", "1")
    assert (stdout, files) == run_in_fresh_process(tmp_path / "b", "2")
    assert list(files) == ["dev.json", "test.json", "train.json", "unseen.txt"]
    assert len(json.loads(files["train.json"])) == 60
    assert stdout.startswith("train: 60 sentences")


def test_files_hold_the_corpus(tmp_path):
    corpus = script.make_corpus(seed=1, n_train=5, n_dev=4, n_test=3, n_unseen=2)
    script.write_corpus(corpus, tmp_path)
    for part in PARTS:
        rows = json.loads((tmp_path / f"{part}.json").read_text(encoding="utf-8"))
        assert rows == [script.to_w2ner(phrase) for phrase in corpus[part]]
    assert len((tmp_path / "unseen.txt").read_text(encoding="utf-8").splitlines()) == 2
