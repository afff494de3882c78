import dataclasses

import pytest
from recorded_runs import make_run, set_value

from project.experiments.comparable import find_differences, list_differences
from project.experiments.compare import group_runs

OTHER_DATA = {**make_run().data, "dev": [{"name": "dev.spacy", "sha256": "0123456789"}]}


@pytest.mark.parametrize(
    ("name", "changes", "warning"),
    [
        ("W2NER", {"components.gapdner.model.bilstm": False}, None),
        ("W2NER", {"training.max_steps": 7}, "max_steps 100 (GapDNER) / 7 (W2NER)."),
        ("GapDNER", {"components.gapdner.model.bilstm": False}, "runs of GapDNER have different"),
        ("W2NER", {"data": OTHER_DATA}, "devdevde (GapDNER) / dev.spacy 01234567 (W2NER)."),
        ("W2NER", {"device": {"gpu": "H200"}}, "devices: x86_64 (GapDNER) / H200 (W2NER)."),
    ],
)
def test_what_makes_runs_incomparable(name, changes, warning):
    fields = {field: changes[field] for field in ("data", "device") if field in changes}
    other = make_run(name, 1, **fields)
    for setting in changes.keys() - fields.keys():
        config = set_value(other.config, setting, changes[setting])
        other = dataclasses.replace(other, config=config)
    warnings = find_differences(group_runs([make_run(), other]))
    assert len(warnings) == (warning is not None)
    assert all(warning in line for line in warnings)


def test_the_same_run_elsewhere():
    """The contents of the data count, not where they are."""
    run = make_run()
    config = set_value(run.config, "paths.train", "elsewhere/train.spacy")
    data = {
        part: [{**file, "name": "other.spacy"} for file in files]
        for part, files in run.data.items()
    }
    assert list_differences(run, "GapDNER", config, data) == ""
