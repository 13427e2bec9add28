"""Imports are light and go one way, and TensorFlow starts without printing a line."""

import ast
import os
import statistics
import subprocess
import sys

import pytest
from helpers.book import ROOT, offered
from helpers.chapters import CHAPTER_OF_FILE, chapter


def run(code, **how):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, **how)


@pytest.mark.parametrize(
    "package", ["scratch", "readymade", "readymade.server", "exercises"]
)
def test_importing_the_package_loads_no_framework(package):
    loaded = run(f"import {package}, sys; print(*sys.modules)").stdout.split()
    assert package in loaded
    heavy = {"torch", "tensorflow", "keras", "transformers", "starlette", "uvicorn"}
    assert not heavy & set(loaded)


def test_importing_a_package_takes_half_as_long_as_importing_numpy():
    """Measured in processor time: a slow machine is slow with both."""
    code = (
        "import time; begin = time.process_time(); import {}; "
        "print(time.process_time() - begin)"
    )
    seconds = {
        package: statistics.median(
            float(run(code.format(package)).stdout) for _ in "123"
        )
        for package in ("scratch", "readymade", "exercises", "numpy")
    }
    half = seconds.pop("numpy") / 2
    assert max(seconds.values()) < half, seconds


def imported(source):
    """Return the packages that a program imports anywhere; "." is its own."""
    packages = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages |= {name.name.partition(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            packages.add("." if node.level else node.module.partition(".")[0])
    return packages


OURS = {
    *("book", "benchmarks", "exercises", "helpers", "readymade", "scratch"),
    *("tests", "tools"),
}


@pytest.mark.parametrize(
    ("folder", "may_use"),
    [
        ("scratch", {"scratch"}),
        ("readymade", {"readymade", "scratch"}),
        ("exercises", {"exercises", "readymade", "scratch"}),
        ("exercises/worker", set()),
        ("benchmarks", {"benchmarks", "readymade", "scratch"}),
        ("tools", {"exercises", "readymade", "scratch", "tools"}),
        ("tests", OURS - {"tools"}),
    ],
)
def test_arrows_between_packages_go_one_way(folder, may_use):
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    upwards = {
        str(path.relative_to(ROOT)): packages
        for path in paths
        if (packages := imported(path.read_text()) & OURS - may_use)
    }
    assert upwards == {}


@pytest.mark.parametrize("package", ["torch", "tensorflow"])
def test_no_piece_imports_one_of_a_later_chapter(package):
    """The file of choices aside, which knows the kinds of layers of all chapters."""
    later = []
    for path in sorted((ROOT / "scratch" / package).glob("*.py")):
        if path.stem not in CHAPTER_OF_FILE or path.stem == "choices":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            folder, _, file = (getattr(node, "module", "") or "").rpartition(".")
            if folder == f"scratch.{package}" and file != "choices":
                later += [
                    f"{path.stem} imports {one.name} of {file}"
                    for one in node.names
                    if (chapter(one.name, file) or 0) > CHAPTER_OF_FILE[path.stem]
                ]
    assert later == []


def names_of(path):
    """Return the names that a package exports, and all names in it."""
    tree, names = ast.parse(path.read_text()), []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names += [one.asname or one.name for one in node.names]
        elif isinstance(node, ast.Assign):
            names += [one.id for one in node.targets]
        elif isinstance(node, ast.FunctionDef):
            names.append(node.name)
    return set(offered(path)), set(names)


PACKAGES = [
    path
    for folder in ("scratch", "readymade")
    for path in sorted((ROOT / folder).rglob("__init__.py"))
    if offered(path)
]


def test_a_package_has_what_it_exports_and_hides_no_module():
    assert len(PACKAGES) > 2
    for path in PACKAGES:
        listed, names = names_of(path)
        assert listed - names == set(), path
        modules = {one.stem for one in path.parent.iterdir() if one.suffix != ".txt"}
        assert listed & modules == set(), path


@pytest.mark.parametrize("package", ["torch", "tensorflow"])
def test_a_framework_exports_all_that_its_modules_define(package):
    folder = ROOT / "scratch" / package
    listed, _ = names_of(folder / "__init__.py")
    defined = {
        node.name
        for path in folder.glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        and not node.name.startswith("_")
    }
    assert defined - set(listed) == set()


@pytest.mark.slow("a layer of PyTorch that needs TensorFlow")
def test_pytorch_is_used_and_its_weights_are_copied_without_tensorflow():
    code = """
import sys, readymade.weights
assert not {"torch", "tensorflow", "keras", "transformers"} & set(sys.modules)
import scratch.torch
layer = scratch.torch.FeedForward(2, 3)
readymade.weights.copy_weights(layer, layer)
print(*sys.modules)
"""
    loaded = run(code).stdout.split()
    assert "torch" in loaded and "tensorflow" not in loaded


# Starting TensorFlow takes seconds, so one process prints everything.
START = """
import os, sys, scratch.tensorflow
print(*sys.modules)
import tensorflow as tf, keras
device = tf.config.list_physical_devices("CPU")[0]
half = tf.config.LogicalDeviceConfiguration()
tf.config.set_logical_device_configuration(device, [half, half])
print(len(tf.config.list_logical_devices("CPU")), float(tf.ones(2)[0]))
print(tf.function(keras.layers.Dense(2))(tf.ones((1, 3))).shape)
os.write(2, b"heard")
"""


@pytest.fixture(scope="module")
def started():
    """What `scratch.tensorflow` has loaded, and the lines on stdout and stderr."""
    environment = {k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"}
    process = run(START, env=environment)
    loaded, *lines = process.stdout.splitlines()
    return set(loaded.split()), lines, process.stderr


@pytest.mark.slow("a layer of TensorFlow that needs PyTorch")
def test_tensorflow_is_loaded_without_pytorch(started):
    loaded, _, _ = started
    assert "tensorflow" in loaded and "torch" not in loaded


def test_importing_runs_no_operation(started):
    """After the first operation, devices can no longer be divided."""
    _, (devices, shape), _ = started
    assert (devices, shape) == ("2 1.0", "(1, 2)")


def test_tensorflow_starts_silently_and_errors_are_still_seen(started):
    """The file descriptor that was closed is open again."""
    _, _, errors = started
    assert errors == "heard"
