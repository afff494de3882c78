from functools import partial

import pytest
from paper_corpora import (
    ARCHIVES_2013,
    ARCHIVES_2014,
    ARRANGED,
    REPORT_ENTITIES,
    REPORT_TOKENS,
    SECOND,
    SHARE_IDS,
    TEST,
    TRAIN,
    share13,
    share14,
)

from project.paper.share import read_share
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format

read_share13, read_share14 = (partial(read_share, corpus=f"share{year}") for year in (13, 14))
NAME = {"train": TRAIN[:-4], "second": SECOND[:-4], "test": TEST[:-4]}
ECG_TOKENS = ["Sinus rhythm .", "Left axis deviation , old"]
TRAIN_ENTITIES = [(f"{NAME['train']}-{s + 1}", fragments) for s, _, fragments in REPORT_ENTITIES]
TEST_ENTITIES = [(f"{NAME['test']}-2", ((0, 3),))]
# shared: the archives of both parts contain ALLREPORTS
LAYOUTS = {
    "archives 2013": (read_share13, share13(*ARCHIVES_2013)),
    "arranged 2013": (read_share13, share13(*ARRANGED)),
    "shared 2013": (read_share13, share13("ALLREPORTS", "ALLSAVED", "ALLREPORTS", "Gold_SN2012")),
    "archives 2014": (read_share14, share14(*ARCHIVES_2014)),
    "arranged 2014": (read_share14, share14(*ARRANGED)),
}


def entities(records):
    assert {e.label for r in records for e in r.entities} <= {"Disorder"}
    return [(r.name, e.fragments) for r in records for e in r.entities]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_read(write, report, layout):
    read, files = LAYOUTS[layout]
    path = write(files)
    assert guess_format(path) == f"share{layout[-2:]}"
    records = list(read(path, report))
    assert [(r.document, " ".join(r.tokens)) for r in records] == [
        *((NAME["train"], tokens) for tokens in REPORT_TOKENS),
        (NAME["second"], "Normal ."),
        *((NAME["test"], tokens) for tokens in ECG_TOKENS),
    ]
    assert entities(records) == TRAIN_ENTITIES + TEST_ENTITIES
    dropped = {"duplicate entity": 3, "entity crosses a sentence boundary": 2}
    assert report.counts("dropped") == dropped
    repaired = {"whitespace between fragments": 3, "fragments out of order": 1}
    repaired |= {"boundary moved to a token boundary": 1, "line endings CRLF -> LF": 1}
    assert report.counts("repaired") == repaired
    # the files of 2014 lack the annotations of the second text
    missing = {"no annotation file": 1} if "2014" in layout else {}
    assert report.counts("kept") == missing


def test_attributes(write, report):
    *_, last = read_share13(write(share13(*ARCHIVES_2013)), report)
    assert [dict(e.attrs) for e in last.entities] == [{"kb_id": "C0000000"}]
    *_, last = read_share14(write(share14(*ARCHIVES_2014)), report)
    (entity,) = last.entities
    assert entity.attrs["kb_id"] == "CUI-less"
    slots = entity.attrs["_"]
    assert (len(slots), slots["Norm_NI"], slots["Cue_BL"]) == (19, "no", "*NULL*")
    assert [*slots][-3:] == ["Norm_DT", "Norm_TE", "Cue_TE"]


@pytest.mark.parametrize("layout", ["archives 2013", "archives 2014"])
@pytest.mark.parametrize(
    ("split", "document", "found"),
    [("train", "train", TRAIN_ENTITIES), ("dev", "second", []), ("test", "test", TEST_ENTITIES)],
)
def test_split(write, report, layout, split, document, found):
    read, files = LAYOUTS[layout]
    path = write(files | SHARE_IDS)
    records = list(read(path, report, split=split, ids=path / "ids"))
    assert {r.document for r in records} == {NAME[document]}
    assert entities(records) == found
    assert report.counts("kept")["not the published split"] == (split != "test")


@pytest.mark.parametrize(
    ("layout", "replaced", "message"),
    [
        ("archives 2013", "ALLSAVED", r"Task1TrainSetGOLD199knowtatorehost\.zip"),
        ("archives 2014", "test_data_corpus", r"2014Task2_test_default_values\.zip"),
        ("archives 2013", f"ALLREPORTS/{SECOND}", f"annotates {SECOND}, which is"),
    ],
)
def test_missing_files(write, report, layout, replaced, message):
    read, files = LAYOUTS[layout]
    with pytest.raises(GapDNERError, match=message):
        list(read(write({name.replace(replaced, "other"): files[name] for name in files}), report))


@pytest.mark.parametrize(
    ("read", "files", "name", "line", "message"),
    [
        (read_share13, share13, TEST, f"{TEST}||Disease_Disorder||C1||1||2||3", "has 6 fields"),
        (read_share14, share14, f"{TEST[:-4]}.pipe.txt", f"{TEST}|1-2-3|C1", "should have the for"),
    ],
)
def test_invalid_lines(write, report, read, files, name, line, message):
    path = write(files(*ARRANGED) | {f"test/ann/{name}": f"\n{line}\n"})
    with pytest.raises(GapDNERError, match=message) as error:
        list(read(path, report, split="test"))
    assert f"{path / 'test/ann' / name}:2 " in str(error.value)
