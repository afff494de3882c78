"""List the published figures of CADEC and ShARe, and compare a copy of the corpus with them."""

from collections import Counter
from typing import Any, NamedTuple

from spacy_gapdner.analysis.statistics import CorpusStatistics
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Report

_TABLE_1 = "GapDNER paper, Table 1"
_LOG = "logs of Dai et al.'s scripts"
_COUNTED = "counted in the output of Dai et al.'s scripts"
_LISTS = "lists of Dai et al."
_W2NER = "W2NER and TOE, without repeated entities"
_DAI = "the paper of Dai et al."


class Figure(NamedTuple):
    """A published figure: "cadec", "share13" or "share14"; "train", "dev", "test" or "all"; the
    counted unit, the figure, and the publication."""

    corpus: str
    part: str
    name: str
    value: int | float | str
    source: str


def _figures(corpus: str, part: str, source: str, **values: int | float | str) -> list[Figure]:
    return [
        Figure(corpus, part, name.replace("_", " "), value, source)
        for name, value in values.items()
    ]


FIGURES = [
    *_figures("cadec", "all", _TABLE_1, documents=1250, sentences=7597, entities=6318),
    *_figures("cadec", "all", _TABLE_1, discontinuous=679, discontinuous_percent=10.75),
    *_figures("cadec", "all", _TABLE_1, gap_length="1-13"),
    *_figures("cadec", "all", _LOG, tokens=122938, surface_texts_that_differ=46),
    *_figures("cadec", "all", _LOG, boundaries_moved=4, dropped_across_sentences=0),
    *_figures("cadec", "train", _LISTS, documents=875),
    *_figures("cadec", "dev", _LISTS, documents=187),
    *_figures("cadec", "test", _LISTS, documents=188),
    *_figures("share13", "all", _TABLE_1, documents=299, sentences=18767, entities=11148),
    *_figures("share13", "all", _TABLE_1, discontinuous=1088, discontinuous_percent=9.76),
    *_figures("share13", "all", _TABLE_1, gap_length="1-7"),
    *_figures("share13", "all", _LOG, tokens=278942, whitespace_gaps_closed=5),
    *_figures("share13", "all", _LOG, dropped_across_sentences=13),
    *_figures("share13", "train", _LISTS, documents=180),
    *_figures("share13", "train", _COUNTED, entities=5146, discontinuous=581),
    *_figures("share13", "dev", _LISTS, documents=19),
    *_figures("share13", "dev", _COUNTED, entities=669, discontinuous=71),
    *_figures("share13", "test", _LOG, documents=100, sentences=9009, tokens=136783),
    *_figures("share13", "test", _COUNTED, entities=5333, discontinuous=436),
    *_figures("share13", "test", _LOG, whitespace_gaps_closed=1, dropped_across_sentences=7),
    *_figures("share14", "all", _TABLE_1, documents=431, sentences=34618, entities=19073),
    *_figures("share14", "all", _TABLE_1, discontinuous=1658, discontinuous_percent=8.69),
    *_figures("share14", "all", _TABLE_1, gap_length="1-7"),
    *_figures("share14", "train", _LISTS, documents=269),
    *_figures("share14", "dev", _LISTS, documents=29),
    *_figures("share14", "test", _TABLE_1, documents=133),
]
# figures of other publications
VARIANTS = [
    *_figures("cadec", "all", _W2NER, entities=6316),
    *_figures("share13", "all", _DAI, documents=298),
    *_figures("share14", "all", _DAI, documents=433),
    *_figures("share14", "all", _W2NER, sentences=34614, entities=19047),
]
CORPORA = tuple(dict.fromkeys(figure.corpus for figure in FIGURES))
# figures that are issues in the raw corpus, and the kind of issue
_KINDS = {
    "surface texts that differ": "surface text differs",
    "boundaries moved": "boundary moved to a token boundary",
    "whitespace gaps closed": "whitespace between fragments",
    "dropped across sentences": "entity crosses a sentence boundary",
}


def get_figures(corpus: str, part: str | None = None) -> list[Figure]:
    """Get the published figures of a corpus, or of a split. Raises a GapDNERError if there are
    none."""
    figures = [figure for figure in FIGURES if figure[:2] == (corpus, part or "all")]
    if not figures:
        raise GapDNERError(
            f"There are no published figures of {' '.join(filter(None, (corpus, part)))}. Use "
            f"{', '.join(CORPORA)}, and train, dev, test or no split."
        )
    return figures


def compare_figures(
    corpus: str, part: str | None, statistics: CorpusStatistics, report: Report | None = None
) -> list[dict[str, Any]]:
    """Compare a copy of a corpus with published figures. Converted data has no report.

    RETURNS (list[dict[str, Any]]): For each figure: `name`, `expected`, `found` (None if unknown),
        `result` ("same", "differs" or "unknown"), `source`, and `hint`, a possible reason for the
        difference.
    """
    counts = Counter[str]() if report is None else report.counts()
    gaps, documents = statistics.gap_lengths, statistics.documents
    counted: dict[str, int | float | str | None] = {
        "documents": None if documents is None else documents + counts["document without text"],
        "sentences": statistics.sentences,
        "tokens": statistics.tokens,
        "entities": statistics.entities,
        "discontinuous": statistics.discontinuous,
        "discontinuous percent": round(statistics.discontinuous_percent, 2),
        "gap length": f"{min(gaps)}-{max(gaps)}" if gaps else "none",
        **{name: None if report is None else counts[kind] for name, kind in _KINDS.items()},
    }
    checks = []
    for figure in get_figures(corpus, part):
        found, hint, result = counted[figure.name], "", "differs"
        if found is None or found == figure.value:
            result = "unknown" if found is None else "same"
        elif others := [v.source for v in VARIANTS if v[:3] == figure[:3] and v.value == found]:
            hint = f"same as {'; '.join(others)}"
        check = {"name": figure.name, "expected": figure.value, "found": found, "result": result}
        checks.append({**check, "source": figure.source, "hint": hint})
    return checks
