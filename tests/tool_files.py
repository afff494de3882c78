"""Docs as the files that annotation tools export."""

import json
from pathlib import Path

from cassis import Cas, TypeSystem

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME

SPAN, RELATION = "custom.Span", "custom.Relation"


def regions(doc):
    """The regions of entities as (id, label, start, end), and the links as (from, to)."""
    found, links = [], []
    for number, entity in enumerate(get_entities(doc)):
        for part, span in enumerate(entity.spans):
            name = 100 * (number + 1) + part
            found.append((name, entity.label_, span.start_char, span.end_char))
            if part:
                links.append((100 * (number + 1), name))
    return found, links


def write_prodigy(docs, folder):
    tasks = []
    for doc in docs:
        found, links = regions(doc)
        spans = {n: {"start": s, "end": e, "label": label} for n, label, s, e in found}
        pairs = [{"head_span": spans[a], "child_span": spans[b]} for a, b in links]
        relations = [{**pair, "label": "fragment"} for pair in pairs]
        task = {"text": doc.text, "spans": [*spans.values()], "relations": relations}
        tasks.append({**task, "answer": "accept", "id": doc.user_data[DOC_NAME]})
    _write_lines(tasks, folder)


def write_doccano(docs, folder):
    records = []
    for doc in docs:
        found, links = regions(doc)
        # doccano counts UTF-16 code units
        units = [len(doc.text[:i].encode("utf-16-le")) // 2 for i in range(len(doc.text) + 1)]
        entities = [
            {"id": n, "label": label, "start_offset": units[s], "end_offset": units[e]}
            for n, label, s, e in found
        ]
        relations = [{"id": 1, "from_id": a, "to_id": b, "type": "fragment"} for a, b in links]
        record = {"id": doc.user_data[DOC_NAME], "text": doc.text, "entities": entities}
        records.append({**record, "relations": relations, "Comments": []})
    _write_lines(records, folder)


def write_labelstudio(docs, folder):
    tasks = []
    for number, doc in enumerate(docs):
        found, links = regions(doc)
        results = []
        for n, label, s, e in found:
            value = {"start": s, "end": e, "text": doc.text[s:e], "labels": [label]}
            results.append({"value": value, "id": str(n), "to_name": "text", "type": "labels"})
        for a, b in links:
            ends = {"from_id": str(a), "to_id": str(b)}
            results.append({**ends, "type": "relation", "labels": ["fragment"]})
        annotation = {"id": 1, "was_cancelled": False, "result": results}
        tasks.append({"id": number, "annotations": [annotation], "data": {"text": doc.text}})
    Path(folder, "a.json").write_text(json.dumps(tasks, indent=0), encoding="utf-8")


def write_cas(docs, folder):
    for number, doc in enumerate(docs):
        found, links = regions(doc)
        cas = make_cas(doc.text, found, [(*link, "fragment") for link in links])
        cas.to_json(folder / f"{number}.json")


def make_cas(text, found, links):
    """A CAS with regions as `regions` returns them, and links as (from, to, label)."""
    types = TypeSystem()
    span, relation = types.create_type(SPAN), types.create_type(RELATION)
    for made in (span, relation):
        types.create_feature(made, "label", "uima.cas.String")
    for name in ("Governor", "Dependent"):
        types.create_feature(relation, name, "uima.tcas.Annotation")
    cas = Cas(types)
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    made = {n: span(begin=s, end=e, label=label) for n, label, s, e in found}
    cas.add_all(made.values())
    for a, b, label in links:
        ends = {"Governor": made[a], "Dependent": made[b]}
        cas.add(relation(begin=made[b].begin, end=made[b].end, label=label, **ends))
    return cas


def write_pubtator(docs, folder):
    blocks = []
    for number, doc in enumerate(docs):
        lines = [f"{number}|t|{doc.text}"]
        for e in get_entities(doc):
            lines.append(f"{number}\t{e.start_char}\t{e.end_char}\t{e.text}\t{e.label_}\tD1")
        blocks.append("\n".join(lines) + "\n")
    Path(folder, "a.pubtator").write_text("\n".join(blocks), encoding="utf-8")


def _write_lines(values, folder):
    lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    Path(folder, "a.jsonl").write_text(lines, encoding="utf-8")


# the writers of formats with links between regions, and of formats with contiguous entities only
LINKING = {"prodigy": write_prodigy, "doccano": write_doccano}
LINKING |= {"labelstudio": write_labelstudio, "cas": write_cas}
CONTIGUOUS = {"pubtator": write_pubtator}
