"""Load Triton's library before TensorFlow, or not at all.

PyTorch for Linux brings Triton, the code generator of its compiler, which it imports
with its first optimizer. Triton and TensorFlow each contain a copy of LLVM. The copy
that is loaded first serves both; Triton's does so without harm, TensorFlow's crashes
the process (seen with PyTorch 2.13 and TensorFlow 2.21; tensorflow/tensorflow#124205).
"""

import importlib.util
import sys
import warnings
from pathlib import Path


class TritonFirst:
    """An import finder that finds nothing, but notices TensorFlow's import."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "tensorflow" and "triton" not in sys.modules:
            _load_library()


def _load_library():
    """Load Triton's compiled part: importing all of it takes six times as long."""
    import ctypes

    triton = importlib.util.find_spec("triton")
    for folder in triton.submodule_search_locations if triton else ():
        for library in Path(folder).glob("_C/libtriton*.so"):
            ctypes.CDLL(str(library))


def load_triton_first():
    """Have Triton loaded before TensorFlow, or, where it is too late, not at all."""
    sys.meta_path.insert(0, TritonFirst)
    late = "tensorflow" in sys.modules and "triton" not in sys.modules
    if late and importlib.util.find_spec("triton"):
        sys.modules["triton"] = None  # importing it is an ImportError, as without it
        warnings.warn(
            "TensorFlow was imported before scratch, so PyTorch goes without Triton "
            "here: loaded after TensorFlow, it would crash Python. For torch.compile "
            "on a GPU, start Python again and import scratch first.",
            stacklevel=3,
        )
