"""Plots of a class's marks: what went well, and the most frequent wrong answers."""

import math
import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from exercises.engine.registry import number
from exercises.engine.verdict import EXCEPTION, MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.marking.csv_files import read_table
from exercises.marking.feedback import page_name
from exercises.marking.grade import journal_of, report_of
from exercises.marking.mark import NOT_MARKED, Result
from exercises.marking.name_matching import forms
from exercises.marking.results_journal import results

# Okabe and Ito's colours, which the colour-blind can tell apart.
_OUTCOMES = {
    RIGHT: "#009e73",
    MISTAKE: "#e69f00",
    WRONG: "#d55e00",
    EXCEPTION: "#cc79a7",
    NOT_ATTEMPTED: "#999999",
    NOT_MARKED: "#222222",
}
_MOST_MISTAKES = 12
_COLUMNS = "student", "total", "out of", "feedback"  # of those that `grade` writes


def report(marks, folder=None):
    """Draw the pictures of a file of marks and return their paths."""
    import matplotlib

    matplotlib.use("Agg")
    marks = Path(marks)
    students = read_marks(marks)
    marked = [one.result for one in students if one.result]
    folder = Path(folder) if folder else report_of(marks)
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {
        "totals.png": _totals(students),
        "outcomes.png": _outcomes(marked),
        "mistakes.png": _mistakes(marked),
        "unnamed.png": _unnamed(marked),
    }
    for name, figure in drawings.items():
        figure.savefig(folder / name, dpi=150, bbox_inches="tight", facecolor="white")
    return [folder / name for name in drawings]


class Row(NamedTuple):
    """A student in a file of marks."""

    student: str
    total: float
    out_of: float
    page: str = ""  # of feedback, which identifies the student in the journal
    result: Result | None = None  # None for a row added by hand

    def grade(self, most):
        """Return the grade on a platform's scale, or on the marks' own."""
        return self.total * (most or self.out_of) / (self.out_of or 1)


def read_marks(marks):
    """Return the `Row` of each student in a file of marks, which may be edited.

    The name of the feedback page says whose row it is. A row may have another name for
    the student, but not another student's name.
    """
    marks = Path(marks)
    table = read_table(marks, "marks")
    head, *rows = table.rows or [[]]
    if not rows:
        raise ValueError(
            f"marks is {marks}, which holds no student's marks: wanted at least one row"
        )
    lacks = [name for name in _COLUMNS if name not in head]
    if lacks:
        raise ValueError(
            f"marks is {marks}, which lacks the columns {', '.join(lacks)}: wanted a "
            "file that `grade` wrote"
        )
    if not journal_of(marks).exists():
        raise ValueError(
            f"marks is {marks}, without {journal_of(marks).name} beside it: wanted "
            "both where `grade` wrote them"
        )
    by_page = {page_name(one.student): one for one in results(journal_of(marks))}
    students = [
        _row(marks, dict(zip(head, row, strict=False)), by_page) for row in rows
    ]
    pages = Counter(row.page for row in students if row.page)
    names = {_key(result.student) for result in by_page.values()}
    for row in students:
        is_renamed = row.result and row.student != row.result.student
        if pages[row.page] > 1:
            problem = f"{row.page} is in {pages[row.page]} rows: wanted it in one"
        elif is_renamed and _key(row.student) in names:
            problem = f"{row.student} has the page {row.page}: wanted their own"
        else:
            continue
        raise ValueError(f"{marks}: {problem}, or none in a row that you added")
    return students


def _row(marks, cells, by_page):
    """Return a `Row` of {column: text}."""
    student, page = cells["student"], cells.get("feedback", "")
    numbers = []
    for column in ("total", "out of"):
        text = cells.get(column, "")
        try:
            numbers.append(_number(text))
        except ValueError as error:
            raise ValueError(
                f"{marks}: {student or 'a row of nobody'} has {column} {text!r}: "
                "wanted a number"
            ) from error
    result = by_page.get(page)
    if result is None:
        return Row(student, *numbers)
    if _key(student) == _key(
        result.student
    ):  # a spreadsheet may have dropped its zeros
        student = result.student
    return Row(student, *numbers, page, result)


def _key(student):
    return "".join(forms(student)[:1])


def _number(text):
    number = float(text.replace(",", "."))
    if not math.isfinite(number):
        raise ValueError(f"number is {text}: wanted a finite one")
    return number


def count_outcomes(marked):
    """Return {exercise: Counter of outcomes}."""
    counts = {}
    for result in marked:
        for name, mark in result.marks.items():
            counts.setdefault(name, Counter())[mark.outcome] += 1
    return counts


def count_mistakes(marked):
    """Return [((exercise, sentence), count)] of known mistakes, most frequent first."""
    counts = Counter(
        (name, mark.mistake)
        for result in marked
        for name, mark in result.marks.items()
        if mark.mistake
    )
    return counts.most_common(_MOST_MISTAKES)


def count_unnamed(marked):
    """Return [((exercise, message), count)] of other wrong answers.

    Messages count as one if they differ only in the line of code.
    """
    counts = Counter(
        (name, re.sub(r" in your line \d+, `.*`(?=: )", "", mark.message))
        for result in marked
        for name, mark in result.marks.items()
        if mark.outcome in (WRONG, EXCEPTION)
    )
    return counts.most_common(_MOST_MISTAKES)


def _totals(students):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5))
    most = max(one.out_of for one in students)
    axes.hist([one.grade(most) for one in students], bins=20, range=(0, most))
    axes.set(xlabel=f"points of {most:g}", ylabel="students", title="Marks")
    _in_whole_students(axes.yaxis)
    return figure


def _outcomes(marked):
    from matplotlib import pyplot as plt

    counts = count_outcomes(marked)
    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.4 * len(counts)))
    labels = [f"{number(name)} {name.partition('.')[2]}" for name in counts]
    left = [0] * len(counts)
    for outcome, colour in _OUTCOMES.items():
        width = [count[outcome] for count in counts.values()]
        axes.barh(labels, width, left=left, color=colour, label=outcome)
        left = [a + b for a, b in zip(left, width, strict=True)]
    axes.invert_yaxis()
    axes.set(xlabel="students", title="Outcomes of each exercise")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    _in_whole_students(axes.xaxis)
    return figure


def _mistakes(marked):
    counts = count_mistakes(marked)
    return _bars(counts, _OUTCOMES[MISTAKE], "Most frequent mistakes")


def _unnamed(marked):
    counts = count_unnamed(marked)
    return _bars(counts, _OUTCOMES[WRONG], "Most frequent wrong answers without a name")


def _bars(counts, colour, title):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.6 * len(counts)))
    labels = [
        textwrap.fill(textwrap.shorten(f"{number(name)}: {_bare(sentence)}", 170), 60)
        for (name, sentence), _ in counts
    ]
    places = range(len(labels))  # shortened labels may be equal
    axes.barh(places, [count for _, count in counts], color=colour)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    _in_whole_students(axes.xaxis)
    axes.set(xlabel="students", title=title)
    return figure


def _in_whole_students(axis):
    axis.get_major_locator().set_params(integer=True)


def _bare(sentence):
    """Drop the marks of Markdown: a plot's mathematics supports less LaTeX."""
    return sentence.replace("$", "").replace("`", "")
