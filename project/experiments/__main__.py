"""The commands ``python -m project.experiments``."""

from pathlib import Path

import typer
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import clean_errors, clean_stops, fail, split_list
from spacy_gapdner.components.pipelines import load_model
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.formats.outputs import replacing, write_json

from ..docbins import require_docbins
from .compare import compare
from .paired_bootstrap import paired_bootstrap
from .spacy_pipes import PIPES, is_trained, make_config, make_table, score, train_pipe
from .summary import PARTS, seed_table
from .train_seeds import train_seeds
from .training import MODEL_BEST

app = typer.Typer(
    name="project.experiments",
    help="Train with several seeds, and compare the results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


# spaCy's commands also accept config settings as options
@app.command(
    "train-seeds", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def train_seeds_cli(
    context: typer.Context,
    config_path: Path = typer.Argument(..., metavar="CONFIG", help="Training config"),
    output_path: Path = typer.Argument(
        ..., metavar="OUTPUT", help="Output folder, with a subfolder per seed"
    ),
    name: str = typer.Option(..., help="Name of the runs in tables, e.g. GapDNER"),
    seeds: str = typer.Option("0,1,2,3,4", help="Comma-separated seeds"),
    test_path: Path | None = typer.Option(
        None, "--test", help=".spacy file, or folder of such files, for the reported scores"
    ),
    keep_models: bool = typer.Option(
        True, "--keep-models/--no-keep-models", help="Keep the best model of each seed"
    ),
    code: Path | None = CODE,
    gpu_id: int = GPU_ID,
) -> None:
    """Train with several seeds, and record the runs.

    Each seed is trained in a separate process. The best model on the development data is
    evaluated, and the run is recorded in run.json. Override config settings with options, as in
    spacy train. Completed runs are not repeated."""
    overrides = parse_config_overrides(list(context.args))
    # without clean_stops, a signal would leave the training process running
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
    if runs:
        for part in (part for part in PARTS if all(part in run.scores for run in runs)):
            seed_table(runs, part).print()
        steps = ", ".join(f"{run.seed}: {run.selected['step']}" for run in runs)
        print(f"Steps of the best models on dev, by seed: {steps}")
    if errors:
        fail(" ".join(f"Seed {seed}: {error}" for seed, error in errors.items()))


@app.command("compare")
def compare_cli(
    folders: list[Path] = typer.Argument(
        ..., help="Folders that contain runs of train-seeds, also in subfolders"
    ),
    published: str | None = typer.Option(None, help="Table of the paper to add: table2 or table3"),
    markdown_path: Path | None = typer.Option(None, "--markdown", help="File for the tables"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the statistics"),
) -> None:
    """Compare the scores of recorded runs.

    Prints means and standard deviations over seeds for each name, and the differences from the
    runs with the first name."""
    with clean_errors():
        tables, warnings, statistics = compare(folders, published=published)
        if markdown_path is not None:
            text = "\n".join(table.to_markdown() for table in tables)
            with replacing(markdown_path) as temporary:
                temporary.write_text(text, encoding="utf8")
        write_json({"groups": statistics, "warnings": warnings}, json_path)
    for table in tables:
        table.print()
    for warning in warnings:
        msg.warn(warning)


@app.command("bootstrap")
def bootstrap_cli(
    first: Path = typer.Argument(..., metavar="FIRST", help="Folder with runs of train-seeds"),
    second: Path = typer.Argument(..., metavar="SECOND", help="Folder with the other runs"),
    data_path: Path = typer.Option(
        ..., "--data", help=".spacy file, or folder of such files, to evaluate on"
    ),
    tune_path: Path | None = typer.Option(
        None, "--tune", help="Data on which each model is tuned before the evaluation"
    ),
    by_document: bool = typer.Option(
        False, "--by-document", help="Sample complete documents instead of Docs, such as sentences"
    ),
    n_resamples: int = typer.Option(1000, "--n", min=1, help="Number of samples"),
    code: Path | None = CODE,
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the tables"),
) -> None:
    """Compute confidence intervals for the differences between two groups of runs.

    Evaluates the best models on documents sampled with replacement. Each sample is the same for all
    models (paired bootstrap)."""
    with clean_errors():
        tables = paired_bootstrap(
            first,
            second,
            data_path,
            tune_on=tune_path,
            by_document=by_document,
            n_resamples=n_resamples,
        )
        write_json([table._asdict() for table in tables], json_path)
    for table in tables:
        table.print()


@app.command("spacy-pipes")
def spacy_pipes_cli(
    output_path: Path = typer.Argument(..., metavar="OUTPUT", help="Folder for the pipelines"),
    models: list[str] = typer.Argument(None, help="Other pipelines to score"),
    transformer: str = typer.Option(..., help="Name on the Hugging Face hub, or a directory"),
    train_path: Path = typer.Option(..., "--train", help="Training data: .spacy file or folder"),
    dev_path: Path = typer.Option(..., "--dev", help="Data to select the best model"),
    test_path: Path = typer.Option(..., "--test", help="Data for the reported scores"),
    steps: int = typer.Option(1200, min=1, help="Number of training batches of 12 sentences"),
    eval_frequency: int = typer.Option(200, min=1, help="Batches between evaluations on --dev"),
    rate: float = typer.Option(5e-5, help="Maximum learning rate. spaCy recommends 5e-5"),
    seed: int = typer.Option(0, min=0, help="Seed of the training"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the table"),
    gpu_id: int = GPU_ID,
) -> None:
    """Train spaCy's ner and spancat, and compare their scores with those of other pipelines.

    Both learn from contiguous entities, ner only from those that do not overlap. The configs are
    those of spacy init config. Pipelines that are already in OUTPUT are not trained again."""
    with clean_stops(), clean_errors():
        for pipe in (pipe for pipe in PIPES if not is_trained(output_path / pipe)):
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
        write_json(table._asdict(), json_path)
    table.print()


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
