import json
import sys
import sysconfig
import venv
import zipfile
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
import srsly
from command_lines import invoke
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from spacy.tokens import DocBin
from tiny_pipeline import gold_docs, learn_by_heart

from project.release import __main__ as commands
from project.release.card import Encoder, choose_sentences, make_meta, write_card
from spacy_gapdner import GapDNERError, evaluate

ANNOTATED = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    ("Severe back or shoulder pain .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    ("Severe joint or back pain .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    ("He took aspirin twice .", [("Drug", (2, 3))]),
]
OUTPUT = """\
Severe joint and shoulder pain today .
    ADR | Severe joint ... pain
    ADR | Severe ... shoulder pain
"""


@pytest.fixture(scope="module")
def nlp():
    return learn_by_heart(ANNOTATED)


@pytest.fixture(scope="module")
def golds(nlp):
    return gold_docs(nlp.vocab, ANNOTATED)


run = partial(invoke, commands.app)


def test_card(nlp, golds):
    # two more gold entities, one of them discontinuous, that the pipeline does not predict
    text, entities = ANNOTATED[3]
    missed = gold_docs(nlp.vocab, [(text, [*entities, ("ADR", (0, 1), (3, 4)), ("ADR", (3, 4))])])
    test = [*golds[:3], *missed]
    scores = evaluate(nlp, test)
    encoder = Encoder("nlpie/distil-biobert", "MIT")
    settings = {"name": "trials", "version": "1.2.0", "author": "Ada", "url": "x.org"}
    meta = make_meta(nlp.meta, scores, encoder=encoder, **settings)
    assert [source["name"] for source in meta["sources"]] == ["Chia", "nlpie/distil-biobert"]
    assert meta["performance"]["spans_gapdner_disc_r"] == pytest.approx(6 / 7)
    augmenter = {"@augmenters": "spacy-gapdner.oversampling_augmenter.v1", "times": 2}
    nlp.config["corpora"]["train"]["augmenter"] = augmenter
    texts = choose_sentences(nlp, test, "gapdner")
    card = write_card(meta, scores, nlp, texts, train=golds, test=test, encoder=encoder)
    (front_matter,) = srsly.yaml_loads(card.split("---\n")[1])["model-index"]
    assert front_matter["results"][0]["metrics"][0]["value"] == pytest.approx(7 / 8)
    for part in (
        'spacy.load("en_trials")',
        OUTPUT,
        "| All entities | 100.0 | 77.8 | 87.5 | 9 |",
        "| Discontinuous entities | 100.0 | 85.7 | 92.3 | 7 |",
        "| `ADR` | 100.0 | 75.0 | 85.7 | 8 |",
        "| training | 4 | 24 | 7 | 6 |",
        "on 4 sentences (24 words)",
        "[nlpie/distil-biobert](https://huggingface.co/nlpie/distil-biobert). Its license: MIT.",
        "base_model: nlpie/distil-biobert",
        "Training reads sentences with discontinuous entities several times.",
        "Kury et al. 2020",
    ):
        assert part in card, part
    assert "None" not in card
    assert "{" not in card.replace("{{", "")


def test_too_few_correct_predictions(nlp, golds):
    with pytest.raises(GapDNERError, match=r"requires 3 test sentences .* but there are 2"):
        choose_sentences(nlp, golds[1:], "gapdner")


def install_offline(wheel, folder):
    """Uses the packages of this environment and the unpacked wheel, without downloads."""
    venv.create(folder)
    site = sysconfig.get_path("purelib", vars={"base": str(folder)})
    zipfile.ZipFile(wheel).extractall(site)
    paths = [path for path in sys.path if path.endswith("site-packages")]
    (Path(site) / "more.pth").write_text("\n".join([str(Path(__file__).parents[3]), *paths]))
    return folder / "bin" / "python"


@pytest.mark.slow
def test_make_and_check(nlp, golds, tmp_path, monkeypatch):
    nlp.to_disk(tmp_path / "tuned")
    DocBin(docs=golds).to_disk(tmp_path / "gold.spacy")
    (tmp_path / "scores.json").write_text(json.dumps(evaluate(nlp, golds)))
    release = tmp_path / "release"
    options = ("--name", "trials", "--version", "1.2.0")
    paths = [tmp_path / name for name in ("tuned", "scores.json")]
    data = [f"--{part}={tmp_path / 'gold.spacy'}" for part in ("train", "test")]
    result = run("make", *paths, release, *data, *options)
    # the card does not publish paths
    refused = run("make", *paths, release, *data, *options, "--encoder", tmp_path, exit_code=1)
    assert "is a directory. Specify the name of the transformer" in refused.output
    # the package can be built again
    (release / "old").touch()
    run("make", *paths, release, *data, *options)
    assert not (release / "old").exists()
    (wheel,) = release.glob("*.whl")
    assert wheel.name == "en_trials-1.2.0-py3-none-any.whl"
    meta = json.loads(zipfile.ZipFile(wheel).read("en_trials/meta.json"))
    assert f"spacy-gapdner>={version('spacy-gapdner')},<1.0.0" in meta["requirements"]
    monkeypatch.setattr(commands, "install", install_offline)
    result = run("check", release)
    assert OUTPUT in result.output
    card = release / "README.md"
    assert json.loads((release / "meta.json").read_text())["example"] in card.read_text()
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("en_trials-1.1.0-py3-none-any.whl", "en_other-1.1.0-py3-none-any.whl"):
        (assets / name).touch()
    run("bundle", release, assets)
    names = {"en_other-1.1.0-py3-none-any.whl", "en_trials.md", wheel.name}
    assert {path.name for path in assets.iterdir()} == names
    assert (assets / "en_trials.md").read_bytes() == card.read_bytes()
    card.write_text(card.read_text().replace("| Severe joint ... pain", "| joint ... pain"))
    result = run("check", release, exit_code=1)
    assert "The output of the code differs" in result.output


def test_upload(write, monkeypatch):
    calls = []
    for name in ("create_repo", "upload_folder"):
        monkeypatch.setattr(HfApi, name, lambda _, *args, **kwargs: calls.append((args, kwargs)))
    name, url = "en_trials-1.2.0-py3-none-any.whl", "http://localhost"
    files = {f"en_trials-1.2.0/{file}": "" for file in (name, "README.md")}
    folder = write(files) / "en_trials-1.2.0"
    result = run("upload", folder, "--repo", "ada/trials", "--endpoint", url)
    sent = {"repo_id": "ada/trials", "commit_message": "Upload en_trials-1.2.0"}
    assert calls == [(("ada/trials",), {"exist_ok": True}), ((), {"folder_path": folder, **sent})]
    assert f"{url}/ada/trials/resolve/main/{name}" in result.output


@pytest.mark.parametrize("error", [HFValidationError, OSError])
def test_upload_fails_with_one_line(write, monkeypatch, error):
    def refuse(*args, **kwargs):
        raise error("a reason")

    assert issubclass(HfHubHTTPError, OSError)
    monkeypatch.setattr(HfApi, "create_repo", refuse)
    result = run("upload", write({"README.md": "", "a.whl": ""}), "--repo", "a/b", exit_code=1)
    (line,) = result.output.strip().splitlines()
    assert "a reason" in line
