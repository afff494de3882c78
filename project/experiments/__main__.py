"""The commands ``python -m project.experiments ...``."""

from pathlib import Path

import typer
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import StoppedError, clean_errors, clean_stops, fail, split_list
from spacy_gapdner.formats.docbin import read_docbin, require_docbins
from spacy_gapdner.formats.outputs import replacing, write_json
from spacy_gapdner.loading import load_model

from ..tables import print_table
from .compare import compare
from .paired_bootstrap import paired_bootstrap
from .runs import Run
from .spacy_pipes import PIPES, is_trained, make_config, make_table, score, train_pipe
from .summary import PARTS, seed_table
from .train_seeds import train_seeds
from .training import MODEL_BEST

app = typer.Typer(
    name="project.experiments",
    help="Trainings with several seeds, and tables of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


# spaCy's commands take settings of the config as options
@app.command(
    "train-seeds", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def train_seeds_cli(
    context: typer.Context,
    config_path: Path = typer.Argument(..., metavar="CONFIG", help="Training config"),
    output_path: Path = typer.Argument(
        ..., metavar="OUTPUT", help="Folder that takes a folder per seed"
    ),
    name: str = typer.Option(..., help="Name of the runs in tables, e.g. GapDNER"),
    seeds: str = typer.Option("0,1,2,3,4", help="Seeds, with commas between them"),
    test_path: Path | None = typer.Option(
        None, "--test", help=".spacy file, or folder of such, to report scores on; never to choose"
    ),
    keep_models: bool = typer.Option(
        True, "--keep-models/--no-keep-models", help="Keep the best model of every seed"
    ),
    code: Path | None = CODE,
    gpu_id: int = GPU_ID,
) -> None:
    """Train with several seeds and record every run.

    Each seed has a process of its own. The model that is best on the development data is
    evaluated, and the run recorded in a run.json. Settings of the config can be given as options,
    as for spacy train. Runs that are complete are not repeated."""
    overrides = parse_config_overrides(list(context.args))
    try:
        # a signal by itself would end this process alone and leave the training running
        with clean_stops(), clean_errors():
            runs, errors = train_seeds(
                config_path,
                output_path,
                name=name,
                seeds=_parse_seeds(seeds),
                overrides=overrides,
                test_path=test_path,
                keep_models=keep_models,
                code=code,
                gpu_id=gpu_id,
            )
    except StoppedError as stop:
        raise typer.Exit(stop.exit_code) from None
    if runs:
        _print_runs(runs)
    if errors:
        fail(" ".join(f"Seed {seed}: {error}" for seed, error in errors.items()))


@app.command("compare")
def compare_cli(
    folders: list[Path] = typer.Argument(
        ..., help="Folders with runs of train-seeds, at any depth"
    ),
    published: str | None = typer.Option(
        None, help="table2 or table3: the paper's numbers next to the measured ones"
    ),
    markdown_path: Path | None = typer.Option(None, "--markdown", help="File for the tables"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the numbers"),
) -> None:
    """Print the scores of recorded runs side by side.

    Means and standard deviations over seeds, grouped by name, and the differences to the first
    name."""
    with clean_errors():
        found = compare(folders, published=published)
        if markdown_path is not None:
            text = "\n".join(table.to_markdown() for table in found.tables)
            with replacing(markdown_path) as temporary:
                temporary.write_text(text, encoding="utf8")
        if json_path is not None:
            write_json({"groups": found.groups, "warnings": found.warnings}, json_path)
    for table in found.tables:
        print_table(table)
    for warning in found.warnings:
        msg.warn(warning)


@app.command("bootstrap")
def bootstrap_cli(
    first: Path = typer.Argument(..., metavar="FIRST", help="Folder with runs of train-seeds"),
    second: Path = typer.Argument(..., metavar="SECOND", help="Folder with the others"),
    data_path: Path = typer.Option(
        ..., "--data", help=".spacy file, or folder of such, to score on"
    ),
    tune_path: Path | None = typer.Option(
        None, "--tune", help="Development data to tune every model on before"
    ),
    n_resamples: int = typer.Option(1000, "--n", min=1, help="How often documents are sampled"),
    code: Path | None = CODE,
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the tables"),
) -> None:
    """Compute which differences between two groups of runs are significant.

    Scores their kept models, and samples documents with replacement, the same ones for all: a
    paired bootstrap of the difference in mean F1."""
    with clean_errors():
        tables = paired_bootstrap(
            first, second, data_path, tune_on=tune_path, n_resamples=n_resamples
        )
        if json_path is not None:
            write_json([table._asdict() for table in tables], json_path)
    for table in tables:
        print_table(table)


@app.command("spacy-pipes")
def spacy_pipes_cli(
    output_path: Path = typer.Argument(..., metavar="OUTPUT", help="Folder for the pipelines"),
    models: list[str] = typer.Argument(None, help="Pipelines of ours to score as well"),
    transformer: str = typer.Option(..., help="Name on the Hugging Face hub, or a directory"),
    train_path: Path = typer.Option(..., "--train", help="Training data: .spacy file or folder"),
    dev_path: Path = typer.Option(..., "--dev", help="Data that chooses the best model"),
    test_path: Path = typer.Option(..., "--test", help="Data to report scores on"),
    steps: int = typer.Option(1200, min=1, help="Batches of 12 sentences to train on"),
    eval_frequency: int = typer.Option(200, min=1, help="Batches between evaluations on --dev"),
    rate: float = typer.Option(5e-5, help="Highest learning rate; spaCy recommends 5e-5"),
    seed: int = typer.Option(0, min=0, help="Seed of the trainings"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the table"),
    gpu_id: int = GPU_ID,
) -> None:
    """Train spaCy's own ner and spancat, and score them next to pipelines of ours.

    Both learn from contiguous entities, ner from those that do not overlap. The configs are those
    of spacy init config. Pipelines that are already in OUTPUT are not trained again."""
    with clean_stops(), clean_errors():
        for pipe in PIPES:
            if not is_trained(output_path / pipe):
                msg.divider(pipe)
                config = make_config(
                    pipe,
                    transformer,
                    steps=steps,
                    rate=rate,
                    seed=seed,
                    eval_frequency=eval_frequency,
                )
                train_pipe(config, output_path / pipe, train_path, dev_path, gpu_id)
        found = {}
        for model in (*(str(output_path / pipe / MODEL_BEST) for pipe in PIPES), *(models or ())):
            nlp = load_model(model)
            golds = (d for file in require_docbins(test_path) for d in read_docbin(file, nlp.vocab))
            found[model] = score(nlp, golds)
        table = make_table(found)
        if json_path is not None:
            write_json(table._asdict(), json_path)
    print_table(table)


def _print_runs(runs: list[Run]) -> None:
    for part in PARTS:
        if all(part in run.scores for run in runs):
            print_table(seed_table(runs, part))
    steps = ", ".join(f"{run.seed}: {run.selected['step']}" for run in runs)
    print(f"Steps of the best models on dev, by seed: {steps}")


def _parse_seeds(text: str) -> list[int]:
    try:
        seeds = [int(seed) for seed in split_list(text)]
    except ValueError:
        seeds = []
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        fail(f"Invalid --seeds: {text}. Use different numbers such as 0,1,2.")
    return seeds


if __name__ == "__main__":
    app(prog_name="python -m project.experiments")
