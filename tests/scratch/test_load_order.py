"""PyTorch's Triton and TensorFlow live in one process, in whatever order they come.

PyPI's PyTorch for Linux brings Triton, a CPU build doesn't. So stand-ins for Triton and
TensorFlow show the order everywhere, and the real ones show that nothing crashes where
they are; `.ci/run` makes an environment that has them.
"""

import importlib.util
import shutil
import subprocess
import sys

import pytest
from helpers.book import ROOT

linux = pytest.mark.skipif(sys.platform != "linux", reason="Triton is for Linux")
has_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None,
    reason="PyTorch came without Triton: .ci/run tries the build that has it",
)


def run(program, **how):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, **how
    )


@pytest.fixture
def stand_ins(tmp_path):
    """A folder with a Triton that has a library, and a TensorFlow that looks for it."""
    library = tmp_path / "triton" / "_C" / "libtriton.so"
    library.parent.mkdir(parents=True)
    shutil.copy(importlib.util.find_spec("_ctypes").origin, library)
    (tmp_path / "triton" / "__init__.py").touch()
    (tmp_path / "tensorflow.py").write_text(
        "from pathlib import Path\n"
        f"seen = {str(library)!r} in Path('/proc/self/maps').read_text()"
    )
    return {"cwd": tmp_path, "env": {"PYTHONPATH": f"{tmp_path}:{ROOT}"}}


@linux
@pytest.mark.parametrize("first", ["scratch", "exercises"])
def test_tensorflow_finds_tritons_library_loaded(first, stand_ins):
    told = run(f"import {first}, tensorflow; print(tensorflow.seen)", **stand_ins)
    assert told.stdout == "True\n", told.stderr


@linux
def test_after_tensorflow_triton_is_missing_and_the_reader_is_told(stand_ins):
    told = run("import tensorflow, scratch; import triton", **stand_ins)
    assert "UserWarning: TensorFlow was imported before scratch" in told.stderr
    assert "ModuleNotFoundError" in told.stderr
    told = run("import tensorflow, triton, scratch; import triton", **stand_ins)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.slow("an order of imports in which the real Triton crashes")
@has_triton
@pytest.mark.parametrize(
    "order",
    [
        ("scratch.torch", "tensorflow"),
        ("scratch.tensorflow", "torch"),
        ("torch", "scratch", "tensorflow"),
        ("torch", "tensorflow", "scratch"),
        ("tensorflow", "scratch", "torch"),
        ("tensorflow", "torch", "scratch"),
    ],
    ids="-".join,
)
def test_an_optimizer_is_made_in_every_order(order):
    """Without `scratch.load_order`, both orders of the two were segmentation faults.

    Some 12 s each, all to import: only here are the real libraries in one process in
    each order. `scratch.torch` imports `scratch` before PyTorch.
    """
    program = f"import {', '.join(order)}, torch\n"
    program += "torch.optim.Adam([torch.zeros(1, requires_grad=True)])"
    told = run(program)
    assert told.returncode == 0, told.stderr[-2000:]
