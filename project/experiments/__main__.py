"""Run the commands ``python -m project.experiments``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from spacy_gapdner.cli._options import CODE, GPU_ID
from spacy_gapdner.cli._util import clean_errors, clean_stops, fail, split_list
from spacy_gapdner.components.pipelines import load_model
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.formats.outputs import check_output, replacing, write_json
from spacy_gapdner.inference.workarounds import apply_workarounds

from ..docbins import require_docbins
from ..tables import Table
from .compare import compare
from .cross_validation import is_complete, make_tasks, run_fold, run_tasks
from .fold_tables import make_tables
from .folds import make_folds
from .paired_bootstrap import paired_bootstrap
from .runs import RUN_FILE, read_run
from .spacy_pipes import PIPES, is_trained, make_config, make_table, score, train_pipe
from .summary import PARTS, seed_table
from .train_seeds import train_seeds
from .training import MODEL_BEST
from .variants import read_variants

app = typer.Typer(
    name="project.experiments",
    help="Train with several seeds, and compare the results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def main() -> None:
    # reads Docs several times as fast
    apply_workarounds()


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
            seeds=_parse_numbers(seeds, "--seeds"),
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
        _write_markdown(tables, markdown_path)
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


@app.command(
    "cross-validate", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def cross_validate_cli(
    context: typer.Context,
    variants_path: Path = typer.Argument(
        ..., metavar="VARIANTS", help="File with the variants, e.g. project/experiments/cpu.cfg"
    ),
    output_path: Path = typer.Argument(..., metavar="OUTPUT", help="Folder for data and runs"),
    data: list[Path] = typer.Option(..., help=".spacy file with all documents; can be repeated"),
    names: str = typer.Option("", "--variants", help="Comma-separated names (default: all)"),
    n_folds: int = typer.Option(5, "--folds", min=2, help="Number of folds"),
    fold_numbers: str = typer.Option(
        "", "--only", help="Comma-separated numbers of the folds to run, from 0 (default: all)"
    ),
    separator: str | None = typer.Option(
        None, help="Documents whose names are equal up to this text belong to the same document"
    ),
    jobs: int = typer.Option(1, min=1, help="Number of trainings at a time"),
    n_resamples: int = typer.Option(1000, "--n", min=1, help="Number of bootstrap samples"),
    train: bool = typer.Option(True, "--train/--no-train", help="Train what is missing"),
    keep_models: bool = typer.Option(False, "--keep-models", help="Keep the trained pipelines"),
    code: Path | None = CODE,
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the tables"),
    markdown_path: Path | None = typer.Option(None, "--markdown", help="File for the tables"),
    gpu_id: int = GPU_ID,
) -> None:
    """Compare variants of training configs by cross-validation.

    Each variant is trained once per fold, on the documents of the other folds, and scored on the
    documents of the fold. The weights after the last batch are used. Completed trainings are not
    repeated.
    Override config settings of all variants with options, as in spacy train."""
    overrides = parse_config_overrides(list(context.args))
    with clean_stops(), clean_errors():
        check_output(output_path, {}, force=True, is_file=False)
        for path in (json_path, markdown_path):
            check_output(path, {"VARIANTS": variants_path}, force=True)
        numbers = _parse_numbers(fold_numbers, "--only") if fold_numbers else [*range(n_folds)]
        if max(numbers) >= n_folds:
            fail(f"Invalid --only: {fold_numbers}. Use numbers from 0 to {n_folds - 1}.")
        variants = read_variants(variants_path, split_list(names), overrides)
        folds = make_folds(data, output_path / "data", n_folds, separator)
        tasks = make_tasks(variants, folds, numbers, output_path)
        if train:
            how: dict[str, Any] = {"keep_models": keep_models, "gpu_id": gpu_id, "code": code}
            run_tasks(tasks, jobs=jobs, **how)
        if missing := [task.title for task in tasks if not is_complete(task)]:
            msg.warn(f"Not in the tables: {'; '.join(missing)}")
        complete = [task for task in tasks if is_complete(task)]
        if not complete:
            fail("No training is complete.")
        if len(commits := {read_run(task.folder / RUN_FILE).commit for task in complete}) > 1:
            msg.warn(f"The trainings are from different commits: {', '.join(map(str, commits))}")
        by_variant = {v.name: [task for task in complete if task.variant is v] for v in variants}
        tables = make_tables(by_variant, folds, n_resamples)
        write_json([table._asdict() for table in tables], json_path)
        _write_markdown(tables, markdown_path)
    for table in tables:
        table.print()


@app.command("run-fold", hidden=True)
def run_fold_cli(
    folder: Path, keep_models: bool = False, code: Path | None = CODE, gpu_id: int = GPU_ID
) -> None:
    """Run one training of cross-validate."""
    with clean_stops(), clean_errors():
        run_fold(folder, keep_model=keep_models, gpu_id=gpu_id)


@app.command("spacy-pipes")
def spacy_pipes_cli(
    output_path: Path = typer.Argument(..., metavar="OUTPUT", help="Folder for the pipelines"),
    models: list[str] = typer.Argument(None, help="Other pipelines to score"),
    transformer: str = typer.Option(
        "", help="Name on the Hugging Face hub, or a directory. No transformer by default"
    ),
    train_path: Path = typer.Option(..., "--train", help="Training data: .spacy file or folder"),
    dev_path: Path = typer.Option(..., "--dev", help="Data to select the best model"),
    test_path: Path = typer.Option(..., "--test", help="Data for the reported scores"),
    steps: int = typer.Option(
        1200, min=1, help="Number of training batches of 12 sentences, or 24 without a transformer"
    ),
    eval_frequency: int = typer.Option(200, min=1, help="Batches between evaluations on --dev"),
    rate: float = typer.Option(
        5e-5, help="Maximum learning rate with a transformer. spaCy recommends 5e-5"
    ),
    seed: int = typer.Option(0, min=0, help="Seed of the training"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the table"),
    gpu_id: int = GPU_ID,
) -> None:
    """Train spaCy's ner and spancat, and compare their scores with other pipelines.

    Both learn from contiguous entities, ner only from entities that do not overlap. The configs
    come from spacy init config. Pipelines that are already in OUTPUT are not trained again."""
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


def _write_markdown(tables: Sequence[Table], path: Path | None) -> None:
    if path is not None:
        text = "\n".join(table.to_markdown() for table in tables)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf8")


def _parse_numbers(text: str, option: str) -> list[int]:
    try:
        numbers = [int(number) for number in split_list(text)]
    except ValueError:
        numbers = []
    if not numbers or len(set(numbers)) < len(numbers) or min(numbers) < 0:
        fail(f"Invalid {option}: {text}. Use different numbers such as 0,1,2.")
    return numbers


if __name__ == "__main__":
    app(prog_name="python -m project.experiments")
