"""What a measurement was made with: versions, the commit, the machine."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_PACKAGES = (
    "spacy",
    "thinc",
    "torch",
    "numpy",
    "spacy-transformers",
    "transformers",
    "spacy-gapdner",
)


def get_versions() -> dict[str, str | None]:
    """RETURNS (dict[str, Optional[str]]): Versions of Python and of the packages that matter."""
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return versions


def get_device(gpu_id: int) -> dict[str, Any]:
    """Describe what is computed on.

    gpu_id (int): GPU in use; -1 for the CPU.
    RETURNS (dict[str, Any]): Platform, GPU, number of cores, and OMP_NUM_THREADS if it is set.
    """
    device: dict[str, Any] = {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "omp_num_threads": os.environ.get("OMP_NUM_THREADS"),
        "gpu": None,
    }
    if gpu_id >= 0:
        import cupy

        device["gpu"] = cupy.cuda.runtime.getDeviceProperties(gpu_id)["name"].decode()
    return device


def get_commit() -> str | None:
    """RETURNS (Optional[str]): The git commit of the clone that this file is in; None outside."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        result = subprocess.run(command, cwd=_HERE, capture_output=True, text=True, check=True)
    # git is not there, or this is no clone
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()
