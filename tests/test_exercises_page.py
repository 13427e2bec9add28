"""The page that lists all exercises is made from them, and its links lead to them."""

import html
import re
import subprocess
import sys
from pathlib import Path

from exercises.engine import cells, notebooks
from exercises.engine.listing import rows

import pytest
from num2words import num2words

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "book" / "_ext"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Build a book of one chapter and the page; return the folder of its pages."""
    folder = tmp_path_factory.mktemp("book_of_one")
    (folder / "book").mkdir()
    settings = f"import sys\nsys.path.insert(0, {str(EXTENSIONS)!r})\n"
    settings += "extensions = ['myst_nb', 'made_tables']\nnb_execution_mode = 'off'\n"
    settings += "smartquotes = False\n"
    (folder / "conf.py").write_text(settings)
    (folder / "index.md").write_text("# Book\n\n```{exercise-list}\n```\n")
    chapter = [cells.markdown("# 3 Attention"), *cells.section("attention")]
    notebooks.write(
        folder / "book" / "03_attention.ipynb",
        notebooks.notebook_of(notebooks.as_cells(chapter, "c")),
    )
    built = folder / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, built]
    subprocess.run(command, check=True, capture_output=True)
    return built


def test_every_exercise_stands_on_the_page(pages):
    page = (pages / "index.html").read_text()
    text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    for number, _, title, kind, dots, _ in rows():
        _, found, after = text.partition(f"{number} {title}")
        assert found
        assert kind in after[:60] and dots in after[:60]


def test_its_links_lead_to_the_exercises(pages):
    page = (pages / "index.html").read_text()
    chapter = (pages / "book" / "03_attention.html").read_text()
    anchors = re.findall(r'href="book/03_attention\.html#([^"]+)"', page)
    assert len(anchors) == len(rows("attention"))
    for anchor in anchors:
        assert f'id="{anchor}"' in chapter


@pytest.mark.parametrize("page", ["book/index.md", "README.md"])
def test_pages_count_what_the_book_has(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    text = " ".join(re.sub(r"\]\([^)]*\)|\[", "", text).split())
    chapters = len([*(ROOT / "book").glob("[0-9][0-9]_*.ipynb")])
    capstones = (ROOT / "book" / "capstones.ipynb").read_text().count('"## Capstone ')
    numbers = {num2words(number) for number in range(1, 40)}
    for wanted, name in ((chapters, "chapters"), (capstones, "capstones")):
        said = {*re.findall(rf"(\w+) {name}\b", text)} & numbers
        assert said == {num2words(wanted)}
    (exercises,) = re.findall(r"ore than (\d+) exercises", text)
    assert 0 < len(rows()) - int(exercises) < 50
