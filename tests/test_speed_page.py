"""The tables of the page on speed say what was measured."""

import csv
import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "book" / "speed.md").read_text()
TABLES = re.findall(r"```\{measured\} (.+)\n```", PAGE)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build one page with all tables and one of nothing; return it, and what was said.

    Sphinx takes some seconds to start, so it does so once.
    """
    folder = tmp_path_factory.mktemp("page")
    extensions = str(ROOT / "book" / "_ext")
    (folder / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {extensions!r})\n"
        "extensions = ['myst_nb', 'made_tables']\nnb_execution_mode = 'off'\n"
    )
    tables = [*TABLES, "PyTorch, backward"]
    text = "# Speed\n" + "".join(f"```{{measured}} {t}\n```\n" for t in tables)
    (folder / "index.md").write_text(text)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder]
    run = subprocess.run(
        [*command, folder / "html"], check=True, capture_output=True, text=True
    )
    return (folder / "html" / "index.html").read_text(), run.stderr


def results():
    with (ROOT / "benchmarks" / "results.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_measured_number_stands_in_a_table(built):
    assert len(TABLES) == 7
    page, _ = built
    rows = [
        html.unescape(re.sub(r"<[^>]+>|\s+", " ", row)).split()
        for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    ]
    written = [" ".join(row) for row in rows]
    for found in results():
        milliseconds = f"{1000 * float(found['seconds']):.0f} ms"
        cell = f"{found['times ours']}× {milliseconds}, {found['peak MB']} MB"
        assert any(
            row.startswith(found["contender"]) and cell in row for row in written
        ), found


def test_a_table_of_nothing_is_an_error(built):
    _, said = built
    assert said.count("has nothing on") == 1
    assert "has nothing on 'PyTorch, backward'" in said


@pytest.mark.parametrize("contender", ["ours", "one head at a time"])
def test_both_frameworks_are_measured(contender):
    frameworks = {
        row["framework"] for row in results() if row["contender"] == contender
    }
    assert frameworks == {"PyTorch", "TensorFlow"}
