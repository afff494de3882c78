"""Entities get the ids of the terms that match their recombined texts."""

import pytest
import spacy
from rapidfuzz import fuzz, process
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.components import linker
from spacy_gapdner.entities import set_contiguous_ents

TEXT = "severe joint, shoulder and upper body pain after Naproxen"
ENTITIES = [
    Entity("ADE", ((0, 2), (7, 8))),  # severe joint pain
    Entity("ADE", ((0, 1), (3, 4), (7, 8))),  # severe shoulder pain
    Entity("ADE", ((0, 1), (5, 8))),  # severe upper body pain
    Entity("DRUG", ((9, 10),)),  # Naproxen
]
TERMS = "id\tname\nT:1\tSEVERE \u00a0Joint\u2011Pain\nT:2\tpain, severe shoulder\nT:3\tnaproxen\n"


@Language.component("annotate_for_link_test")
def annotate(doc: Doc) -> Doc:
    set_entities(doc, ENTITIES)
    return doc


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text(TERMS, encoding="utf8")
    return path


def make_pipeline(path, **settings):
    nlp = spacy.blank("en")
    nlp.add_pipe("annotate_for_link_test")
    nlp.add_pipe("gapdner_linker", config={"terms": str(path), **settings})
    return nlp


def ids(doc):
    return {entity.text: entity.kb_id_ for entity in get_entities(doc) if entity.kb_id_}


EXACT = {"severe joint pain": "T:1", "Naproxen": "T:3"}
SIMILAR = {**EXACT, "severe shoulder pain": "T:2"}


def test_ids(path):
    doc = make_pipeline(path)(TEXT)
    assert ids(doc) == EXACT
    names = [entity.attrs.get("kb_name") for entity in get_entities(doc)]
    assert sorted(filter(None, names)) == ["SEVERE \u00a0Joint\u2011Pain", "naproxen"]
    assert ids(make_pipeline(path, labels=["DRUG"])(TEXT)) == {"Naproxen": "T:3"}
    # "pain, severe shoulder" only differs in the order and the comma
    nlp = make_pipeline(path, min_score=90)
    assert [ids(doc) for doc in nlp.pipe([TEXT] * 5, batch_size=2)] == [SIMILAR] * 5
    # existing ids
    for entity in get_entities(doc):
        entity.kb_id_ = "OLD:1"
    old = {entity.text: "OLD:1" for entity in get_entities(doc)}
    for overwrite, expected in ((False, old), (True, old | EXACT)):
        nlp = make_pipeline(path, overwrite=overwrite)
        assert ids(nlp.get_pipe("gapdner_linker")(doc)) == expected
    # a file with a byte order mark and Windows line endings
    path.write_bytes(b"\xef\xbb\xbfid\tname\r\nT:1\tsevere joint pain\r\n")
    assert ids(make_pipeline(path)(TEXT)) == {"severe joint pain": "T:1"}


def test_spelling_of_names(path):
    nlp = spacy.blank("zh")
    path.write_text("T:1\t头部疼痛\nT:2\tCrohn's\nT:3\tדו צדדי\nT:4\t2型糖尿病\n", encoding="utf8")
    pipe = nlp.add_pipe("gapdner_linker", config={"terms": str(path)})
    words = ["头部", "和", "颈部", "疼痛", "CROHN\u2019S", "דו\u05beצדדי", "2", "、", "型糖尿病"]
    doc = Doc(nlp.vocab, words)
    places = ((0, 1), (3, 4)), ((4, 5),), ((5, 6),), ((6, 7), (8, 9))
    set_entities(doc, [Entity("A", place) for place in places])
    assert [entity.kb_id_ for entity in get_entities(pipe(doc))] == ["T:1", "T:2", "T:3", "T:4"]


