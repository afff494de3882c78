"""Build the wheel of a pipeline, install it, and run the code of its model card."""

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
    """Build the wheel of a pipeline's folder, which contains meta.json and README.md."""
    with TemporaryDirectory() as folder:
        package(pipeline, Path(folder), create_sdist=False)
        (source,) = Path(folder).iterdir()
        _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", output, source])
    (wheel,) = output.glob("*.whl")
    # pip rejects names that do not follow the specification
    parse_wheel_filename(wheel.name)
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel and the package of this clone in a new virtual environment. Returns its
    Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    _run([python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", ROOT, wheel])
    return python


def code_and_output(card: Path) -> tuple[str, str]:
    """RETURNS (tuple[str, str]): The Python code of a model card, and its output."""
    blocks = dict(_BLOCKS.findall(card.read_text(encoding="utf8")))
    if blocks.keys() != {"python", "text"}:
        raise GapDNERError(f"{card} has no Python code with output. Create the release again.")
    return blocks["python"], blocks["text"]


def check_card(card: Path, python: Path) -> str:
    """Run the Python code of a model card, and compare its output with the output on the card."""
    code, output = code_and_output(card)
    with TemporaryDirectory() as empty:
        # isolated mode: no modules from the folder or from PYTHONPATH
        printed = _run([python, "-I", "-X", "utf8", "-c", code], cwd=empty)
    if printed != output:
        raise GapDNERError(f"The output of the code differs from that in {card}: {printed}")
    return printed


def _run(command: list[str | Path], cwd: str | None = None) -> str:
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf8", cwd=cwd)
    if result.returncode:
        shown = " ".join(map(str, command[1:4]))
        raise GapDNERError(f"{shown} failed: {(result.stderr or result.stdout)[-2000:]}")
    return result.stdout
