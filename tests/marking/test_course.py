"""A course of 200 with two releases: the teaching page, followed word for word."""

import csv
import re
import shlex
import zipfile
from pathlib import Path

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.registry import find
from exercises.marking.release import variant

import pytest
from helpers.book import BOOK
from helpers.classroom import fill_in

pytestmark = pytest.mark.slow("a command of the teaching page that does not work")

PAGE = BOOK / "teaching.md"
COMMANDS = [
    shlex.split(line.replace("\\\n", " "))[3:]
    for line in re.findall(
        r"^python -m exercises (?:.*\\\n)*.*$", PAGE.read_text(encoding="utf-8"), re.M
    )
]
SEED = "autumn plum"
WEEKS = {
    "week4": ("attention.weights_by_hand", "attention.five_maps"),
    "week5": ("multi_head.reshaped_numbers", "multi_head.parameters"),
}
CLASS = [f"s{n:03}" for n in range(200)]
MISSING, ODD, HOSTILE = CLASS[:5], CLASS[5:15], CLASS[15:20]
RIGHT, WRONG, UNTOUCHED = CLASS[20:110], CLASS[110:170], CLASS[170:]
ATTACKS = (
    "import os; os._exit(0)",
    "import os\nwhile True: os.fork()",
    "import exercises\nexercises.check = lambda *a, **k: print('Right.')",
    "import exercises.engine.judge as j\nj.judge = lambda *a, **k: j.Verdict('right')",
    # Only where they are, because searching the whole disk takes a minute.
    "import glob\nfor p in glob.glob('{here}/marks*.csv'): open(p, 'w')",
)


def released(week, student):
    """Return the notebook that a student was given, and the number of its variant."""
    own = list(Path(week).glob(f"*{student}.ipynb"))
    (path,) = own or Path(week).glob("*.ipynb")
    return notebooks.read(path), variant(SEED, student if own else "")


def written(week, student, program, first=""):
    """Write a student's notebook with `program`'s answer to each exercise."""
    notebook, number = released(week, student)
    programs = {
        exercise.starter_in("python", number): program(exercise, number)
        for exercise in map(find, WEEKS[week])
    }
    starter = next(iter(programs))
    programs[starter] = f"{first}\n{programs[starter]}"
    fill_in(notebook, programs)
    path = Path("handed_in", student, f"{week}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    notebooks.write(path, notebook)
    return path


def right(exercise, number):
    return exercise.solution_in("python", number)


def wrong(exercise, number):
    return exercise.mistakes_in("python", number)[0][1]


def untouched(exercise, number):
    return exercise.starter_in("python", number)


def odd(student, kind, week):
    """Hand in a right notebook in an odd way; return whether it can be marked."""
    path = written(week, student, right)
    folder, data = path.parent, path.read_bytes()
    inner = folder / f"{week} again.ipynb"
    path.unlink()
    if kind in (0, 1):  # a zip, and a repository
        if kind == 0:
            with zipfile.ZipFile(folder / f"{week}.zip", "w") as archive:
                archive.writestr(f"{student}/my work/{week}.ipynb", data)
        else:
            (folder / ".git").mkdir(exist_ok=True)
            (folder / "src").mkdir(exist_ok=True)
            (folder / "src" / path.name).write_bytes(data)
    elif kind == 2:
        path.write_bytes(b"")
    elif kind == 3:
        path.write_bytes(data[: len(data) // 2])
    elif kind == 4:
        (folder / f"{week}.py").write_text("answer = 1")
    elif kind == 5:  # two that differ
        written(week, student, wrong).rename(inner)
        path.write_bytes(data)
    elif kind == 6:
        path.symlink_to("/etc/passwd")
    elif kind == 7:
        path.mkdir(exist_ok=True)
    elif kind == 8:
        (folder / f"{week}.zip").write_bytes(data)
    return kind in (0, 1)


def hand_in(week):
    """Hand in for the whole class; return {student: whether all points are earned}."""
    earned = dict.fromkeys(CLASS, False)
    for kind, student in enumerate(ODD):
        earned[student] = odd(student, kind, week)
    for attack, student in zip(ATTACKS, HOSTILE, strict=True):
        written(week, student, wrong, attack.format(here=Path.cwd()))
    for program, students in ((right, RIGHT), (wrong, WRONG), (untouched, UNTOUCHED)):
        for student in students:
            written(week, student, program)
    return earned | dict.fromkeys(RIGHT, True)


def rows_of(path):
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.mark.usefixtures("bubblewrap")
def test_a_course_of_200(tmp_path, monkeypatch, capsys):
    """About 8 s: only here do the page's commands read what earlier ones wrote."""
    monkeypatch.chdir(tmp_path)
    roster = "".join(f"{one},Student Number {one}\n" for one in CLASS)
    Path("class.csv").write_text(f"id,name\n{roster}")
    names = [command[0] for command in COMMANDS]
    assert names == ["list", "release", "release", "grade", "grade", "return", "report"]
    for command in COMMANDS[:3]:
        assert main(command) == 0
    earned = {week: hand_in(week) for week in WEEKS}
    for command in COMMANDS[3:5]:
        assert main(command) == 0
    worksheet = [
        f"Participant {n},Student Number {one},{one}@x.org,,,4,Yes,-,-\n"
        for n, one in enumerate(CLASS)
    ]
    head = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,"
    head += "Grade can be changed,Last modified (submission),Last modified (grade)\n"
    Path("Grades-Week 4.csv").write_text(head + "".join(worksheet))
    for command in COMMANDS[5:]:
        assert main(command) == 0, capsys.readouterr().err

    for week, marks in (("week4", "marks.csv"), ("week5", "marks5.csv")):
        most = sum(find(name).difficulty for name in WEEKS[week])
        rows = rows_of(marks)
        assert len(rows) == len(CLASS)
        for student in CLASS:
            row = rows[f"Student Number {student} ({student})"]
            assert float(row["total"]) == most * earned[week][student], row
            if student in MISSING:
                assert "nothing handed in" in row["notes"]
            elif student in ODD and not earned[week][student]:
                assert row["notes"], row
    with Path("marks_returned", "Grades-Week 4.csv").open(newline="") as file:
        grades = [row["Grade"] for row in csv.DictReader(file)]
    full = sum(earned["week4"].values())
    assert grades.count("4") == full, grades
    pages = {page.name for page in Path("marks_feedback").iterdir()}
    assert {row["feedback"] for row in rows_of("marks.csv").values()} <= pages
