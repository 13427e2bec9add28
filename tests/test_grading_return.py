"""What goes back to Moodle and Canvas, read by the rules of their importers."""

import csv
import dataclasses
import json
import re
import zipfile

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.judge import MISTAKE, RIGHT
from exercises.marking import feedback
from exercises.marking.grade import feedback_of, journal_of, write_marks
from exercises.marking.mark import Mark, Result

import pytest
from helpers.classroom import FUNCTION, VALUE, a_task, hand_in, solved

MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade",\
"Grade can be changed","Last modified (submission)","Last modified (grade)"
"Participant 101","Ada Lovelace",al@x.org,"Submitted",,5.00,Yes,-,-
"Participant 102","José Núñez_2",jn@x.org,"Submitted",,5.00,Yes,-,-
"Participant 103","Grace Hopper",gh@x.org,"No submission",,5.00,Yes,-,-
"Participant 104","Li Wei",lw1@x.org,"Submitted",,5.00,Yes,-,-
"Participant 105","Li Wei",lw2@x.org,"Submitted",,5.00,Yes,-,-
"""
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (7),Week 3 (47),Final Score
,,,,,,Manual Posting,
    Points Possible,,,,,10.00,5.00,(read only)
"Lovelace, Ada",101,s1,al,Group A,3.00,,60
"Núñez, José",102,s2,jn,Group A,4.00,,70
"Hopper, Grace",103,s3,gh,Group B,,,
"Student, Test",999,,,Group A,,,
"""


def marked(folder, earned):
    """Write the files of a marking in which these students earned 2, 3 or 5 points."""
    results = [
        Result(
            student,
            {
                VALUE: Mark(2 * (points != 3), RIGHT, "Right."),
                FUNCTION: Mark(3 * (points > 2), MISTAKE, f"For {student} <b>.", "x"),
            },
            [],
        )
        for student, points in earned.items()
    ]
    marks = folder / "marks.csv"
    write_marks(marks, results, a_task())
    feedback.write(feedback_of(marks), results, a_task())
    lines = [
        json.dumps(
            {
                "task": "",
                "student": result.student,
                "digest": "",
                "result": dataclasses.asdict(result),
            }
        )
        for result in results
    ]
    journal_of(marks).write_text("\n".join(lines))
    return marks


def returned(marks, exported, text, *options, encoding="utf-8"):
    """Return the rows of the filled-in file, and {name: text} of the zip."""
    exported.write_text(text, encoding=encoding)
    assert main(["return", str(marks), str(exported), *map(str, options)]) == 0
    folder = marks.with_name("marks_returned")
    with (folder / exported.name).open(newline="", encoding=encoding) as file:
        between = ";" if ";" in text else ","
        rows = list(csv.DictReader(file, delimiter=between))
    with zipfile.ZipFile(folder / "feedback.zip") as zipped:
        return rows, {name: zipped.read(name).decode() for name in zipped.namelist()}


def moodles_participant(name):
    """Return whose file it is, by the rules of Moodle's importziplib.php."""
    _, participant, kind, plugin, rest = name.split("_", 4)
    assert (kind, plugin, rest) == ("assignsubmission", "file", "feedback.html")
    return int(participant)


def test_moodles_worksheet_is_filled_in(tmp_path, capsys):
    """By name, whatever its order and accents, by number, or by address."""
    students = {
        "lovelace_ada": 5,
        "Jose Nunez (102)": 2,
        "lw2": 3,
        "Li Wei": 5,
        "grace_hopper": 5,
        "Hopper Grace": 3,
        "=nobody": 2,
    }
    rows, zipped = returned(
        marked(tmp_path, students),
        tmp_path / "Grades.csv",
        MOODLE,
        encoding="utf-8-sig",
    )
    assert [row["Grade"] for row in rows] == ["5", "2", "", "", "3"]
    before = csv.DictReader(MOODLE.splitlines())
    for row, old in zip(rows, before, strict=True):
        assert row | {"Grade": ""} == old  # nothing else has changed
    told = capsys.readouterr().err
    assert "'=nobody: no row is theirs alone" in told
    for name in ("Li Wei", "grace_hopper", "Hopper Grace"):
        assert f"{name}: no row is theirs alone" in told
    assert "Participant 103 Grace Hopper: no mark" in told
    assert "Participant 104 Li Wei: no mark" in told
    assert {*map(moodles_participant, zipped)} == {101, 102, 105}
    for name, page in zipped.items():
        assert ("For lovelace_ada &lt;b&gt;." in page) == name.startswith(
            "Ada Lovelace"
        )


