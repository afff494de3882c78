import json
import os
import random
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import make_sample_corpus as script
import pytest
import sample_grammar as grammar
import spacy
from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities, read, set_entities
from spacy_gapdner.analysis import stats
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
def test_tokens_are_those_of_spacy_and_entities_are_valid(corpus, part):
    nlp = spacy.blank("en")
    for phrase in corpus[part]:
        doc = nlp.make_doc(grammar.detokenize(phrase.tokens))
        assert tuple(token.text for token in doc) == phrase.tokens
        assert len(set(phrase.entities)) == len(phrase.entities)
        for label, indices in phrase.entities:
            assert label in {"ADE", "DRUG"}
            assert list(indices) == sorted(set(indices) & set(range(len(doc))))


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
def test_sentences_written_by_hand(part, n, corpus):
    made = {phrase.tokens for phrases in corpus.values() for phrase in phrases}
    report = Report(strict=True)
    docs = list(read(SENTENCES / f"{part}.inline", n_sents=1, report=report))
    assert len(docs) == n
    assert report.issues == []
    nlp = spacy.blank("en")
    for doc in docs:
        words = tuple(token.text for token in doc)
        assert words not in made
        assert tuple(token.text for token in nlp(grammar.detokenize(words))) == words
        for entity in get_entities(doc):
            assert entity.label_ in {"ADE", "DRUG"}
            # no gap begins or ends an entity, and no fragment is a conjunction or a mark
            assert {"and", "or", ",", "/", "."}.isdisjoint(t.text for t in entity)


def test_files_hold_the_corpus_and_are_the_same_in_every_process(tmp_path):
    corpus = script.make_corpus(7, 60, 20, 30)
    script.write_corpus(corpus, tmp_path / "here")
    command = [sys.executable, str(SCRIPTS / "make_sample_corpus.py"), str(tmp_path / "there")]
    command += ["--seed", "7", "--n-train", "60", "--n-dev", "20", "--n-test", "30"]
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("train: 60 sentences")
    here, there = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("here", "there")
    )
    assert here == there
    for part in PARTS:
        rows = json.loads(here[f"{part}.json"])
        assert rows == [script.to_w2ner(phrase) for phrase in corpus[part]]
    assert len(here["unseen.txt"].splitlines()) == 20
