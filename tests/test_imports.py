"""Imports are light and go one way, and TensorFlow starts up without a word."""

import ast
import statistics
import subprocess
import sys

import pytest
from helpers.book import ROOT, offered


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize("package", ["scratch", "exercises"])
def test_importing_the_package_loads_neither_framework(package):
    loaded = run(f"import {package}, sys; print(*sys.modules)").stdout.split()
    assert package in loaded
    assert not {"torch", "tensorflow", "keras", "transformers"} & set(loaded)


@pytest.mark.parametrize("package", ["scratch", "exercises"])
def test_importing_the_package_takes_50_ms_at_most(package):
    # CPU time, which other programs on the machine do not lengthen
    code = (
        f"import time; begin = time.process_time(); import {package}; "
        "print(time.process_time() - begin)"
    )
    seconds = [float(run(code).stdout) for _ in range(5)]
    assert statistics.median(seconds) < 0.05, seconds


def imported(source):
    """Return the packages that a program imports, wherever it does; "." is its own."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add("." if node.level else node.module.partition(".")[0])
    return found


OURS = {"book", "benchmarks", "exercises", "helpers", "scratch", "tests", "tools"}


@pytest.mark.parametrize(
    ("folder", "may_use"),
    [
        ("scratch", {"scratch"}),
        ("exercises", {"exercises", "scratch"}),
        ("exercises/worker", set()),
        ("benchmarks", {"benchmarks", "scratch"}),
    ],
)
def test_arrows_between_packages_go_one_way(folder, may_use):
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    upwards = {
        str(path.relative_to(ROOT)): found
        for path in paths
        if (found := imported(path.read_text()) & OURS - may_use)
    }
    assert upwards == {}


def names_of(path):
    """Return the names in a package's `__all__`, and all that it has."""
    tree, names = ast.parse(path.read_text()), []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names += [one.asname or one.name for one in node.names]
        elif isinstance(node, ast.Assign):
            names += [one.id for one in node.targets]
    return set(offered(tree)), set(names)


PACKAGES = [
    path
    for path in sorted((ROOT / "scratch").rglob("__init__.py"))
    if "__all__" in path.read_text()
]


def test_a_package_has_what_it_offers_and_hides_no_module():
    assert len(PACKAGES) > 2
    for path in PACKAGES:
        listed, names = names_of(path)
        assert listed - names == set(), path
        modules = {one.stem for one in path.parent.iterdir() if one.suffix != ".txt"}
        assert listed & modules == set(), path


# Parts of `inference`, which nobody calls for themselves.
INNER = {"evaluation"}


@pytest.mark.parametrize("package", ["torch", "tensorflow"])
def test_a_framework_offers_all_that_its_chapters_define(package):
    folder = ROOT / "scratch" / package
    listed, _ = names_of(folder / "__init__.py")
    defined = {
        node.name
        for path in folder.glob("*.py")
        if path.stem not in INNER
        for node in ast.parse(path.read_text()).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        and not node.name.startswith("_")
    }
    assert defined - set(listed) == set()


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
