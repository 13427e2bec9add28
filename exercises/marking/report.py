"""Pictures of a class's marks: what went well, and which wrong answers came most."""

import csv
import io
import math
import re
import textwrap
from collections import Counter
from pathlib import Path

from exercises.engine.judge import EXCEPTION, MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.engine.registry import number
from exercises.marking.grade import journal_of, report_of, without_formula
from exercises.marking.journal import results
from exercises.marking.mark import NOT_MARKED
from exercises.marking.points import separator

# Okabe and Ito's colours, told apart by the colour-blind too.
_OUTCOMES = {
    RIGHT: "#009e73",
    MISTAKE: "#e69f00",
    WRONG: "#d55e00",
    EXCEPTION: "#cc79a7",
    NOT_ATTEMPTED: "#999999",
    NOT_MARKED: "#222222",
}
_MOST_MISTAKES = 12


def report(marks, folder=None):
    """Draw the pictures of a file of marks and return their paths."""
    import matplotlib

    matplotlib.use("Agg")
    marks = Path(marks)
    students = read_marks(marks)
    found = latest(marks, students)
    folder = Path(folder) if folder else report_of(marks)
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {
        "totals.png": _totals(students),
        "outcomes.png": _outcomes(found),
        "mistakes.png": _mistakes(found),
        "unnamed.png": _unnamed(found),
    }
    for name, figure in drawings.items():
        figure.savefig(folder / name, dpi=150, bbox_inches="tight", facecolor="white")
    return [folder / name for name in drawings]


def latest(marks, students):
    """Return the results in the journal beside a file of marks, of these students."""
    return [
        result
        for result in results(journal_of(marks))
        if without_formula(result.student) in students
    ]


def read_marks(path):
    """Return {student: (total, out of)} of a file of marks.

    Spreadsheets may have saved it: with a mark of byte order, with semicolons or tabs,
    with decimal commas.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        between = separator(text.partition("\n")[0])
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=between)
        rows = [row for row in table if any(row.values())]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"marks is {path}, which is damaged: wanted a table in UTF-8"
        ) from error
    if not rows:
        raise ValueError(
            f"marks is {path}, which holds no student's marks: wanted at least one row"
        )
    try:
        return {
            row["student"]: (_number(row["total"]), _number(row["out of"]))
            for row in rows
        }
    except (KeyError, AttributeError, ValueError) as error:
        raise ValueError(
            f"marks is {path}, which is damaged: wanted a file that `grade` wrote"
        ) from error


def _number(text):
    number = float(text.replace(",", "."))
    if not math.isfinite(number):
        raise ValueError(f"number is {text}: wanted a finite one")
    return number


def count_outcomes(found):
    """Return {exercise: Counter of outcomes}."""
    counts = {}
    for result in found:
        for name, mark in result.marks.items():
            counts.setdefault(name, Counter())[mark.outcome] += 1
    return counts


def count_mistakes(found):
    """Return [((exercise, sentence), how often)] of known mistakes, most made first."""
    counts = Counter(
        (name, mark.mistake)
        for result in found
        for name, mark in result.marks.items()
        if mark.mistake
    )
    return counts.most_common(_MOST_MISTAKES)


def count_unnamed(found):
    """Return [((exercise, message), how often)] of other wrong answers, equal in one.

    Answers are equal that got the same message, whichever line of code it was about.
    """
    counts = Counter(
        (name, re.sub(r" in your line \d+, `.*`(?=: )", "", mark.message))
        for result in found
        for name, mark in result.marks.items()
        if mark.outcome in (WRONG, EXCEPTION)
    )
    return counts.most_common(_MOST_MISTAKES)


def _totals(students):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5))
    most = max(out_of for _, out_of in students.values())
    axes.hist([total for total, _ in students.values()], bins=20, range=(0, most))
    axes.set(xlabel=f"points of {most:g}", ylabel="students", title="Marks")
    _in_whole_students(axes.yaxis)
    return figure


def _outcomes(found):
    from matplotlib import pyplot as plt

    counts = count_outcomes(found)
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


def _mistakes(found):
    counts = count_mistakes(found)
    return _bars(counts, _OUTCOMES[MISTAKE], "Most frequent mistakes")


def _unnamed(found):
    counts = count_unnamed(found)
    return _bars(counts, _OUTCOMES[WRONG], "Most frequent wrong answers without a name")


def _bars(counts, colour, title):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 1.2 + 0.6 * len(counts)))
    labels = [
        textwrap.fill(textwrap.shorten(f"{number(name)}: {_bare(sentence)}", 170), 60)
        for (name, sentence), _ in counts
    ]
    places = range(len(labels))  # two labels may be the same, once shortened
    axes.barh(places, [count for _, count in counts], color=colour)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    _in_whole_students(axes.xaxis)
    axes.set(xlabel="students", title=title)
    return figure


def _in_whole_students(axis):
    axis.get_major_locator().set_params(integer=True)


def _bare(sentence):
    """Leave out what Markdown would set: a picture's mathematics knows less LaTeX."""
    return sentence.replace("$", "").replace("`", "")
