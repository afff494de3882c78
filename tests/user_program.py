"""A user's program that mypy checks with the package. The last line contains a type error."""

from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc

from spacy_gapdner import (
    Entity,
    GapDNERError,
    evaluate,
    get_entities,
    predict,
    read,
    render,
    set_entities,
    write,
)
from spacy_gapdner.analysis import stats

nlp = spacy.load("model")
doc = nlp.make_doc("severe joint and shoulder pain")
set_entities(doc, [Entity("SYMPTOM", ((0, 2), (4, 5)), score=0.5), Entity.from_tokens("BODY", [1])])
found: list[tuple[str, str, bool]] = [
    (entity.label_, entity.text, entity.is_discontinuous) for entity in get_entities(doc)
]
predicted: Iterator[Doc] = predict(nlp, ["joint and shoulder pain"], n_process=2)
try:
    n_docs: int = write(predicted, Path("docs.jsonl"), spans_key="gapdner")
    share: float = stats(read("brat", "brat", n_sents=0)).discontinuous_percent
except GapDNERError as error:
    print(error)
scores: dict[str, object] = evaluate(nlp, read("gold.spacy"), batch_size=8)
html: str | None = render([doc], gold=doc, colors={"SYMPTOM": "red"}, page=True)
drawing: str | None = render(doc, style="text", width=80)
# mypy reports an unused ignore, so the error must occur
set_entities(doc, ["SYMPTOM"])  # type: ignore[list-item]
