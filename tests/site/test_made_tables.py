"""The pages' lists are made from what they list: exercises and measurements."""

import csv
import html
import re
import subprocess
import sys

from exercises.engine import cells, notebooks
from exercises.engine.listing import rows

import pytest
from helpers.book import BOOK, ROOT
from num2words import num2words

TABLES = re.findall(r"```\{measured\} (.+)\n```", (BOOK / "speed.md").read_text())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a book of one chapter; return the folder of its pages, and the warnings.

    Its index has the list of exercises, all tables of the page on speed, and one of
    what was not measured. Sphinx takes some seconds to start, so it does so once.
    """
    folder = tmp_path_factory.mktemp("book_of_one")
    (folder / "book").mkdir()
    (folder / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(BOOK / '_ext')!r})\n"
        "extensions = ['myst_nb', 'made_tables']\nnb_execution_mode = 'off'\n"
        "smartquotes = False\n"
    )
    tables = [*TABLES, "PyTorch, backward"]
    text = "# Book\n\n```{exercise-list}\n```\n\n# Speed\n\n"
    text += "".join(f"```{{measured}} {t}\n```\n" for t in tables)
    (folder / "index.md").write_text(text)
    chapter = [cells.markdown("# 3 Attention"), *cells.section("attention")]
    notebooks.write(
        folder / "book" / "03_attention.ipynb",
        notebooks.notebook_of(notebooks.as_cells(chapter, "c")),
    )
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder]
    run = subprocess.run(
        [*command, folder / "html"], check=True, capture_output=True, text=True
    )
    return folder / "html", run.stderr


@pytest.fixture
def index(built):
    return (built[0] / "index.html").read_text()


# Exercises


@pytest.mark.slow("an exercise that the page of all does not list")
def test_every_exercise_stands_on_the_page(index):
    text = html.unescape(re.sub(r"<[^>]+>", " ", index))
    for number, _, title, kind, dots, _ in rows():
        _, title_found, after = text.partition(f"{number} {title}")
        assert title_found
        assert kind in after[:60] and dots in after[:60]


def test_its_links_lead_to_the_exercises(built, index):
    chapter = (built[0] / "book" / "03_attention.html").read_text()
    anchors = re.findall(r'href="book/03_attention\.html#([^"]+)"', index)
    assert len(anchors) == len(rows("attention"))
    for anchor in anchors:
        assert f'id="{anchor}"' in chapter


@pytest.mark.parametrize("page", ["book/index.md", "README.md"])
def test_pages_count_what_the_book_has(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    text = " ".join(re.sub(r"\]\([^)]*\)|\[", "", text).split())
    chapters = len([*BOOK.glob("[0-9][0-9]_*.ipynb")])
    capstones = (BOOK / "capstones.ipynb").read_text().count('"## Capstone ')
    numbers = {num2words(number) for number in range(1, 40)}
    for wanted, name in ((chapters, "chapters"), (capstones, "capstones")):
        said = {*re.findall(rf"([\w-]+) {name}\b", text)} & numbers
        assert said == {num2words(wanted)}
    (exercises,) = re.findall(r"ore than (\d+) exercises", text)
    assert 0 < len(rows()) - int(exercises) < 50


# Measurements


def results():
    with (ROOT / "benchmarks" / "speed.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_measured_number_stands_in_a_table(index):
    assert len(TABLES) == 8
    lines = [
        html.unescape(re.sub(r"<[^>]+>|\s+", " ", row)).split()
        for row in re.findall(r"<tr.*?</tr>", index, re.DOTALL)
    ]
    written = [" ".join(line) for line in lines]
    for measured in results():
        milliseconds = f"{1000 * float(measured['seconds']):.0f} ms"
        cell = f"{measured['times ours']}× {milliseconds}, {measured['peak MB']} MB"
        assert any(
            line.startswith(measured["contender"]) and cell in line for line in written
        ), measured


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
