"""Grade files of Moodle and Canvas, and the files of a marking to fill them in."""

import csv
import dataclasses
import json
import zipfile

from exercises.__main__ import main
from exercises.engine.verdict import MISTAKE, RIGHT
from exercises.marking import feedback
from exercises.marking.grade import feedback_of, journal_of, write_marks
from exercises.marking.gradebook import hand_back
from exercises.marking.mark import Mark, Result
from helpers.classroom import FUNCTION, VALUE, a_task

import pytest

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


def canvas_user(name):
    """Return whose file it is, by the rule of Canvas's abstract_assignment.rb."""
    user, attachment = [part for part in name.split("_") if part.isdecimal()][:2]
    return int(user), int(attachment)


def refused(marks, exported, text=MOODLE):
    """Return the refusal of `return`, which writes no file and shows no traceback."""
    exported.write_text(text)
    with pytest.raises(ValueError, match="wanted") as caught:
        hand_back(marks, exported)
    assert not (marks.with_name("marks_returned")).exists()
    return str(caught.value)
