"""init-config: a config to train with."""

import shlex
import sys
from pathlib import Path
from typing import Literal

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg, print_table


def _print_encoders(is_wanted: bool) -> None:
    if not is_wanted:
        return
    from ..config.encoders import ENCODERS

    rows = [
        (encoder.name, f"{encoder.parameters} M", encoder.license, encoder.use)
        for encoder in ENCODERS
    ]
    header = ("Name on the Hugging Face hub", "Parameters", "Licence", "For")
    print_table(rows, header, "lrll")
    raise typer.Exit


def init_config_cli(
    output_path: Path = typer.Argument(
        ..., metavar="OUTPUT", help="The config to write, or - for stdout", allow_dash=True
    ),
    lang: str = options.lang(help="Code of the language"),
    gpu: bool = typer.Option(False, "--gpu", "-G", help="For a training on a GPU"),
    optimize: Literal["speed", "accuracy"] = typer.Option(
        "speed", help="What matters more; without a GPU, speed has no encoder"
    ),
    transformer: str | None = typer.Option(
        None, help="Name on the hub, or directory, of the encoder; none for none"
    ),
    spans_key: str = options.SPANS_KEY,
    force: bool = typer.Option(False, "--force", "-F", help="Replace the file if it is there"),
    encoders: bool = typer.Option(
        False,
        "--encoders",
        help="List pretrained encoders to choose from",
        is_eager=True,
        callback=_print_encoders,
    ),
) -> None:
    """Write a complete config to train with.

    With a GPU or for accuracy, it has a pretrained transformer; --encoders lists them."""
    from ..config.init_config import choose_transformer, make_config_text
    from ..formats.outputs import check_output, replacing

    is_stdout = str(output_path) == "-"
    if not is_stdout:
        check_output(output_path, {"transformer": transformer})
        if output_path.exists() and not force:
            raise GapDNERError(f"{output_path} is there. Give --force to replace it.")
    text = make_config_text(
        lang=lang,
        gpu=gpu,
        optimize=optimize,
        transformer=transformer,
        spans_key=spans_key,
        file_name="config.cfg" if is_stdout else str(output_path),
    )
    if is_stdout:
        sys.stdout.write(text)
        return
    with replacing(output_path) as temporary:
        temporary.write_text(text, encoding="utf8")
    name = choose_transformer(lang, gpu=gpu, optimize=optimize, transformer=transformer)
    msg.good(f"Config: {output_path}")
    msg.text(f"Encoder: {_describe(name)}")
    print(
        f"python -m spacy train {shlex.quote(str(output_path))} --output training "
        f"--paths.train train.spacy --paths.dev dev.spacy{' --gpu-id 0' if gpu else ''}"
    )


def _describe(name: str | None) -> str:
    from ..config.encoders import find_encoder

    if name is None:
        return "learned from your data alone"
    encoder = find_encoder(name)
    if encoder is None:
        return f"{name}. Read its license before you pass a trained pipeline on."
    return f"{name} ({encoder.use}, {encoder.parameters} M parameters, {encoder.license})"
