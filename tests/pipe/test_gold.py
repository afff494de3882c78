import pytest
import spacy
from spacy.training import Corpus, Example
from tiny_pipeline import make_examples, save_corpus

from spacy_gapdner.docs import DOC_LANG
from spacy_gapdner.entities import Entity
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.grid.segments import Segment
from spacy_gapdner.pipe.gold import collect_gold, make_targets


def raising(error):
    def get_examples():
        yield from make_examples(spacy.blank("en"))
        raise error

    return get_examples


@pytest.mark.parametrize("break_up", [lambda whole: whole[:-9], lambda whole: b"", None])
def test_unreadable_file(tmp_path, break_up):
    nlp, path = spacy.blank("en"), save_corpus(tmp_path / "train.spacy")
    corpus = Corpus(path)
    assert collect_gold(lambda: corpus(nlp), "gapdner").n_entities == 10
    if break_up is None:
        path.unlink()
    else:
        path.write_bytes(break_up(path.read_bytes()))
    with pytest.raises(GapDNERError, match=r"^Cannot read the training corpus \(") as caught:
        collect_gold(lambda: corpus(nlp), "gapdner")
    assert type(caught.value.__cause__).__name__ in str(caught.value)


def test_cells_of_unaligned_entities_are_ignored_in_each_segment():
    segments = [Segment(0, 4), Segment(4, 9), Segment(7, 12)]
    # the first and the last one touch another segment
    unaligned = [Entity("A", ((1, 4),)), Entity("A", ((3, 6),)), Entity("B", ((9, 10),))]
    aligned = [Entity("A", ((5, 6),)), Entity("A", ((3, 5),))]
    targets, unassigned = make_targets(aligned, unaligned, segments, GapAwareTagging(), ["A", "B"])
    # in tokens of the segment, and only inside it
    assert [target.ignored for target in targets] == [[(1, 4), (3, 4)], [(0, 2)], [(2, 3)]]
    assert unassigned == [aligned[1]]


@pytest.mark.parametrize("error", [AttributeError("in a reader"), GapDNERError("not a file")])
def test_other_errors_are_not_changed(error):
    with pytest.raises(type(error)) as caught:
        collect_gold(raising(error), "gapdner")
    assert caught.value is error


def test_errors_of_the_examples_are_not_those_of_a_file():
    nlp = spacy.blank("en")
    other = Example(nlp.make_doc("other words"), make_examples(nlp)[0].reference)
    with pytest.raises(ValueError, match="E949"):
        collect_gold(lambda: [other], "gapdner")


def test_documents_with_the_tokens_of_another_language():
    doc = spacy.blank("de").make_doc("starke Schmerzen")
    for lang in ("de", None):
        doc.user_data[DOC_LANG] = lang
        collect_gold(lambda: [Example(doc, doc)], "gapdner")
    doc.user_data[DOC_LANG] = "en"
    with pytest.warns(UserWarning, match="rules of German.*: 1 with the rules of English"):
        collect_gold(lambda: [Example(doc, doc)], "gapdner")
