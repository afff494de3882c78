"""The model card of the pipeline that the workflow `pretrained` makes."""

import pytest
import srsly
import typer
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs, trained_pipeline
from typer.testing import CliRunner

from project.scripts.describe_pipeline import main
from spacy_gapdner import evaluate
from spacy_gapdner.formats.outputs import write_json

APP = typer.Typer()
APP.command()(main)


def test_the_card(tmp_path):
    nlp = trained_pipeline()
    nlp.to_disk(tmp_path / "tuned")
    # two of three discontinuous entities are right
    text, entities = ANNOTATED[0]
    gold = [(text, [*entities, ("ADR", (0, 1), (5, 6))]), *ANNOTATED[1:]]
    write_json(evaluate(nlp, gold_docs(Vocab(), gold)), tmp_path / "scores.json")
    paths = [str(tmp_path / name) for name in ("tuned", "scores.json", "new")]
    options = ("--author", "Ada", "--url", "https://x.org/y", "--ontologies", "CL,GO_BP")
    result = CliRunner().invoke(APP, [*paths, *options, "--encoder", "nlpie/distil-biobert"])
    assert result.exit_code == 0, result.output
    meta = srsly.read_json(tmp_path / "new" / "meta.json")
    assert (meta["name"], meta["version"]) == ("craft_gapdner", "0.1.0")
    # five of six gold entities are found, and nothing else
    performance = meta["performance"]
    assert performance["spans_gapdner_p"] == 1.0
    assert performance["spans_gapdner_r"] == pytest.approx(5 / 6)
    assert performance["spans_gapdner_disc_r"] == pytest.approx(2 / 3)
    assert [source["name"] for source in meta["sources"]] == [
        "CRAFT v5: concept annotation of full-text biomedical articles",
        "nlpie/distil-biobert",
    ]
    card = (tmp_path / "new" / "README.md").read_text(encoding="utf8")
    for part in (
        "[Ada](https://x.org/y)",
        'spacy.load("en_craft_gapdner")',
        "CL, GO_BP concepts",
        "on 4 sentences (22 words) of CRAFT's development articles",
        "| `ADR` | 100.0 | 75.0 | 85.7 | 4 |",
        "has a license of its own: MIT (https://huggingface.co/nlpie/distil-biobert)",
    ):
        assert part in card, part
    assert "{" not in card
