import json
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_pipeline import trained_pipeline

SCRIPT = Path(__file__).parents[2] / "project" / "scripts" / "soak.py"


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's table of processes")
@pytest.mark.parametrize("what", ["serve", "pipe"])
def test_figures_are_printed(what, tmp_path):
    if what == "serve":
        pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")
        pytest.importorskip("uvicorn", reason="uvicorn (extra serve) is not installed")
    trained_pipeline().to_disk(tmp_path / "model")
    command = [sys.executable, SCRIPT, what, tmp_path / "model", "--minutes", "0", "--load", "1"]
    printed = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=300, check=True
    ).stdout
    (line,) = printed.splitlines()
    figures = json.loads(line)
    assert figures["minute"] == 0
    assert figures["rss_mb"] > 100
    assert figures["files"] >= 3
    assert sum(n for name, n in figures.items() if name.isdecimal() or name == "documents") > 0
