"""Synthetic documents in the layouts of CADEC and ShARe/CLEF, with the difficult cases of real
ones."""

from knowtator_files import version_1


def spans(text, *pieces):
    """Offsets of pieces. Each is searched after the previous one."""
    found, start = [], 0
    for piece in pieces:
        start = text.index(piece, start)
        found.append((start, start + len(piece)))
        start += len(piece)
    return found


POST = "Bad joint and shoulder pain!\n\n  I took 20mg, couldn't sleep_well.\nhurts a lot\n"
POST_TOKENS = [
    "Bad joint and shoulder pain !",
    "I took 20 mg , couldn ' t sleep _ well .",
    "hurts a lot",
]
POST_ANNOTATIONS = """\
T1	ADR 0 9;23 27	Bad joint pain
#1	AnnotatorNotes T1	ADR or not
T2	ADR 23 27;0 3;14 22	pain Bad shoulder
T3	Drug 39 43	20mg
T4	ADR 0 9;23 27	Bad joint pain
T5	ADR 55 59	leep
T6	ADR 60 71	well. hurts
T7	ADR 39 41	20
"""
# T2 has fragments out of order, of which two are adjacent; T4 repeats T1; T5 starts within a token;
# T6 spans two lines
# (sentence, label, fragments)
POST_ENTITIES = [
    (0, "ADR", ((0, 2), (4, 5))),
    (0, "ADR", ((0, 1), (3, 5))),
    (0, "ADR", ((0, 2), (4, 5))),
    (1, "ADR", ((8, 9),)),
    (1, "ADR", ((2, 3),)),
]
# 26 tokens in 6 sentences of 4 documents
CADEC = {
    "cadec/text/EXAMPLIN.1.txt": POST,
    "cadec/original/EXAMPLIN.1.ann": POST_ANNOTATIONS,
    # offsets count a line break as one character
    "cadec/text/EXAMPLIN.2.txt": "No pain\r\nSevere rash\r\n",
    "cadec/original/EXAMPLIN.2.ann": "T1\tADR 8 19\tSevere rash\r\n",
    "cadec/text/OTHERIN.1.txt": "fine",
    "cadec/text/OTHERIN.2.txt": "\n",
    "cadec/original/OTHERIN.2.ann": "",
    "cadec/meddra/EXAMPLIN.1.ann": "TT1\t10000000 0 9\tBad joint\n",
}
CADEC_IDS = {"ids/train.id": "OTHERIN.1\nEXAMPLIN.1", "ids/dev.id": "EXAMPLIN.2\n"}
CADEC_IDS["ids/test.id"] = "OTHERIN.2\n"

LONG_LINE = (
    "The patient's legs were swollen (mild) and didn't improve with e.g. rest. He has mr. Smith's "
    "pain in the arm and leg, but no fever.Chills came at 38% later? then nothing more."
)
REPORT = f"DISCHARGE SUMMARY\n\nSevere left\narm pain, chest/back pain.\n\n\n{LONG_LINE}\n"
REPORT_TOKENS = [
    "DISCHARGE SUMMARY",
    "Severe left",
    "arm pain , chest / back pain .",
    "The patient 's legs were swollen ( mild ) and did n't improve with e . g . rest .",
    "He has mr .",
    "Smith 's pain in the arm and leg , but no fever .",
    "Chills came at 38 % later ? then nothing more .",
]
REPORT_SPANS = [
    # whitespace between fragments: one fragment
    spans(REPORT, "Severe", "left"),
    # out of order
    [*spans(REPORT, "Smith's pain", "leg")[::-1]],
    spans(REPORT, "Smith's pain", "arm"),
    # the same entity with another code
    spans(REPORT, "Smith's pain", "arm"),
    # a trailing space
    spans(REPORT, "swollen "),
    # two sentences
    spans(REPORT, "left", "arm pain"),
    spans(REPORT, "rest", "mr"),
]
REPORT_ENTITIES = [
    (1, "Disorder", ((0, 2),)),
    (3, "Disorder", ((5, 6),)),
    (5, "Disorder", ((0, 3), (7, 8))),
    (5, "Disorder", ((0, 3), (5, 6))),
]
ECG = "Sinus rhythm.\r\nLeft axis\tdeviation, old\r\n"
ECG_SPANS = [[(14, 33)], [(14, 33)], [(14, 23), (24, 33)]]
TRAIN, SECOND, TEST = (
    "00000-000001-DISCHARGE_SUMMARY.txt",
    "00000-000002-ECHO_REPORT.txt",
    "00000-000003-ECG_REPORT.txt",
)


def knowtator_file(name, annotations):
    # the last annotation has no class
    labels = ["D"] * (len(annotations) - 1) + [""]
    return version_1(name, *((label, a, "") for label, a in zip(labels, annotations, strict=False)))


def double_pipes(name, annotations):
    spans = ("||".join(f"{start}||{end}" for start, end in offsets) for offsets in annotations)
    return "".join(f"{name}||Disease_Disorder||C0000000||{span}\n" for span in spans)


def single_pipes(name, annotations):
    spans = (",".join(f"{start}-{end}" for start, end in offsets) for offsets in annotations)
    slots = "|no|*NULL*" * 9 + "|*NULL*"
    return "".join(f"{name}|{span}|CUI-less{slots}\r\n" for span in spans)


# folders of texts and annotations for training, and of texts and annotations for the test
ARRANGED = ("train/text", "train/ann", "test/text", "test/ann")
ARCHIVES_2013 = (
    "Task1TrainSetCorpus199/ALLREPORTS",
    "Task1TrainSetGOLD199knowtatorehost/ALLSAVED",
    "Task1TestSetCorpus100/ALLREPORTS",
    "Gold_SN2012",
)
ARCHIVES_2014 = (
    "train_10Jan2014/2014ShAReCLEFeHealthTask2_training_corpus",
    "train_10Jan2014/2014ShAReCLEFeHealthTask2_training_pipedelimited",
    "default_values_with_corpus/ShAReCLEFeHealth2104Task2_test_data_corpus",
    "ShAReCLEFeHealth2014_test_data_gold",
)
SHARE_IDS = {"ids/dev.list": f"{SECOND}\n"}


def share_texts(train, test):
    return {f"{train}/{TRAIN}": REPORT, f"{train}/{SECOND}": "Normal.\n", f"{test}/{TEST}": ECG}


def share13(train_text, train_ann, test_text, test_ann):
    return share_texts(train_text, test_text) | {
        f"{train_ann}/{TRAIN}.knowtator.xml": knowtator_file(TRAIN, REPORT_SPANS),
        f"{train_ann}/{SECOND}.knowtator.xml": knowtator_file(SECOND, []),
        f"{test_ann}/{TEST}": double_pipes(TEST, ECG_SPANS),
    }


def share14(train_text, train_ann, test_text, test_ann):
    """Without annotations of the second text."""
    return share_texts(train_text, test_text) | {
        f"{train_ann}/{TRAIN[:-4]}.pipe.txt": single_pipes(TRAIN, REPORT_SPANS),
        f"{test_ann}/{TEST[:-4]}.pipe.txt": single_pipes(TEST, ECG_SPANS),
    }
