"""`import scratch` is light, and TensorFlow starts up without a word."""

import statistics
import subprocess
import sys

import pytest


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )


def test_importing_scratch_loads_neither_framework():
    loaded = run("import scratch, sys; print(*sys.modules)").stdout.split()
    assert "scratch" in loaded
    assert not {"torch", "tensorflow", "keras", "transformers"} & set(loaded)


def test_importing_scratch_takes_50_ms_at_most():
    # CPU time, which other programs on the machine do not lengthen
    code = (
        "import time; begin = time.process_time(); import scratch; "
        "print(time.process_time() - begin)"
    )
    seconds = [float(run(code).stdout) for _ in range(5)]
    assert statistics.median(seconds) < 0.05, seconds


@pytest.mark.parametrize(
    ("package", "other"), [("torch", "tensorflow"), ("tensorflow", "torch")]
)
def test_a_framework_is_loaded_by_its_own_package_only(package, other):
    result = run(f"import scratch.{package}, sys; print(*sys.modules)")
    loaded = set(result.stdout.split())
    assert package in loaded and other not in loaded


def test_tensorflow_starts_up_without_a_word():
    result = run(
        "import scratch.tensorflow, tensorflow as tf, keras\n"
        "layer = keras.layers.Dense(2)\n"
        "print(tf.function(layer)(tf.ones((1, 3))).shape)"
    )
    assert result.stdout == "(1, 2)\n"
    assert result.stderr == ""


def test_an_error_on_starting_up_is_still_seen():
    """The descriptor that was closed is open again."""
    result = run("import os, scratch.tensorflow\nos.write(2, b'heard')\n")
    assert result.stderr == "heard"
