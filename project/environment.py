"""Describe the environment of a measurement: package versions, git commit and device."""

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from spacy.util import get_package_version

_PACKAGES = ("spacy", "thinc", "torch", "numpy", "spacy-transformers", "transformers")


def get_versions() -> dict[str, str | None]:
    """Get the versions of Python and of the main packages. None if a package is not installed."""
    packages = {name: get_package_version(name) for name in (*_PACKAGES, "spacy-gapdner")}
    return {"python": platform.python_version(), **packages}


def get_device(gpu_id: int) -> dict[str, Any]:
    gpu = None
    if gpu_id >= 0:
        import cupy

        gpu = cupy.cuda.runtime.getDeviceProperties(gpu_id)["name"].decode()
    return {
        "platform": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "omp_num_threads": os.environ.get("OMP_NUM_THREADS"),
        "gpu": gpu,
    }


def get_commit() -> str | None:
    """RETURNS (Optional[str]): The git commit of the clone. None outside of a clone."""
    command = ["git", "rev-parse", "HEAD"]
    folder = Path(__file__).parent
    try:
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()
