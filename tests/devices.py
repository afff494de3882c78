"""Choice of the device for tests on a GPU."""

from thinc.api import require_cpu, require_gpu
from thinc.compat import has_cupy, has_cupy_gpu, has_torch_cuda_gpu


def why_no_gpu():
    """The reason why tests cannot use a GPU, or None."""
    if not has_torch_cuda_gpu:
        return "No GPU: PyTorch finds no CUDA device"
    if not has_cupy:
        return "No GPU: CuPy is not installed"
    return None if has_cupy_gpu else "No GPU: CuPy finds no CUDA device"


def use_device(name):
    """Create and load the following pipelines on the "cpu" or the first "gpu"."""
    require_gpu(0) if name == "gpu" else require_cpu()
