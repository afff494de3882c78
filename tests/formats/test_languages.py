"""Guessing the language of texts, and comparing it with that of a pipeline."""

import json

import pytest
import spacy
from spacy.training import Example

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.docs import DOC_LANG
from spacy_gapdner.formats import (
    Report,
    convert,
    guess_data_language,
    languages,
    read,
    read_docbin,
)
from spacy_gapdner.formats.languages import guess_language

TEXTS = {
    "de": "Der Patient hatte z.B. ca. drei Tage lang Rücken- und Kopfschmerzen beim Gehen. Er war "
    "nicht in Behandlung.",
    "es": "La paciente refiere dolor de rodilla y de cadera desde hace dos meses, sin fiebre.",
    "hi": "रोगी को तीन दिन से सिर और पीठ में तेज़ दर्द था और उसे बुखार नहीं था।",
    "fr": "La patiente a eu des douleurs au dos et à la hanche pendant trois jours.",
    "it": "La paziente non ha avuto dolori alla schiena e alle gambe per tre giorni.",
    "ru": "Пациент не мог ходить из-за того, что у него была сильная боль в спине и в ноге.",
    "pt": "O paciente apresentou dor no joelho e no quadril há duas semanas.",
    "nb": "Pasienten hadde sterke smerter i ryggen og kunne ikke gå på tre dager.",
    "zh": "患者头痛和背痛三天，没有发烧。",
    "en": "The patient had severe joint and shoulder pain.",
}


@pytest.mark.parametrize("lang", TEXTS)
def test_guess(lang):
    assert guess_language(TEXTS[lang]) == lang
    assert guess_language(f"{TEXTS[lang]}\n" * 20) == lang


@pytest.mark.parametrize(
    "text",
    [
        # too little to decide
        *("", "...", "Hepatitis B, Lipitor 20 mg", "Staphylococcus aureus, Panax ginseng"),
        "Pt c/o HA x 2d, denies N/V, Lipitor stopped. No h/o DM, HTN. PE: no edema. ECG: STEMI.",
        "No die-off of cells was seen in the war on man-made bugs so far.",
    ],
)
def test_english_is_the_default(text):
    assert guess_language(text) == "en"


@pytest.fixture
def folder(write):
    def write_texts(lang, n=1):
        text, word = TEXTS[lang], TEXTS[lang].split()[-1].strip(".।")
        start = text.rindex(word)
        ann = f"T1\tSign {start} {start + len(word)}\t{word}\n"
        return (
            write(
                {f"in/{i}.{end}": c for i in range(n) for end, c in (("txt", text), ("ann", ann))}
            )
            / "in"
        )

    return write_texts


@pytest.mark.parametrize("lang", ["de", "es", "hi"])
def test_texts_are_tokenized_by_their_own_rules(folder, tmp_path, report, lang):
    data = folder(lang, n=3)
    docs = list(read(data, report=report))
    assert [[t.text for t in doc] for doc in docs] == [
        [t.text for t in spacy.blank(lang)(TEXTS[lang])]
    ] * 3
    assert report.lang == lang
    (issue,) = report.issues
    assert (issue.action, issue.kind) == ("chosen", "language of the tokenizer")
    assert f"({lang})" in issue.message
    convert(data, tmp_path / "a.spacy")
    first, *_ = read_docbin(tmp_path / "a.spacy", spacy.blank("xx").vocab)
    assert first.user_data[DOC_LANG] == guess_data_language(tmp_path / "a.spacy") == lang
    # an option or a pipeline overrides the guess
    for options in ({"lang": "xx"}, {"nlp": spacy.blank("xx")}):
        other = Report()
        (doc, *_) = read(data, report=other, **options)
        assert (doc.user_data[DOC_LANG], other.lang, other.issues) == ("xx", "xx", [])


def test_german_sentences_and_entities(write, report):
    text = TEXTS["de"]
    words = ("Kopfschmerzen", "Gehen")
    starts = map(text.index, words)
    found = (
        (f"{start} {start + len(word)}", word) for start, word in zip(starts, words, strict=True)
    )
    ann = "".join(f"T{n}\tA {place}\t{word}\n" for n, (place, word) in enumerate(found))
    (doc,) = read(write({"a.txt": text, "a.ann": ann}), report=report)
    assert len(list(doc.sents)) == 2
    assert {"z.B.", "ca.", "beim", "Rücken-"} <= {token.text for token in doc}
    assert [e.text for e in get_entities(doc)] == ["Kopfschmerzen", "Gehen"]
    assert not report.counts("repaired")


def test_all_texts_decide_together(write, report):
    records = [{"text": "Fieber", "entities": []}, {"text": TEXTS["de"], "entities": []}]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    docs = list(read(write({"a.jsonl": lines}), report=report))
    assert [doc.user_data[DOC_LANG] for doc in docs] == ["de", "de"]


def test_tokens_have_no_language(write, report):
    path = write({"a.inline": "Der Schmerz und die Angst waren nicht da\n1,1 A\n\n"})
    (doc,) = read(path, report=report)
    assert (DOC_LANG in doc.user_data, report.lang, report.issues) == (False, None, [])


def test_languages_without_rules(write, report, monkeypatch):
    def fail(lang, *_):
        if lang != "en":
            raise ImportError("needs x")
        return blank(lang)

    blank = languages.blank_pipeline
    monkeypatch.setattr(languages, "blank_pipeline", fail)
    (doc,) = read(write({"a.txt": TEXTS["de"], "a.ann": ""}), report=report)
    assert doc.user_data[DOC_LANG] == "en"
    assert "look like German (de), whose rules cannot be used: needs x" in report.issues[0].message


def test_training_warns_of_other_tokens():
    nlp = spacy.blank("de")
    nlp.add_pipe("gapdner")
    doc = nlp.make_doc("starke Schmerzen")
    doc.user_data[DOC_LANG] = "en"
    set_entities(doc, [Entity("A", ((0, 2),))])
    message = "rules of German (de), but .*: 1 with the rules of English (en). .* convert --lang de"
    with pytest.warns(UserWarning, match=message.replace("(", r"\(").replace(")", r"\)")):
        nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])


def test_english_terms_are_not_latin():
    assert guess_language("potassium and magnesium replacement") == "en"
