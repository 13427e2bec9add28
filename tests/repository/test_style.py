"""The Python of the book, notebooks included, is clean and formatted."""

import subprocess
import sys

import pytest
from helpers.book import ROOT


@pytest.mark.parametrize("command", [["check"], ["format", "--diff"]], ids=" ".join)
def test_ruff_has_nothing_to_say(command):
    run = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--quiet", ROOT],
        capture_output=True,
        text=True,
    )
    if run.returncode:
        pytest.fail(run.stdout + run.stderr, pytrace=False)


def test_scratch_can_be_read_in_an_afternoon():
    files = (ROOT / "scratch").rglob("*.py")
    assert sum(len(file.read_text().splitlines()) for file in files) <= 8_750