def test_a_worksheet_in_another_language_needs_its_columns_name(tmp_path, capsys):
    text = MOODLE.replace(",", ";").replace("Grade;", "Bewertung;", 1)
    text = text.replace("Participant", "Teilnehmer/in").replace("5.00", "10,00")
    marks, exported = marked(tmp_path, {"Ada Lovelace": 5}), tmp_path / "g.csv"
    exported.write_text(text)
    assert main(["return", str(marks), str(exported)]) == 1
    said = capsys.readouterr().err
    assert "column is not named: wanted --column with one of Identifier," in said
    rows, zipped = returned(marks, exported, text, "--column", "Bewertung")
    assert [row["Bewertung"] for row in rows] == ["10", "", "", "", ""]
    assert "marks out of 5 became grades out of 10" in capsys.readouterr().err
    assert [*map(moodles_participant, zipped)] == [101]


def canvas_user(name):
    """Return whose file it is, by the rule of Canvas's abstract_assignment.rb."""
    user, attachment = [part for part in name.split("_") if part.isdecimal()][:2]
    return int(user), int(attachment)


def test_canvas_s_gradebook_is_filled_in(tmp_path, capsys):
    handed_in = tmp_path / "in"
    hand_in(handed_in / "lovelaceada_101_3001_week3.ipynb", *solved(VALUE))
    hand_in(handed_in / "nunezjose_LATE_102_3002_week3-1.ipynb", *solved(VALUE))
    hand_in(handed_in / "gh.ipynb", *solved(VALUE))
    students = {"lovelaceada": 5, "nunezjose": 2, "gh": 3}
    marks, exported = marked(tmp_path, students), tmp_path / "Grades.csv"
    exported.write_text(CANVAS)
    assert main(["return", str(marks), str(exported)]) == 1
    # Only the assignments are offered.
    assert "with one of Quiz 1 (7), Week 3 (47)\n" in capsys.readouterr().err
    rows, zipped = returned(
        marks, exported, CANVAS, "--column", "Week 3", "--handed-in", handed_in
    )
    # What the importer asks for, and no column whose grades may have changed since.
    names = "Student,ID,SIS User ID,SIS Login ID,Section,Week 3 (47)".split(",")
    assert list(rows[0]) == names
    grades = [row["Week 3 (47)"] for row in rows]
    assert grades == ["Manual Posting", "5.00", "5", "2", "3", ""]
    assert {*map(canvas_user, zipped)} == {(101, 3001), (102, 3002)}
    for name, text in zipped.items():
        assert name in {path.name for path in handed_in.iterdir()}
        (cell,) = json.loads(text)["cells"]
        assert "&lt;b&gt;" in notebooks.source(cell)
    told = capsys.readouterr().err
    assert "gh: no feedback; --handed-in has no file of theirs" in told
    assert "Student, Test 999: no mark" in told


@pytest.mark.parametrize(
    "text", ["", "Student,Grade\nAda,\n", "Identifier,Name,Grade\nAda,Ada,\n"]
)
def test_what_neither_exports_is_said(tmp_path, capsys, text):
    marks, exported = marked(tmp_path, {"Ada": 5}), tmp_path / "other.csv"
    exported.write_text(text)
    assert main(["return", str(marks), str(exported)]) == 1
    wanted = r"gradebook is .*other\.csv: wanted Moodle's grading worksheet or Canvas"
    assert re.search(wanted, capsys.readouterr().err)
