"""How much memory this process takes."""

import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident_memory() -> int:
    """RETURNS (int): Bytes of the resident set; where the system does not tell, its peak."""
    return _read("VmRSS") if _STATUS.exists() else peak_memory()


def peak_memory() -> int:
    """Find out how large the resident set has been.

    RETURNS (int): Bytes at most since the process began or, on Linux, since `reset_peak`.
    RAISES (OSError): If the system does not tell.
    """
    if _STATUS.exists():
        # not ru_maxrss, which begins with what the process that started this one took
        return _read("VmHWM")
    try:
        import resource
    except ImportError:
        raise OSError(
            "This system does not tell how much memory a process takes. Give --no-memory, and "
            "neither --doc-lengths nor --sentence-lengths."
        ) from None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak() -> None:
    """Let the peak begin anew, where the system can do that."""
    with suppress(OSError):
        _CLEAR.write_text("5")


def _read(field: str) -> int:
    # such as "VmHWM:    12345 kB"
    lines = _STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
