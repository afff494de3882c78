"""Small corpora of every format, made up at random, and counts of their entities.

The counts are taken from the bytes by rules of their own, not by the readers.
"""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_gapdner import Entity, set_entities

WORDS = ["severe", "joint", ",", "and", "pain", "20mg", "don't", "(x", "é", "😀", "e\u0301", "NaN"]
LABELS = ["ADR", "Drug", "Disorder", "T1"]
_VOCAB = spacy.blank("en").vocab
_INFONS = [{}, {}, {"score": "0.5"}, {"identifier": "MESH:1"}, {"Neg": "yes"}]
_BRAT_LINES = [
    "#1\tAnnotatorNotes T{}\tx\n",
    "#2\tAnnotatorNotes T{}\tscore=0.5\n",
    "A1\tNeg T{}\n",
    "A2\tSeverity T{} high\n",
    "N1\tReference T{} UMLS:C1\tx\n",
    "R1\tCauses Arg1:T{} Arg2:T1\n",
    "E1\tT{}:T1\n",
    "*\tEquiv T{} T1\n",
]


def make_text(rng):
    """A text, and random entities in its characters."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 15))]
    ends = [rng.choice([" ", " ", " ", "\n", "  ", "\r\n", ". "]) for _ in words]
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    return text, [make_entity(rng, len(text)) for _ in range(rng.randint(0, 4))]


def make_entity(rng, length):
    cuts = sorted(rng.sample(range(length + 1), min(length + 1, 2 * rng.randint(1, 3))))
    return rng.choice(LABELS), list(pairwise(cuts))[::2]


def surface(text, spans, separator=" "):
    return separator.join(text[s:e] for s, e in spans).replace("\n", " ").replace("\r", " ")


def brat_lines(rng, text, entities):
    lines = []
    for number, (label, spans) in enumerate(entities, start=1):
        offsets = ";".join(f"{s} {e}" for s, e in spans)
        lines.append(f"T{number}\t{label} {offsets}\t{surface(text, spans)}\n")
        lines += rng.choice([[], [], [rng.choice(_BRAT_LINES).format(number)]])
    return "".join(lines)


def brat(rng):
    files = {}
    for name in ("a", "sub/b"):
        text, entities = make_text(rng)
        files[f"{name}.txt"] = text
        files[f"{name}.ann"] = brat_lines(rng, text, entities)
    return files


def cadec(rng):
    text, entities = make_text(rng)
    return {"text/A.1.txt": text, "original/A.1.ann": brat_lines(rng, text, entities)}


def make_sentence(rng):
    tokens = [rng.choice(WORDS) for _ in range(rng.randint(1, 10))]
    count = rng.randint(0, 3)
    found = [
        sorted(rng.sample(range(len(tokens)), rng.randint(1, min(4, len(tokens)))))
        for _ in range(count)
    ]
    return tokens, [(rng.choice(LABELS), indices) for indices in found]


def w2ner(rng):
    records = []
    for _ in range(rng.randint(1, 3)):
        tokens, entities = make_sentence(rng)
        ner = [{"index": indices, "type": label} for label, indices in entities]
        records.append({"sentence": tokens, "ner": ner})
    if rng.random() < 0.5:
        return {"a.json": json.dumps(records)}
    return {"a.jsonl": "".join(json.dumps(record) + "\n" for record in records)}


def inline(rng):
    lines = []
    for number in range(rng.randint(1, 3)):
        tokens, entities = make_sentence(rng)
        mentions = []
        for label, indices in entities:
            ranges = Entity.from_tokens(label, indices).fragments
            mentions.append(",".join(f"{s},{e - 1}" for s, e in ranges) + f" {label}")
        head = f"Document: d{number}\n" if rng.random() < 0.3 else ""
        lines.append(f"{head}{' '.join(tokens)}\n{'|'.join(mentions)}\n\n")
    return {"a.inline": "".join(lines)}


def jsonl(rng):
    lines = []
    for number in range(rng.randint(1, 3)):
        text, entities = make_text(rng)
        found = [
            {"label": label, "fragments": [{"start": s, "end": e} for s, e in spans], "score": 0.5}
            for label, spans in entities
        ]
        lines.append(json.dumps({"id": f"d{number}", "text": text, "entities": found}))
    return {"a.jsonl": "\n".join(lines) + "\n"}


def knowtator_xml(rng, name, text, entities):
    parts = [f'<?xml version="1.0" encoding="UTF-8"?>\n<annotations textSource="{name}">\n']
    for number, (label, spans) in enumerate(entities):
        tags = "".join(f'<span start="{s}" end="{e}"/>' for s, e in spans)
        parts.append(
            f'<annotation><mention id="I{number}"/>{tags}<spannedText></spannedText></annotation>\n'
            f'<classMention id="I{number}"><mentionClass id="{label}">x</mentionClass>'
            "</classMention>\n"
        )
    return "".join([*parts, "</annotations>\n"])


def knowtator(rng):
    text, entities = make_text(rng)
    return {"a.txt": text, "a.txt.knowtator.xml": knowtator_xml(rng, "a.txt", text, entities)}


def craft(rng):
    text, entities = make_text(rng)
    xml = knowtator_xml(rng, "1.txt", text, entities)
    folder = "concept-annotation/CL/CL/knowtator"
    return {"articles/txt/1.txt": text, f"{folder}/1.txt.knowtator.xml": xml}


def share(rng, year):
    files = {}
    for part, name in (("train", "a"), ("test", "b")):
        text, entities = make_text(rng)
        files[f"{part}/text/{name}.txt"] = text
        lines = []
        for _, spans in entities:
            if year == 13:
                offsets = "||".join(f"{s}||{e}" for s, e in spans)
                lines.append(f"{name}.txt||Disease_Disorder||C1||{offsets}\n")
            else:
                offsets = ",".join(f"{s}-{e}" for s, e in spans)
                lines.append(f"{name}.txt|{offsets}|C1{'|x' * 19}\n")
        if year == 13 and part == "train":
            xml = knowtator_xml(rng, f"{name}.txt", text, entities)
            files[f"{part}/ann/{name}.txt.knowtator.xml"] = xml
        else:
            files[f"{part}/ann/{name}.pipe.txt"] = "".join(lines)
    return files


def bioc(rng):
    documents, shift = [], rng.choice([0, 0, 7])
    for number in range(rng.randint(1, 2)):
        passages, offset = [], shift
        for _ in range(rng.randint(1, 2)):
            text, entities = make_text(rng)
            passage = {"offset": offset, "text": text, "annotations": []}
            for i, (label, spans) in enumerate(entities):
                infons = {"type": label} | rng.choice(_INFONS)
                places = [{"offset": offset + s, "length": e - s} for s, e in spans]
                value = {"id": str(i), "infons": infons, "text": surface(text, spans)}
                passage["annotations"].append(value | {"locations": places})
            passages.append(passage)
            offset += len(text) + rng.choice([0, 1, 2])
        documents.append({"id": f"d{number}", "passages": passages})
    if rng.random() < 0.5:
        return {"a.json": json.dumps({"documents": documents})}
    return {"a.xml": _bioc_xml(documents)}


def _bioc_xml(documents):
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<collection>\n']
    for document in documents:
        parts.append(f"<document><id>{document['id']}</id>\n")
        for passage in document["passages"]:
            text = escape(passage["text"]).replace("\r", "&#13;")
            parts.append(f"<passage><offset>{passage['offset']}</offset><text>{text}</text>\n")
            for value in passage["annotations"]:
                parts.append(f'<annotation id="{value["id"]}">')
                for key, infon in value["infons"].items():
                    parts.append(f'<infon key="{key}">{infon}</infon>')
                for place in value["locations"]:
                    parts.append(
                        f'<location offset="{place["offset"]}" length="{place["length"]}"/>'
                    )
                parts.append(f"<text>{escape(value['text'])}</text></annotation>\n")
            parts.append("</passage>\n")
        parts.append("</document>\n")
    return "".join([*parts, "</collection>\n"])


def pubannotation(rng):
    items = []
    for number in range(rng.randint(1, 2)):
        text, entities = make_text(rng)
        item = {"text": text, "sourceid": f"d{number}", "denotations": [], "relations": []}
        for i, (label, spans) in enumerate(entities):
            places = [{"begin": s, "end": e} for s, e in spans]
            if len(places) == 1 or rng.random() < 0.5:
                span = places if len(places) > 1 else places[0]
                item["denotations"].append({"id": f"T{i}", "span": span, "obj": label})
                continue
            for j, place in enumerate(places):
                obj = label if j == len(places) - 1 else "_FRAGMENT"
                item["denotations"].append({"id": f"T{i}.{j}", "span": place, "obj": obj})
                if j:
                    chain = {"pred": "_lexicallyChainedTo", "obj": f"T{i}.{j - 1}"}
                    item["relations"].append({"id": f"R{i}.{j}", "subj": f"T{i}.{j}"} | chain)
        if entities and rng.random() < 0.3:
            item["attributes"] = [{"id": "A1", "subj": "T0", "pred": "score", "obj": 0.5}]
        items.append(item)
    return {"a.json": json.dumps(items if len(items) > 1 else items[0])}


def docbin(rng):
    docs = []
    for _ in range(rng.randint(1, 3)):
        tokens, entities = make_sentence(rng)
        doc = Doc(_VOCAB, words=tokens)
        set_entities(doc, [Entity.from_tokens(label, indices) for label, indices in entities])
        if rng.random() < 0.3:
            # what a hand has changed: damaged bytes seldom get past the checksum
            _change_entities(rng, doc)
        docs.append(doc)
    return {"a.spacy": DocBin(docs=docs, store_user_data=True).to_bytes()}


def _change_entities(rng, doc):
    name = f"gapdner_{rng.randint(1, 4)}"
    odd = rng.choice(["x", -1, 0.5, 1.5, float("nan"), [1], {"a": None}, None, True, b"x"])
    if name in doc.spans:
        doc.spans[name].attrs[rng.choice(["score", "id", "kb_id", "kb_name", "_", "x"])] = odd
    if rng.random() < 0.5:
        spans = [
            doc[rng.randrange(len(doc)) :] if rng.random() < 0.5 else doc[:1] for _ in range(2)
        ]
        spans = [Span(doc, s.start, s.end, rng.choice(["", "ADR", "Drug"])) for s in spans]
        doc.spans[name] = spans[: rng.randint(0, 2)]
    if rng.random() < 0.2:
        doc.user_data[rng.choice(["gapdner_document", "gapdner_record"])] = odd


def texts(rng):
    files = {f"{i}.txt": make_text(rng)[0] for i in range(rng.randint(1, 3))}
    lines = "".join(json.dumps({"id": i, "text": make_text(rng)[0]}) + "\n" for i in range(3))
    return files if rng.random() < 0.5 else {"a.jsonl": lines}


MAKERS = {
    "brat": brat,
    "w2ner": w2ner,
    "inline": inline,
    "jsonl": jsonl,
    "knowtator": knowtator,
    "craft": craft,
    "cadec": cadec,
    "share13": lambda rng: share(rng, 13),
    "share14": lambda rng: share(rng, 14),
    "bioc": bioc,
    "pubannotation": pubannotation,
    "spacy": docbin,
    "texts": texts,
}


def count_entities(files):
    """The entities of files that a reader has taken, by the look of their bytes.

    What is no entity by any reading may be left out here, but nothing may be counted that is
    none.
    """
    return sum(_COUNTS[name.rpartition(".")[2]](name, raw) for name, raw in files.items())


def _count_lines(name, raw):
    text = raw.decode("utf-8").replace("\r\n", "\n")
    if name.endswith(".ann"):
        return len(re.findall(r"^T\d+\t\w+ \d+ \d+(?:;\d+ \d+)*(?:\t|$)", text, re.M))
    if name.endswith(".pipe.txt"):
        return len(re.findall(r"^\w+\.txt\|+\S", text, re.M))
    return 0


def _count_inline(name, raw):
    lines = raw.decode("utf-8").replace("\r\n", "\n").split("\n")
    mention = r"\d+(?:,\d+)+ [^\s|]+"
    found = [line for line in lines if re.fullmatch(rf"{mention}(?:\|{mention})*", line)]
    return sum(line.count("|") + 1 for line in found)


def _count_json(name, raw):
    text = raw.decode("utf-8-sig")
    try:
        records = json.loads(text)
    except ValueError:
        records = [json.loads(line) for line in text.split("\n") if line.strip()]
    records = records if isinstance(records, list) else [records]
    if any("denotations" in record for record in records):
        found = [item for record in records for item in record.get("denotations", ())]
        # one that is chained to what is none is no entity either
        return sum(isinstance(item, dict) and item.get("obj") != "_FRAGMENT" for item in found)
    if records and "documents" in records[0]:
        parts = list(records[0]["documents"])
        parts += [p for d in parts for p in d.get("passages") or ()]
        parts += [s for p in parts for s in p.get("sentences") or ()]
        return sum(len(part.get("annotations") or ()) for part in parts)
    return sum(len(record.get("ner", record.get("entities", ()))) for record in records)


def _count_xml(name, raw):
    root = ElementTree.fromstring(raw)
    if root.tag != "collection":
        return sum(1 for _ in root.iter("annotation"))
    paths = ("annotation", "passage/annotation", "passage/sentence/annotation")
    return sum(len(d.findall(path)) for d in root.iter("document") for path in paths)


def _count_docbin(name, raw):
    docs = DocBin().from_bytes(raw).get_docs(_VOCAB)
    return sum(len(doc.spans[key]) > 0 for doc in docs for key in doc.spans)


_COUNTS = {
    "ann": _count_lines,
    "txt": _count_lines,
    "inline": _count_inline,
    "json": _count_json,
    "jsonl": _count_json,
    "xml": _count_xml,
    "spacy": _count_docbin,
}
