"""Arguments and options that commands share: one name, one letter and one meaning each."""

from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer

from ._util import clean_errors, import_code

LineBreaks = Literal["auto", "keep", "join"]
# what to do with a document that cannot be read
OnError = Literal["stop", "skip"]

# options of which each command says in its own words what they are for
spans_key = partial(typer.Option, None, "--spans-key", "-sk")
output = partial(typer.Option, None, "--output", "-o")
format = partial(typer.Option, None, "--format", "-f")
lang = partial(typer.Option, "en", "--lang", "-l")
examples = partial(typer.Option, 20, "--examples", "-e", min=0)

MODEL: Any = typer.Argument(
    ..., metavar="MODEL", help="Folder of a trained pipeline, or installed package"
)
DATA: Any = typer.Argument(
    ..., metavar="DATA", help="Gold entities: .spacy files, or anything that convert reads"
)
# of data alone, of data for a pipeline, of a pipeline alone
SPANS_KEY: Any = typer.Option(
    "gapdner", "--spans-key", "-sk", help="Prefix of the span groups that hold the entities"
)
GOLD_KEY: Any = spans_key(
    help="Prefix of the span groups with gold entities; the pipe's own if not given"
)
PIPE_KEY: Any = spans_key(help="Chooses the pipe where the pipeline has several")
THRESHOLD: Any = typer.Option(
    None,
    "--threshold",
    min=0,
    max=1,
    help="Drop entities that score lower; the pipe's own if not given",
)
BATCH_SIZE: Any = typer.Option(
    None, "--batch-size", min=1, help="Documents per batch; the pipeline's own if not given"
)
GPU_ID: Any = typer.Option(-1, "--gpu-id", "-g", help="GPU ID, or -1 for CPU")
BF16: Any = typer.Option(
    False, "--bf16", help="Predict in bfloat16: faster, with slightly different scores"
)
ON_ERROR: Any = typer.Option(
    "stop", "--on-error", help="Documents that cannot be read: stop, or skip and report them"
)
_LINE_BREAKS = (
    "keep: each ends a sentence; join: not those within wrapped text; auto: join where the lines "
    "of a document look wrapped"
)
LINE_BREAKS_AUTO: Any = typer.Option("auto", "--line-breaks", help=_LINE_BREAKS)
# of a pipeline
LINE_BREAKS: Any = typer.Option(
    None, "--line-breaks", help=f"{_LINE_BREAKS}; the pipeline's own if not given"
)
SPLITTER: Any = typer.Option(
    None, "--model", help="Pipeline whose tokenizer and sentences to take instead of --lang's"
)
TYPES: Any = typer.Option(
    None, "--types", help="Entity types to keep of the data, e.g. ADR,Drug; all if not given"
)
HOST: Any = typer.Option(
    "127.0.0.1", "--host", help="Address to listen at; 0.0.0.0 for all of the machine's"
)
PORT: Any = typer.Option(
    5000, "--port", min=0, max=65535, help="Port to listen at; 0 for any that is free"
)


def _import_code(path: Path | None) -> Path | None:
    with clean_errors():
        import_code(path)
    return path


# a command that takes it needs nothing else: the file is imported before the command runs
CODE: Any = typer.Option(
    None,
    "--code",
    help="Python file that registers what is your own, such as a tagging scheme or a format",
    callback=_import_code,
)
