"""List the results of the GapDNER paper."""

from typing import NamedTuple


class Published(NamedTuple):
    """A table of the paper: its number, the measures for each corpus, and the scores of each model
    on the first corpus, then on the second, and so on. "-" for missing scores."""

    title: str
    measures: tuple[str, ...]
    rows: dict[str, list[str]]


def _parse(text: str, n_scores: int) -> dict[str, list[str]]:
    lines = (line.rsplit(maxsplit=n_scores) for line in text.strip().splitlines())
    return {name: scores for name, *scores in lines}


CORPORA = ("CADEC", "ShARe13", "ShARe14")
# W2NER and TOE were reproduced by the authors of the paper
_TABLE_2 = """
BIOHD       67.80 64.99 66.36  -     -     -      -     -     -
Corro       -     -     72.90  -     -     82.10  -     -     81.80
JointNER    -     -     69.90  -     -     82.50  -     -     -
BartNER     70.08 71.21 70.64  82.09 77.42 79.69  77.20 83.75 80.34
MAPtr       75.50 71.80 72.40  87.90 77.20 80.30  -     -     -
Debias-DDA  71.35 71.86 71.60  81.09 78.13 79.58  77.88 83.77 80.72
Debias-CSL  72.33 71.01 71.66  81.86 78.48 80.14  78.68 83.63 81.01
LLaMA2-13B  -     -     -      -     -     76.87  -     -     77.54
LLaMA-7B    -     -     47.10  -     -     -      -     -     -
SegHyper    72.10 48.40 58.00  83.80 60.40 70.30  79.10 70.70 74.70
TBM         68.90 69.00 69.00  80.50 75.00 77.70  78.10 81.20 79.60
MAC         70.50 72.50 71.50  84.30 78.20 81.20  78.20 84.70 81.30
W2NER       74.52 70.91 72.67  85.05 79.92 82.41  79.04 84.30 81.58
TOE         76.23 69.60 72.77  86.54 78.38 82.26  79.76 84.07 81.86
GapDNER     74.48 72.83 73.65  85.52 80.39 82.87  81.36 84.13 82.72
"""
_TABLE_3 = """
GapDNER                    73.65  82.87  82.72
w/o BiLSTM                 73.47  82.63  82.44
w/o Biaffine               71.85  80.92  81.30
w/o Linear Attention       71.68  81.35  81.13
w/o Criss-cross Attention  72.53  82.11  81.79
"""

PUBLISHED = {
    "table2": Published("Table 2", ("P", "R", "F"), _parse(_TABLE_2, 9)),
    "table3": Published("Table 3", ("F",), _parse(_TABLE_3, 3)),
}
