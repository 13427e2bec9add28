"""The commands of the Makefile: what they install, and moving the book."""

import os
import re
import shutil
import subprocess
import sys

from exercises.marking.github import published_address

import pytest
from helpers.book import NOTEBOOKS, ROOT, address
from helpers.tools import tool

move, preflight = tool("move"), tool("preflight")


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ((2, 7, 18), "too old"),
        ((3, 6, 15), "too old"),
        ((3, 10, 13), "too old"),
        ((3, 14, 0), "too new"),
        ((4, 0, 0), "too new"),
    ],
)
def test_a_wrong_python_is_named_with_a_cure(version, problem):
    message = preflight.python_problem(version)
    assert f"Python {version[0]}.{version[1]} is {problem}" in message
    assert "make PYTHON=" in message


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 4), (3, 13, 1)])
def test_a_python_that_the_pins_fit_is_welcome(version):
    assert preflight.python_problem(version) is None


def test_a_missing_module_is_named_with_a_cure():
    message = preflight.module_problem("no_such_module", "python3-venv")
    assert "no_such_module" in message
    assert "apt-get install python3-venv" in message
    assert preflight.module_problem("venv", "python3-venv") is None


def test_a_full_disk_is_named_with_the_room_that_is_needed():
    message = preflight.disk_problem(1.25e9, 9)
    assert "1.2 GB free" in message
    assert "need 9 GB" in message
    assert "Without a GPU" in message
    assert preflight.disk_problem(9e9, 9) is None


def test_reading_the_book_needs_little_room(monkeypatch):
    """And no advice on frameworks, because it installs none."""
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    book, everything = map(preflight.gigabytes_wanted, (True, False))
    assert book <= 1 < everything
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    assert book < preflight.gigabytes_wanted(False) < everything
    assert "GPU" not in preflight.disk_problem(0.3e9, book)


def test_preflight_is_readable_for_the_pythons_that_it_refuses():
    source = (ROOT / "tools" / "preflight.py").read_text()
    assert source.isascii()
    assert not re.search(r"\bf['\"]|->|:=|\bnonlocal\b", source)


def make(*arguments):
    command = ["make", "--directory", ROOT, "--no-print-directory", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_python_that_is_not_there_is_named_with_a_cure():
    run = make("install", "--what-if=requirements.txt", "PYTHON=no-such-python")
    assert run.returncode != 0
    assert "There is no no-such-python here" in run.stdout
    assert "make PYTHON=" in run.stdout


def test_only_a_changed_requirement_installs_anything():
    inputs = ["requirements.txt", "pyproject.toml", "tools/preflight.py"]
    unchanged = make("--dry-run", "install", *[f"--old-file={name}" for name in inputs])
    assert "pip install" not in unchanged.stdout
    changed = make("--dry-run", "install", "--what-if=requirements.txt")
    assert "pip install" in changed.stdout


STAMPS = ".venv/book", ".venv/installed"


@pytest.fixture
def installing(tmp_path):
    """A function that returns what `make` would install, given the stamps."""
    lists = "requirements.txt", "requirements-book.txt"
    for name in ("Makefile", "pyproject.toml", *lists):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    (tmp_path / ".venv").mkdir()

    def would(target, *stamps):
        for stamp in STAMPS:
            (tmp_path / stamp).unlink(missing_ok=True)
        for stamp in stamps:
            (tmp_path / stamp).touch()
        command = ["make", "--dry-run", "--directory", tmp_path, target]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [line for line in done.stdout.splitlines() if "pip install" in line]

    return would


def test_the_book_is_built_from_its_own_list_and_all_else_comes_later(installing):
    for target in ("book", "serve", "links"):
        first, second = installing(target)
        assert first.endswith("-r requirements-book.txt")
        assert "--no-deps" in second
        assert installing(target, ".venv/book") == []
    for target in ("install", "test", "notebooks", "bench"):
        # Whether or not the book was built before.
        for stamps in ((), (".venv/book",)):
            first, second = installing(target, *stamps)
            assert first.endswith("-r requirements.txt")
        assert installing(target, *STAMPS) == []
    assert installing("repository") == []


def test_installing_everything_is_enough_for_the_book():
    """Its recipe leaves both stamps."""
    dry = make("--dry-run", "install", "--what-if=requirements.txt").stdout
    assert dry.splitlines()[-1] == f"touch {' '.join(STAMPS)}"


@pytest.fixture
def tree(tmp_path):
    """A repository with the places where the book's own address is written."""
    (tmp_path / "book").mkdir()
    pages = (ROOT / "README.md", ROOT / "book" / "index.md", *NOTEBOOKS)
    for path in (ROOT / "_config.yml", *pages):
        (tmp_path / path.relative_to(ROOT)).write_bytes(path.read_bytes())
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def contents(folder):
    files = [*folder.glob("*.yml"), *folder.glob("*.md"), *folder.glob("book/*")]
    return {path: path.read_bytes() for path in files}


def test_one_command_changes_the_address_everywhere_and_back(tree):
    before = contents(tree)
    new = "https://github.com/someone/transformers-for-my-class"
    changed = move.move(tree, new)
    assert {tree / "_config.yml", tree / "book" / "index.md"} <= set(changed)
    assert {tree / "book" / path.name for path in NOTEBOOKS} <= set(changed)
    for content in contents(tree).values():
        # Not even in the addresses that open a chapter in Colab, or of the pages.
        assert address().removeprefix("https://github.com/").encode() not in content
        assert published_address(address()).encode() not in content
    link = "(https://someone.github.io/transformers-for-my-class/"
    for page in (tree / "README.md", tree / "book" / "index.md"):
        assert link in page.read_text()
    assert move.move(tree, address()) == changed
    assert contents(tree) == before


def test_a_longer_name_is_another_address(tree):
    other = tree / "book" / "other.md"
    other.write_text(f"{address()}-in-french {address()}.git")
    move.move(tree, "https://github.com/someone/book")
    assert other.read_text() == (
        f"{address()}-in-french https://github.com/someone/book.git"
    )


@pytest.mark.parametrize("given", ["", "someone/book", "https://example.org/a/b"])
def test_a_wrong_address_changes_nothing_and_says_what_is_wanted(given):
    run = subprocess.run(
        [sys.executable, ROOT / "tools" / "move.py", given],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "make repository URL=" in run.stderr


def test_the_tests_of_a_file_share_a_process(request):
    """Otherwise each process would build again what a file's tests share.

    xdist appends a test's group to its name.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("there is one process")
    assert request.node.nodeid.endswith("@test_commands.py")
