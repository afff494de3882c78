"""Run the commands ``python -m project.release``."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import srsly
import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Config
from wasabi import msg

from spacy_gapdner.cli._util import clean_errors
from spacy_gapdner.components.pipelines import load_model
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.formats.files import read_json, require_file
from spacy_gapdner.formats.outputs import check_output, filling

from .card import Encoder, choose_sentences, make_meta, write_card
from .wheel import build_wheel, check_card, install

app = typer.Typer(
    name="project.release",
    help="Publish pipelines.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
FOLDER = typer.Argument(..., metavar="RELEASE", help="Folder written by `make`")


@app.command("make")
def make_cli(
    pipeline: Path = typer.Argument(..., help="Folder of the trained pipeline"),
    scores_path: Path = typer.Argument(..., metavar="SCORES", help="JSON of `gapdner evaluate`"),
    output: Path = typer.Argument(..., help="Folder for the release"),
    train_path: Path = typer.Option(..., "--train", help="Training data, a .spacy file"),
    test_path: Path = typer.Option(..., "--test", help="Test data of the scores, a .spacy file"),
    name: str = typer.Option(..., help="Name of the package, without the language"),
    version: str = typer.Option(..., help="Version of the package"),
    encoder_name: str = typer.Option("", "--encoder", help="Name of the transformer on the hub"),
    encoder_license: str = typer.Option("see its page", help="License of the transformer"),
    author: str = typer.Option("", help="Author of the package"),
    url: str = typer.Option("", help="Home page of the package"),
) -> None:
    """Write a release: a folder with the pipeline, its model card and its wheel."""
    with clean_errors():
        for path in (pipeline / "meta.json", scores_path, train_path, test_path):
            require_file(path)
        if encoder_name and Path(encoder_name).is_dir():
            raise GapDNERError(
                f"{encoder_name} is a directory. Specify the name of the transformer on the hub "
                "with --encoder (--vars.encoder of release-trf)."
            )
        check_output(output, {"pipeline": pipeline}, force=True, is_file=False)
        if output.exists():
            # raises an error for other folders
            _find_wheel(output)
        nlp, scores = load_model(pipeline), read_json(scores_path)
        if not isinstance(scores, dict) or "spans_key" not in scores:
            raise GapDNERError(f"{scores_path} is not the --output of gapdner evaluate.")
        if not encoder_name and "transformer" in nlp.pipe_names:
            raise GapDNERError("Specify the name of the transformer on the hub with --encoder.")
        config = Config().from_disk(pipeline / "config.cfg", interpolate=False)
        encoder = Encoder(encoder_name, encoder_license) if encoder_name else None
        meta = make_meta(
            srsly.read_json(pipeline / "meta.json"),
            scores,
            name=name,
            version=version,
            encoder=encoder,
            author=author,
            url=url,
        )
        test = _read(test_path)
        texts = choose_sentences(nlp, test, scores["spans_key"])
        # the page of serve begins with it
        meta["example"] = texts[0]
        train = _read(train_path)
        card = write_card(meta, scores, nlp, texts, train=train, test=test, encoder=encoder)
        if encoder:
            # do not publish a path of this machine
            config["vars"]["transformer"] = encoder.name
        with filling(output) as folder:
            shutil.copytree(pipeline, folder, dirs_exist_ok=True)
            config.to_disk(folder / "config.cfg")
            srsly.write_json(folder / "meta.json", meta)
            (folder / "README.md").write_text(card, encoding="utf8")
            wheel = build_wheel(folder, folder)
            shutil.rmtree(output, ignore_errors=True)
    msg.good(f"Release: {output}", f"{wheel.name}, {output / 'README.md'}")


@app.command("check")
def check_cli(release: Path = FOLDER) -> None:
    """Install the wheel in a new virtual environment, and run the code of the model card there."""
    with clean_errors(), TemporaryDirectory() as folder:
        wheel = _find_wheel(release)
        msg.info(f"Installing {wheel.name} and this package in a new virtual environment")
        print(check_card(release / "README.md", install(wheel, Path(folder))))
    msg.good("The installed pipeline finds the entities of its model card.")


@app.command("bundle")
def bundle_cli(
    release: Path = FOLDER,
    folder: Path = typer.Argument(..., help="Folder for the wheel and its card"),
) -> None:
    """Copy the wheel and the model card of a release, and delete older versions of the wheel."""
    with clean_errors():
        wheel = _find_wheel(release)
        package = wheel.name.partition("-")[0]
        for old in folder.glob(f"{package}-*.whl"):
            old.unlink()
        shutil.copy(wheel, folder)
        shutil.copy(release / "README.md", folder / f"{package}.md")
    msg.good(f"{folder / wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


@app.command("upload")
def upload_cli(
    release: Path = FOLDER,
    repo: str = typer.Option(..., help="OWNER/NAME on the Hugging Face hub. Created if missing"),
    endpoint: str | None = typer.Option(
        None, help="URL of a proxy of huggingface.co. For another hub, set HF_ENDPOINT"
    ),
) -> None:
    """Upload a release to the Hugging Face hub.

    Requires the `hub` extra. Log in with `hf auth login`, or set HF_TOKEN."""
    with clean_errors():
        wheel = _find_wheel(release)
        from huggingface_hub import HfApi

        api = HfApi(endpoint=endpoint)
        try:
            api.create_repo(repo, exist_ok=True)
            api.upload_folder(
                folder_path=release, repo_id=repo, commit_message=f"Upload {release.name}"
            )
        # invalid repository name
        except ValueError as error:
            raise GapDNERError(str(error)) from error
    page = f"{api.endpoint}/{repo}"
    msg.good(f"Uploaded: {page}")
    print(f"Install spacy-gapdner, then: pip install {page}/resolve/main/{wheel.name}")


def _read(path: Path) -> list[Doc]:
    return list(read_docbin(path, Vocab()))


def _find_wheel(release: Path) -> Path:
    wheels = list(release.glob("*.whl"))
    if len(wheels) != 1 or not (release / "README.md").is_file():
        raise GapDNERError(
            f"{release} is not a release. Choose a folder that the command make wrote."
        )
    return wheels[0]


if __name__ == "__main__":
    app(prog_name="python -m project.release")
