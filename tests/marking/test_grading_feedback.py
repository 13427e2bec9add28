"""What a student reads of the marks, and what a teacher sees of the class."""

import csv
import re
import unicodedata

from exercises.engine import notebooks
from exercises.engine.registry import CHAPTERS, chapter_exercises, find, section_of
from exercises.engine.verdict import EXCEPTION, MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.marking import feedback, github, report
from exercises.marking.grade import write_marks
from exercises.marking.mark import NOT_MARKED, Mark, Result, mark
from exercises.marking.release import variant
from exercises.marking.submissions import Submission

import pytest
from helpers.book import BOOK
from helpers.classroom import (
    FUNCTION,
    POINTS,
    SEED,
    VALUE,
    a_task,
    answered,
    marked,
)

UNREAD = Submission("ada", None, "handed in no notebook (.ipynb)")


def page(outcome, message="", exercise=VALUE):
    other = {VALUE: FUNCTION, FUNCTION: VALUE}[exercise]
    marks = {other: Mark(3, RIGHT, "Right."), exercise: Mark(0, outcome, message)}
    return feedback.page(Result("Ada", marks, []), a_task())


@pytest.mark.parametrize("outcome", [WRONG, MISTAKE, EXCEPTION])
def test_a_wrong_answer_gets_verdict_hint_and_section(outcome):
    text = page(outcome, "It is `<3>`.", FUNCTION)
    assert text.count("<section class=") == 2
    assert "✓ Right." in text and "✗ It is <code>&lt;3&gt;</code>." in text
    (hint,) = re.findall(r"<summary>Hint</summary>\s*<p>(.*?)</p>", text, re.S)
    assert hint == find(FUNCTION).words(find(FUNCTION).hints[0], variant(SEED))
    (link,) = re.findall(r'<a href="([^"]+)">Read again: 3 Attention, “Masks: ', text)
    assert link.endswith("/book/03_attention.html#masks-what-may-a-word-attend-to")


def test_no_hint_is_given_before_an_attempt_and_none_where_nothing_was_read():
    assert "Hint" not in page(NOT_ATTEMPTED)
    assert "Read again" in page(NOT_ATTEMPTED)
    assert "Read again" not in page(NOT_MARKED)
    assert "Read again" not in page(RIGHT)


def test_a_page_loads_nothing_and_has_a_dark_side():
    text = page(WRONG)
    assert not re.search(r"<(script|link|img|iframe)|src=|@import|url\(", text)
    assert "(prefers-color-scheme: dark)" in text
    assert all(
        one.startswith(feedback.BOOK) for one in re.findall('href="(.*?)"', text)
    )
    assert feedback.BOOK == "https://transformer-twice.github.io/book/book/"


def test_a_page_says_that_cells_run_from_top_to_bottom():
    """The check in the notebook may have run with cells in another order."""
    assert re.search(r"from top to bottom.*restart\s+and\s+run", page(RIGHT), re.S)


def test_formulas_are_set_in_plain_letters():
    assert "What is e^(ln 5)?" in page(WRONG)
    for chapter in CHAPTERS:
        for exercise in chapter_exercises(chapter).values():
            assert not re.search(r"\\|\$", feedback._in_words(exercise.hints[0]))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_section_to_read_again_is_one_of_the_chapter(chapter):
    cells = notebooks.read(notebooks.chapter_notebook(chapter, BOOK))["cells"]
    text = "\n".join(map(notebooks.source, cells)).partition("\n## Exercises\n")[0]
    headings = re.findall(r"(?m)^##+ (.*)$", text)
    for name in chapter_exercises(chapter):
        assert headings.count(section_of(name)[0]) == 1, name


# ---- The report ------------------------------------------------------------------


def test_what_could_not_be_read_is_apart_from_what_was_not_tried():
    tried = Result("alan", {VALUE: Mark(0, NOT_ATTEMPTED, "Not attempted yet.")}, [])
    counts = report.count_outcomes([mark(UNREAD, a_task()), tried])
    assert counts[VALUE] == {NOT_MARKED: 1, NOT_ATTEMPTED: 1}
    labels = report._outcomes([tried]).axes[0].get_legend().get_texts()
    assert NOT_MARKED in [label.get_text() for label in labels]


def test_equal_wrong_answers_without_a_name_are_counted_together():
    def student(value, function, outcome=WRONG):
        marks = {VALUE: Mark(0, outcome, value), FUNCTION: Mark(0, EXCEPTION, function)}
        return Result("s", marks, [])

    failed = "With length=1: ValueError{}: `x` is $bad$."
    results = [
        student("It is 0.5.", failed.format(" in your line 3, `f(x)`")),
        student("It is 0.5.", failed.format(" in your line 9, `y = `f`: (x)`")),
        student("It is 0.25.", failed.format("")),
        student("It is 0.5. You did.", "With length=1: no.", MISTAKE),
    ]
    assert report.count_unnamed(results) == [
        ((FUNCTION, failed.format("")), 3),
        ((VALUE, "It is 0.5."), 2),
        ((VALUE, "It is 0.25."), 1),
        ((FUNCTION, "With length=1: no."), 1),
    ]
    figure = report._unnamed(results)
    figure.canvas.draw()  # an invalid formula would fail here
    bars = [bar.get_width() for bar in figure.axes[0].patches]
    assert bars == [3, 2, 1, 1]


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/A-Reader/a.fork", "https://a-reader.github.io/a.fork/"),
        ("https://github.com/Reader/Reader.GitHub.io/", "https://reader.github.io/"),
        ("git@github.com:reader/book.git", "https://reader.github.io/book/"),
    ],
)
def test_feedback_links_to_where_github_pages_shows_a_book(repository, address):
    assert github.published_address(repository) == address


@pytest.mark.usefixtures("bubblewrap")
def test_students_words_are_escaped_in_feedback(tmp_path):
    body = "raise ValueError('<script>alert(1)</script>')"
    program = f"def causal_mask(length, key_length):\n    {body}\n"
    result = marked(tmp_path, *answered(FUNCTION, program))
    text = feedback.page(result, a_task())
    assert "&lt;script&gt;" in text
    assert "<script>" not in text


FORMULAS = (
    "=HYPERLINK(1)",
    "\n=1",
    " =1",
    "＝1",
    "@x",
    "-1",
    "a;=1;b",
    "a\t=1",
    'a";=1,',
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_students_words_are_no_formulas_whatever_separates_cells(tmp_path, separator):
    marks = {name: Mark(0, WRONG, "") for name in POINTS}
    results = [Result(words, marks, [words, words]) for words in FORMULAS]
    write_marks(tmp_path / "marks.csv", results, a_task())
    with (tmp_path / "marks.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file, delimiter=separator) for cell in row]
    assert len(cells) > len(FORMULAS)
    starts = {unicodedata.normalize("NFKC", cell.strip('" '))[:1] for cell in cells}
    assert not starts & set("=+-@")
