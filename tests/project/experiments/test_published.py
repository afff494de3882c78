import pytest

from project.experiments.published import PUBLISHED

# the decreases of F that Table 3 states itself
DECREASES = {
    "w/o BiLSTM": (0.18, 0.24, 0.28),
    "w/o Biaffine": (1.80, 1.95, 1.42),
    "w/o Linear Attention": (1.97, 1.52, 1.59),
    "w/o Criss-cross Attention": (1.12, 0.76, 0.93),
}


def test_f_follows_from_p_and_r():
    """Means over seeds keep nearly to the formula; of MAPtr, what was published does not."""
    for name, scores in PUBLISHED["table2"].rows.items():
        for p, r, f in (scores[:3], scores[3:6], scores[6:]):
            if p is not None and name != "MAPtr":
                assert f == pytest.approx(2 * p * r / (p + r), abs=0.15), name


def test_table_3():
    rows = PUBLISHED["table3"].rows
    full = rows["GapDNER"]
    assert list(rows) == ["GapDNER", *DECREASES]
    for name, decreases in DECREASES.items():
        found = [a - b for a, b in zip(full, rows[name], strict=True)]
        assert found == pytest.approx(decreases)
