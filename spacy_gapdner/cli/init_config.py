"""init-config: create a training config."""

import shlex
from pathlib import Path
from typing import Literal

import typer

from . import _options as options
from ._util import msg, print_line


def init_config_cli(
    output_path: Path = typer.Argument(metavar="OUTPUT", help="Config to save, or - for stdout"),
    lang: str = options.lang(help="Language code"),
    gpu: bool = typer.Option(False, "--gpu", "-G", help="Optimize for training on a GPU"),
    optimize: Literal["speed", "accuracy"] = typer.Option(
        "speed", help="Optimize for speed or accuracy; on a CPU, speed means no transformer"
    ),
    transformer: str | None = typer.Option(
        None, help="Hugging Face name or directory of a transformer, or 'none' for no transformer"
    ),
    spans_key: str = options.SPANS_KEY,
    force: bool = options.FORCE,
) -> None:
    """Create a complete training config.

    On a GPU or for accuracy, the pipeline uses a pretrained transformer. See configs/README.md for
    a comparison of transformers."""
    from thinc.api import Config

    from ..formats.outputs import check_output, write_parts
    from ..training.init_config import make_config_text

    arguments = lang, gpu, optimize, transformer, spans_key
    if str(output_path) == "-":
        print(make_config_text(*arguments), end="")
        return
    check_output(output_path, {"transformer": transformer}, force=force)
    text = make_config_text(*arguments, file_name=str(output_path))
    write_parts(output_path, [text])
    msg.good(f"Config: {output_path}")
    config = Config().from_str(text, interpolate=False)
    if name := config.get("vars", {}).get("transformer"):
        print_line(f"Transformer: {name}. Read its license before you publish a trained pipeline.")
    n_batches = config["training"]["optimizer"]["learn_rate"]["total_steps"]
    print_line(f"Training takes {n_batches} batches. Short runs find few discontinuous entities.")
    print(
        f"python -m spacy train {shlex.quote(str(output_path))} --output training "
        f"--paths.train train.spacy --paths.dev dev.spacy{' --gpu-id 0' if gpu else ''}"
    )
