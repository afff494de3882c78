"""Define the arguments and options that several commands share."""

from functools import partial
from typing import Any, Literal

import typer

from ..components.sentencizer import LineBreaks as LineBreaks
from ._util import import_code, parse_output

OnError = Literal["stop", "skip"]

# options with a help text for each command
spans_key = partial(typer.Option, None, "--spans-key", "-sk")
output = partial(typer.Option, None, "--output", "-o", metavar="<path>", parser=parse_output)
format = partial(typer.Option, None, "--format", "-f")
lang = partial(typer.Option, "en", "--lang", "-l")

# typer derives the names of the other options from the parameters
MODEL: Any = typer.Argument(
    metavar="MODEL", help="Folder of a trained pipeline, or name of an installed package"
)
_ANY_FORMAT = "in any format that convert reads"
DATA: Any = typer.Argument(metavar="DATA", help=f"Data with gold entities {_ANY_FORMAT}")
INPUT: Any = typer.Argument(metavar="INPUT", help=f"Annotated data {_ANY_FORMAT}")
SPANS_KEY: Any = typer.Option(
    "gapdner", "--spans-key", "-sk", help="Prefix of the span groups with the entities"
)
GOLD_KEY: Any = spans_key(
    help="Prefix of the span groups with gold entities (default: the spans_key of the component)"
)
PIPE_KEY: Any = spans_key(help="The spans_key of the component, if the pipeline has several")
THRESHOLD: Any = typer.Option(None, min=0, max=1, help="Minimum score (default: the pipeline's)")
BATCH_SIZE: Any = typer.Option(None, min=1, help="Docs per batch (default: the pipeline's)")
GPU_ID: Any = typer.Option(-1, "--gpu-id", "-g", help="GPU ID, or -1 for CPU")
BF16: Any = typer.Option(False, "--bf16", help="Predict in bfloat16: faster, less precise")
ON_ERROR: Any = typer.Option("stop", help="If a document cannot be read: stop, or skip and list it")
_LINE_BREAKS = (
    "keep: line breaks end sentences; join: only empty lines end sentences; auto: join if the "
    "lines of a document look wrapped"
)
LINE_BREAKS_AUTO: Any = typer.Option("auto", help=_LINE_BREAKS)
LINE_BREAKS: Any = typer.Option(None, help=f"{_LINE_BREAKS} (default: set by the pipeline)")
SPLITTER: Any = typer.Option(None, help="Pipeline to tokenize and split texts, instead of --lang")
DATA_LANG: Any = typer.Option(
    None,
    "--lang",
    "-l",
    help="Language of the tokenizer (default: English, unless another one is clearly more likely)",
)
TYPES: Any = typer.Option(None, help="Comma-separated types to keep, e.g. ADR,Drug (default: all)")
FORCE: Any = typer.Option(False, "--force", "-F", help="Overwrite existing files")
HOST: Any = typer.Option("127.0.0.1", help="Address to listen on; 0.0.0.0 for all interfaces")
PORT: Any = typer.Option(5000, min=0, max=65535, help="Port to listen on; 0 for any free port")
CODE: Any = typer.Option(None, callback=import_code, help="Python file with registered functions")
