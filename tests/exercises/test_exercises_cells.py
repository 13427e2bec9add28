"""Chapters show their exercises as the registry has them."""

from exercises.__main__ import main
from exercises.engine import cells, notebooks
from exercises.engine.registry import (
    CAPSTONES,
    CHAPTERS,
    TITLES,
    all_exercises,
    chapter_exercises,
    chapter_questions,
    number,
)

import nbformat
import pytest
from helpers import markdown_rule
from helpers.book import BOOK
from helpers.exercise_answers import SHOWN
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook


def test_chapters_are_called_what_their_pages_are():
    pages = [
        notebooks.read(path)["cells"][0] for path in sorted(BOOK.glob("[0-9]*.ipynb"))
    ]
    titles = [notebooks.source(page).splitlines()[0] for page in pages]
    chapters = [title for name, title in TITLES.items() if name != CAPSTONES]
    assert titles == [f"# {n} {title}" for n, title in enumerate(chapters, 1)]


def test_capstones_are_no_chapter_and_take_no_number():
    page = notebooks.read(notebooks.chapter_notebook(CAPSTONES, BOOK))["cells"][0]
    assert notebooks.source(page).startswith(f"# {TITLES[CAPSTONES]}\n")
    numbers = [number(name) for name in chapter_exercises(CAPSTONES)]
    assert numbers == [f"C.{place}" for place in range(1, len(numbers) + 1)]


@pytest.mark.parametrize("chapter", SHOWN)
def test_a_chapter_holds_its_exercises(chapter):
    path = notebooks.chapter_notebook(chapter, BOOK)
    notebook = notebooks.read(path)
    start, end = notebooks.exercises_in(notebook)
    placed = [
        (cell["cell_type"], notebooks.source(cell), notebooks.tags(cell))
        for cell in notebook["cells"][start:end]
    ]
    advice = f"python -m exercises place {chapter}"
    assert placed == cells.section(chapter), advice


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_section_reads_well_everywhere(chapter):
    for kind, text, _ in cells.section(chapter):
        if kind == "markdown":
            assert not markdown_rule.complaints(text), text


@pytest.fixture
def book(tmp_path):
    """A book with one chapter, still without exercises."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 3 Attention"),
            new_code_cell("1 + 1"),
            new_markdown_cell("## Summary\n\nAll of it."),
        ]
    )
    nbformat.write(notebook, tmp_path / "03_attention.ipynb")
    return tmp_path


def test_placing_puts_them_before_the_summary_and_twice_is_once(book):
    path = book / "03_attention.ipynb"
    assert main(["place", "attention", "--book", str(book)]) == 0
    first = path.read_text()
    nbformat.validate(nbformat.reads(first, as_version=4))
    texts = [notebooks.source(cell) for cell in notebooks.read(path)["cells"]]
    assert texts[2].startswith("## Exercises")
    assert texts[-1].startswith("## Summary")
    assert main(["place", "attention", "--book", str(book)]) == 0
    assert path.read_text() == first


def test_placing_keeps_the_outputs_of_what_stays(book):
    path = book / "03_attention.ipynb"
    main(["place", "attention", "--book", str(book)])
    notebook = notebooks.read(path)
    checked = [cell for cell in notebook["cells"] if "check(" in notebooks.source(cell)]
    for place, cell in enumerate(checked):
        cell["execution_count"] = place + 7
    notebooks.write(path, notebook)
    main(["place", "attention", "--book", str(book)])
    assert notebooks.read(path) == notebook


def test_placing_puts_a_question_before_its_check_and_keeps_what_it_put_out(book):
    path = book / "03_attention.ipynb"
    notebook = notebooks.read(path)
    name, question = next(iter(chapter_questions("attention").items()))
    notebook["cells"][1] |= {"source": f'check("{name}", "an answer")', "outputs": [7]}
    notebooks.write(path, notebook)
    for _ in range(2):
        main(["place", "attention", "--book", str(book)])
        cells = notebooks.read(path)["cells"]
        assert notebooks.source(cells[1]) == f"**Question.** {question.task.strip()}"
        assert notebooks.source(cells[2]).endswith(f': a number\ncheck("{name}", ...)')
        assert cells[2]["outputs"] == [7]
        assert notebooks.source(cells[3]).startswith("## Exercises")


def test_list_names_every_exercise(capsys):
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for name, exercise in all_exercises().items():
        assert f"{name} " in printed
        assert exercise.title in printed
    assert f"{len(all_exercises())} exercises" in printed
