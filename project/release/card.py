"""Write the meta.json and the model card of a released pipeline."""

import json
from collections.abc import Sequence
from heapq import nlargest
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gapdner import __version__, get_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.pipe.scorer import SUBSETS, compare

LICENSE = "CC BY 4.0"
CHIA = {
    "name": "Chia",
    "url": "https://github.com/Vidhate/CHIA-NER-RE",
    "license": LICENSE,
    "author": "Kury et al. 2020, Chia, a large annotated corpus of clinical trial eligibility "
    "criteria, Scientific Data 7:281",
}
OVERSAMPLING = "spacy-gapdner.oversampling_augmenter.v1"
N_SENTENCES, MAX_WORDS = 3, 25
_TEMPLATE = Path(__file__).with_name("card.md.jinja")
_SNIPPET = """\
import spacy

nlp = spacy.load({package})
for text in [
{texts}
]:
    print(text)
    for entity in nlp(text)._.discontinuous_ents:
        print("   ", entity.label_, "|", " ... ".join(span.text for span in entity.spans))
"""


class Encoder(NamedTuple):
    """The pretrained transformer of a pipeline: its name on the Hugging Face hub, and its
    license."""

    name: str
    license: str

    @property
    def url(self) -> str:
        return f"https://huggingface.co/{self.name}"


def choose_sentences(nlp: Language, golds: Sequence[Doc], key: str) -> list[str]:
    """Choose three sentences for a model card. They have a discontinuous entity, correct
    predictions and the highest scores, so that rounding on other machines does not change the
    entities."""
    short = [
        gold
        for gold in golds
        if len(gold) <= MAX_WORDS and any(e.is_discontinuous for e in get_entities(gold, key))
    ]
    found: dict[str, float] = {}
    for doc, gold in zip(nlp.pipe([gold.text.strip() for gold in short]), short, strict=True):
        compared = compare(Example(doc, gold), key)
        if set(compared.predicted) == compared.gold:
            found[doc.text] = min(entity.score or 0.0 for entity in get_entities(doc, key))
    if len(found) < N_SENTENCES:
        raise GapDNERError(
            f"The model card requires {N_SENTENCES} test sentences of at most {MAX_WORDS} words "
            f"with a discontinuous entity and correct predictions, but there are {len(found)}. "
            "Train longer."
        )
    return nlargest(N_SENTENCES, found, key=found.__getitem__)


def show(nlp: Language, texts: Sequence[str]) -> str:
    """RETURNS (str): The output of the card's Python code for these sentences."""
    lines = []
    for doc in map(nlp, texts):
        lines.append(doc.text)
        for entity in doc._.discontinuous_ents:
            lines.append(f"    {entity.label_} | {' ... '.join(s.text for s in entity.spans)}")
    return "".join(f"{line}\n" for line in lines)


def make_meta(
    meta: dict[str, Any],
    scores: dict[str, Any],
    *,
    name: str,
    version: str,
    encoder: Encoder | None,
    author: str = "",
    url: str = "",
) -> dict[str, Any]:
    """Make the meta.json of a release from the pipeline's meta.json and the JSON of `gapdner
    evaluate`. The name is the name of the package, without the language."""
    sources = [CHIA]
    if encoder is not None:
        sources = [CHIA, {"author": "", **encoder._asdict(), "url": encoder.url}]
    prefix = f"spans_{scores['spans_key']}_"
    measures = [f"{prefix}{subset}{m}" for subset in ("", "disc_", "disc_sents_") for m in "prf"]
    return meta | {
        "name": name,
        "version": version,
        "description": "Contiguous, overlapping and discontinuous entities in eligibility criteria "
        "of clinical trials",
        "author": author,
        "url": url,
        "license": LICENSE,
        "sources": sources,
        # a test loads the bundled pipeline with the current version
        "requirements": [f"spacy-gapdner>={__version__},<1.0.0"],
        "performance": {m: scores[m] for m in measures if scores[m] is not None},
    }


def write_card(
    meta: dict[str, Any],
    scores: dict[str, Any],
    nlp: Language,
    texts: Sequence[str],
    *,
    train: Sequence[Doc],
    test: Sequence[Doc],
    encoder: Encoder | None,
) -> str:
    """Write the model card in the format of the Hugging Face hub, with the output for some texts.
    The data has one sentence per Doc."""
    key, package = scores["spans_key"], f"{meta['lang']}_{meta['name']}"
    prefix = f"spans_{key}_"
    quoted = "\n".join(f"    {json.dumps(text, ensure_ascii=False)}," for text in texts)
    calibration, disc_calibration = (
        scores[name] and f"{100 * scores[name]:.1f}"
        for name in ("calibration_error", "disc_calibration_error")
    )
    metrics = {
        f"F1, {title.lower()}": meta["performance"].get(f"{prefix}{_score_prefix(subset)}f")
        for subset, title in SUBSETS.items()
    }
    config = nlp.config.interpolate()
    augmenter = config["corpora"]["train"].get("augmenter") or {}
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf8")).render(
        metrics={name: round(value, 4) for name, value in metrics.items() if value is not None},
        package=package,
        meta=meta,
        workflow="release-trf" if encoder else "release",
        snippet=_SNIPPET.format(package=json.dumps(package), texts=quoted),
        output=show(nlp, texts),
        rows=_score_rows(scores),
        train=_count(train, key),
        test=_count(test, key),
        chia=CHIA,
        labels=", ".join(scores["gold_per_type"]),
        encoder=encoder,
        repeats=augmenter.get("@augmenters") == OVERSAMPLING,
        threshold=f"{scores['threshold']:.2f}",
        disc_threshold=scores["disc_threshold"] and f"{scores['disc_threshold']:.2f}",
        calibration=calibration,
        disc_calibration=disc_calibration,
        max_length=config["components"]["gapdner"]["max_length"],
    )


def _score_rows(scores: dict[str, Any]) -> list[list[str]]:
    prefix, counts = f"spans_{scores['spans_key']}_", scores[f"spans_{scores['spans_key']}_counts"]
    rows = []
    for subset, title in SUBSETS.items():
        start = _score_prefix(subset)
        prf = [scores[f"{prefix}{start}{measure}"] for measure in "prf"]
        rows.append([title, *map(_percent, prf), f"{counts[f'{start}gold']:,}"])
    for label, of in (scores[f"{prefix}per_type"] or {}).items():
        n_gold = scores["gold_per_type"].get(label, 0)
        rows.append([f"`{label}`", *(_percent(of[m]) for m in "prf"), f"{n_gold:,}"])
    return rows


def _score_prefix(subset: str) -> str:
    return "" if subset == "all" else f"{subset}_"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _count(docs: Sequence[Doc], key: str) -> dict[str, str]:
    entities = [entity for doc in docs for entity in get_entities(doc, key)]
    counts = {
        "sentences": len(docs),
        "words": sum(map(len, docs)),
        "entities": len(entities),
        "discontinuous": sum(entity.is_discontinuous for entity in entities),
    }
    return {name: f"{number:,}" for name, number in counts.items()}
