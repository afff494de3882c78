"""The wheel of a pipeline: building it, and running its card's code where it is installed."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.utils import parse_wheel_filename
from spacy.cli.package import package

from spacy_gapdner.errors import GapDNERError

ROOT = Path(__file__).parents[2]
_BLOCKS = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def build_wheel(pipeline: Path, output: Path) -> Path:
    """Build the wheel of a pipeline.

    pipeline (Path): Folder of the pipeline, with its meta.json and README.md.
    output (Path): Folder for the wheel.
    RETURNS (Path): The wheel.
    RAISES (GapDNERError): If it cannot be built.
    """
    with TemporaryDirectory() as folder:
        package(pipeline, Path(folder), create_sdist=False)
        (source,) = Path(folder).iterdir()
        _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", output, source])
    (wheel,) = output.glob("*.whl")
    # current pip refuses names that do not follow the specification
    parse_wheel_filename(wheel.name)
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel and the package of this clone, with nothing else but what they require.

    wheel (Path): The wheel.
    folder (Path): Folder for the virtual environment.
    RETURNS (Path): Its Python.
    RAISES (GapDNERError): If they cannot be installed.
    """
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    _run([python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", ROOT, wheel])
    return python


def check_card(card: Path, python: Path) -> str:
    """Run the Python code of a model card, and compare what it prints with what the card says.

    card (Path): The README.md.
    python (Path): The Python to run it with.
    RETURNS (str): What it prints.
    RAISES (GapDNERError): If the card has no code, it fails, or it prints something else.
    """
    blocks = dict(_BLOCKS.findall(card.read_text(encoding="utf8")))
    if blocks.keys() != {"python", "text"}:
        raise GapDNERError(f"{card} has no Python code with its output. Make the release again.")
    with TemporaryDirectory() as empty:
        # isolated: neither the folder nor PYTHONPATH adds modules
        printed = _run([python, "-I", "-X", "utf8", "-c", blocks["python"]], cwd=empty)
    if printed != blocks["text"]:
        raise GapDNERError(f"The code of {card} prints something else: {printed}")
    return printed


def _run(command: list[str | Path], cwd: str | None = None) -> str:
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf8", cwd=cwd)
    if result.returncode:
        shown = " ".join(map(str, command[1:4]))
        raise GapDNERError(f"{shown} failed: {(result.stderr or result.stdout)[-2000:]}")
    return result.stdout
