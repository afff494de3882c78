"""Measure the time in which a GPU works."""

import os
from collections.abc import Callable, Iterable

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

# silences Kineto's messages on stderr
os.environ.setdefault("KINETO_LOG_LEVEL", "99")


def measure_busy_time(run: Callable[[], object]) -> float | None:
    """Measure the seconds in which the GPU runs kernels or copies memory.

    They do not include the time in which it waits for Python. Divide them by the time of a run that
    is not profiled to get the utilization.

    RETURNS (Optional[float]): The seconds. None without a GPU, or if its driver records no kernels.
    """
    if not torch.cuda.is_initialized():
        return None
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        run()
        torch.cuda.synchronize()
    kernels = [
        (event.time_range.start, event.time_range.end)
        for event in profiler.events()
        if event.device_type == DeviceType.CUDA and not event.is_user_annotation
    ]
    return add_up_intervals(kernels) / 1e6 if kernels else None


def add_up_intervals(intervals: Iterable[tuple[float, float]]) -> float:
    """RETURNS (float): The total length of intervals, where overlapping parts count once."""
    total, covered = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(end - max(start, covered), 0.0)
        covered = max(covered, end)
    return total
