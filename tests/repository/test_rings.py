"""The two rings of tests: a slow test says why, and tests left out are counted."""

import shutil
import subprocess
import sys

import pytest
from helpers.book import ROOT

pytestmark = pytest.mark.slow("a slow test without a reason, or one not counted")

TESTS = """
import pytest

def test_quick():
    pass

@pytest.mark.slow({})
@pytest.mark.parametrize("number", range(3))
def test_slow(number):
    pass
"""


def run(folder, reason, *arguments):
    """Run two tests beside the book's conftest and settings."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_two.py").write_text(TESTS.format(reason))
    settings = ["-c", ROOT / "pyproject.toml", "--rootdir", folder]
    command = [sys.executable, "-m", "pytest", *settings, *arguments, folder]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_quick_ring_says_how_many_tests_it_leaves_out(tmp_path):
    ran = run(tmp_path, "'what is odd'", "-m", "not slow", "-n", "2")
    assert ran.returncode == 0, ran.stdout
    assert "3 tests of the proof were left out" in ran.stdout


def test_a_file_by_itself_runs_whole(tmp_path):
    ran = run(tmp_path, "'what is odd'", "-n", "0")
    assert "4 passed" in ran.stdout and "left out" not in ran.stdout


def test_a_slow_test_has_to_say_what_only_it_catches(tmp_path):
    for reason in ("", "'  '"):
        ran = run(tmp_path, reason, "-n", "0")
        assert ran.returncode == pytest.ExitCode.USAGE_ERROR
        assert "test_slow[0] is slow: say what it catches" in ran.stderr + ran.stdout
