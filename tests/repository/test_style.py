"""All Python code, notebooks included, is clean and formatted; `scratch` is small."""

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


def test_a_file_of_scratch_fits_on_a_few_screens():
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in (ROOT / "scratch").rglob("*.py")
    }
    assert {path: count for path, count in lines.items() if count > 330} == {}