@pytest.mark.parametrize(("overwrite", "old"), [(False, "OLD:1"), (True, "T:3")])
def test_ids_of_doc_ents(path, overwrite, old):
    nlp = make_pipeline(path, overwrite=overwrite)
    doc = annotate(nlp.make_doc(TEXT))
    set_contiguous_ents(doc, ENTITIES)
    doc.ents = [*doc.ents, Span(doc, 7, 8, "ADE"), Span(doc, 0, 2, "ADE")]
    doc = nlp.get_pipe("gapdner_linker")(doc)
    # parts of discontinuous entities get no id
    ents = [(ent.text, ent.kb_id_) for ent in doc.ents]
    assert ents == [("severe joint", ""), ("pain", ""), ("Naproxen", "T:3")]
    (group,) = [g for g in doc.spans.values() if g[0].label_ == "DRUG"]
    assert [span.kb_id_ for span in group] == ["T:3"]
    doc.ents = [Span(doc, 9, 10, "DRUG", kb_id="OLD:1")]
    doc = nlp.get_pipe("gapdner_linker")(doc)
    assert [ent.kb_id_ for ent in doc.ents] == [old]


def link(path, texts):
    """The names of the terms that these texts are linked to."""
    nlp = spacy.blank("en")
    linker = nlp.add_pipe("gapdner_linker", config={"terms": str(path), "min_score": 75})
    found = []
    for text in texts:
        doc = nlp.make_doc(text)
        set_entities(doc, [Entity("ADE", ((0, len(doc)),))])
        found.append(get_entities(linker(doc))[0].attrs.get("kb_name"))
    return found


@pytest.mark.parametrize("cache_size", [1, linker._CACHE_SIZE])
def test_most_similar_name(path, monkeypatch, cache_size):
    monkeypatch.setattr(linker, "_CACHE_SIZE", cache_size)
    # the first of equally similar ones
    path.write_text("A\tpain x\nB\tpain y\nC\tpain  X\nD\tpainz x\n")
    assert link(path, ["pain x", "x pain", "pain z", "fever"]) == ["pain x"] * 3 + [None]
    syllables = ["ba", "do", "ki", "lur", "me", "sant"]
    names = [f"{a}{b} {b}{c}{a}" for a in syllables for b in syllables for c in syllables]
    path.write_text("".join(f"{n}\t{n}\n" for n in names))
    texts = [name[:i] + name[i + 2 :] for i, name in enumerate(names[::5], start=1)]
    how = {"scorer": fuzz.token_sort_ratio, "score_cutoff": 75}
    best = [process.extractOne(text, names, **how) for text in texts]
    assert link(path, texts) == [match[0] if match else None for match in best]
    assert any(best)


def test_terms_are_saved_with_the_pipeline(path, tmp_path):
    nlp = make_pipeline(path, min_score=90)
    nlp.to_disk(tmp_path / "model")
    empty = make_pipeline(path, min_score=90)
    # the file is not read again
    path.write_text("no terms")
    for loaded in (spacy.load(tmp_path / "model"), empty.from_bytes(nlp.to_bytes())):
        assert ids(loaded(TEXT)) == SIMILAR


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id\tname\nT:1 pain\n", r"terms.tsv, line 2: 'T:1 pain'"),
        (b"T:1\tpain\nT:2\t\xff\n", r"terms.tsv is not UTF-8: .*0xff in position 13"),
        (b"id\tname\n", r"terms.tsv contains no terms"),
    ],
)
def test_invalid_terms_files(path, content, message):
    path.write_bytes(content)
    nlp = make_pipeline(path)
    for use in (lambda: nlp(TEXT), nlp.to_bytes):
        with pytest.raises(ValueError, match=message):
            use()
    nlp = make_pipeline(path.with_name("missing.tsv"))
    with pytest.raises(ValueError, match=r"Terms file not found: .*missing.tsv"):
        nlp(TEXT)


def test_invalid_settings(path, monkeypatch):
    with pytest.raises(ValueError, match="Invalid min_score: 101"):
        make_pipeline(path, min_score=101)
    monkeypatch.setattr(linker, "find_spec", lambda name: None)
    assert ids(make_pipeline(path)(TEXT)) == EXACT
    with pytest.raises(ValueError, match=r"pip install 'spacy-gapdner\[link\]'"):
        make_pipeline(path, min_score=90)
