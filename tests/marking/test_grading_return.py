"""What is returned to Moodle and Canvas, read by their importers' rules."""

import csv
import dataclasses
import json
import re
import zipfile

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.verdict import MISTAKE, RIGHT
from exercises.marking import feedback
from exercises.marking.grade import feedback_of, journal_of, write_marks
from exercises.marking.gradebook import hand_back
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
    """By name, in any order and with any accents, by number, or by address."""
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
    errors = capsys.readouterr().err
    assert "\n=nobody: no row is theirs alone" in errors
    for name in ("Li Wei", "grace_hopper", "Hopper Grace"):
        assert f"{name}: no row is theirs alone" in errors
    assert "Participant 103 Grace Hopper: no mark" in errors
    assert "Participant 104 Li Wei: no mark" in errors
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
    # A student may name the files in a folder after others.
    hand_in(handed_in / "eve" / "hoppergrace_103_3003_week3.ipynb", *solved(VALUE))
    students = {"lovelaceada": 5, "nunezjose": 2, "gh": 3}
    marks, exported = marked(tmp_path, students), tmp_path / "Grades.csv"
    exported.write_text(CANVAS)
    assert main(["return", str(marks), str(exported)]) == 1
    # Only the assignments are offered.
    assert "with one of Quiz 1 (7), Week 3 (47)\n" in capsys.readouterr().err
    rows, zipped = returned(
        marks, exported, CANVAS, "--column", "Week 3", "--handed-in", handed_in
    )
    # The importer's columns, and none whose grades may have changed since.
    names = "Student,ID,SIS User ID,SIS Login ID,Section,Week 3 (47)".split(",")
    assert list(rows[0]) == names
    grades = [row["Week 3 (47)"] for row in rows]
    assert grades == ["Manual Posting", "5.00", "5", "2", "3", ""]
    assert {*map(canvas_user, zipped)} == {(101, 3001), (102, 3002)}
    for name, text in zipped.items():
        assert name in {path.name for path in handed_in.iterdir()}
        (cell,) = json.loads(text)["cells"]
        assert "&lt;b&gt;" in notebooks.source(cell)
    errors = capsys.readouterr().err
    assert "gh: no feedback; --handed-in has no file of theirs" in errors
    assert "Student, Test 999: no mark" in errors


# ---- Marks that were opened in a spreadsheet ---------------------------------------


def edited(marks, change, separator=",", encoding="utf-8"):
    """Save a file of marks as a spreadsheet does, after `change(rows)`."""
    with marks.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    rows = change(rows) or rows
    with marks.open("w", newline="", encoding=encoding) as file:
        table = csv.DictWriter(file, rows[0], delimiter=separator, restval="")
        table.writeheader()
        table.writerows(rows)


def refused(marks, exported, text=MOODLE):
    """Return the refusal of `return`, which writes no file and shows no traceback."""
    exported.write_text(text)
    with pytest.raises(ValueError, match="wanted") as caught:
        hand_back(marks, exported)
    assert not (marks.with_name("marks_returned")).exists()
    return str(caught.value)


def test_a_row_that_was_added_by_hand_gets_its_grade_and_no_page(tmp_path, capsys):
    marks = marked(tmp_path, {"Ada Lovelace (101)": 5})
    by_hand = {"student": "Hopper Grace", "total": "3", "out of": "5"}
    edited(marks, lambda rows: [*rows, by_hand], ";", "utf-8-sig")
    rows, zipped = returned(marks, tmp_path / "g.csv", MOODLE)
    assert [row["Grade"] for row in rows] == ["5", "", "3", "", ""]
    assert {*map(moodles_participant, zipped)} == {101}
    assert "Hopper Grace: no feedback, because" in capsys.readouterr().err
    assert main(["report", str(marks)]) == 0


@pytest.mark.parametrize("in_gradebook", ["0012345", "12345"])
def test_a_number_that_lost_its_zeros_is_the_same_student(tmp_path, in_gradebook):
    """In one file or in both; a longer number is another student's."""
    marks = marked(tmp_path, {"0012345": 5, "112345": 2})
    edited(marks, lambda rows: rows[0].update(student="12345"))
    text = MOODLE.replace("Ada Lovelace", in_gradebook)
    text = text.replace("Grace Hopper", "112345")
    rows, zipped = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", "", "2", "", ""]
    pages = {moodles_participant(name): page for name, page in zipped.items()}
    assert "For 0012345 " in pages[101] and "For 112345 " in pages[103]


def test_no_one_gets_the_page_of_a_student_whose_row_was_deleted(tmp_path):
    """Their names differ only in punctuation, so their pages have similar names."""
    marks = marked(tmp_path, {"Grace Hopper": 2, "Grace_Hopper": 5})
    edited(marks, lambda rows: rows[1:])
    rows, zipped = returned(marks, tmp_path / "g.csv", MOODLE)
    assert [row["Grade"] for row in rows] == ["", "", "5", "", ""]
    (page,) = zipped.values()
    assert "For Grace_Hopper " in page


def test_a_name_in_brackets_is_part_of_a_name_where_the_platform_has_it(tmp_path):
    """And neither Li Wei gets the other's mark."""
    marks = marked(tmp_path, {"Li Wei (Vivian)": 5})
    text = MOODLE.replace('105","Li Wei"', '105","Li Wei (Vivian)"')
    rows, zipped = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["", "", "", "", "5"]
    assert {*map(moodles_participant, zipped)} == {105}


def test_rows_that_look_alike_are_two(tmp_path, capsys):
    marks = marked(tmp_path, {"Grace;Hopper": 2, "Grace,Hopper": 5})
    rows, zipped = returned(marks, tmp_path / "g.csv", MOODLE)
    assert [row["Grade"] for row in rows] == [""] * 5 and not zipped
    said = capsys.readouterr().err
    assert "Grace;Hopper: no row is theirs alone" in said
    assert "Grace,Hopper: no row is theirs alone" in said


def test_a_name_that_was_corrected_keeps_its_page(tmp_path):
    marks = marked(tmp_path, {"gracehoper": 5})
    edited(marks, lambda rows: rows[0].update(student="Grace Hopper"))
    rows, zipped = returned(marks, tmp_path / "g.csv", MOODLE)
    assert rows[2]["Grade"] == "5"
    assert {*map(moodles_participant, zipped)} == {103}


def test_rows_that_were_mixed_up_are_refused(tmp_path):
    """As after sorting a single column, or copying a row."""

    def sort_names(rows):
        names = sorted(row["student"] for row in rows)
        for row, name in zip(rows, names, strict=True):
            row["student"] = name

    marks = marked(tmp_path, {"Grace Hopper": 5, "Ada Lovelace (101)": 2})
    edited(marks, sort_names)
    said = refused(marks, tmp_path / "g.csv")
    assert "Ada Lovelace (101) has the page Grace_Hopper-" in said
    marks = marked(tmp_path, {"Grace Hopper": 5, "Ada Lovelace (101)": 2})
    edited(marks, lambda rows: [*rows, {**rows[0], "student": "Li Wei"}])
    said = refused(marks, tmp_path / "g.csv")
    assert "is in 2 rows: wanted it in one, or none in a row that you added" in said


def test_a_cell_that_became_a_date_and_a_column_that_is_gone_are_named(tmp_path):
    marks = marked(tmp_path, {"Grace Hopper": 5})
    edited(marks, lambda rows: rows[0].update(total="01. Mai"))
    assert "Grace Hopper has total '01. Mai'" in refused(marks, tmp_path / "g.csv")
    marks = marked(tmp_path, {"Grace Hopper": 5})
    edited(marks, lambda rows: rows[0].pop("feedback") and None)
    assert "lacks the columns feedback" in refused(marks, tmp_path / "g.csv")
    marks = marked(tmp_path, {"Grace Hopper": 5}).rename(tmp_path / "final.csv")
    assert "without final.journal.jsonl" in refused(marks, tmp_path / "g.csv")


def test_a_spreadsheet_that_took_each_line_for_one_cell_damages_nothing(tmp_path):
    """As a German Excel opens a file with commas, and quotes quotation marks."""
    marks = marked(tmp_path, {"Ada Lovelace": 5})
    text = "".join(
        '"{}"\n'.format(line.replace('"', '""')) if '"' in line else f"{line}\n"
        for line in MOODLE.splitlines()
    )
    rows, _ = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", "", "", "", ""]
    assert rows[1]["Full name"] == "José Núñez_2"


# ---- Whose row it is ---------------------------------------------------------------


def test_a_number_of_the_platform_s_own_is_nobody_else_s_grade(tmp_path, capsys):
    """Both a roster and Moodle may number the same students."""
    # The words of an address are no part of a name, either.
    students = {"Ada Lovelace (103)": 5, "Zoe Ng (102)": 2, "Org X (105)": 2}
    marks = marked(tmp_path, students)
    rows, zipped = returned(marks, tmp_path / "g.csv", MOODLE)
    assert [row["Grade"] for row in rows] == ["5", "", "", "", ""]
    assert {*map(moodles_participant, zipped)} == {101}
    assert "Zoe Ng (102): no row is theirs alone" in capsys.readouterr().err
    # Someone wrote the number into another column for this student.
    text = MOODLE.replace("Email address", "ID number").replace("gh@x.org", "s7")
    marks = marked(tmp_path, {"Zoe Ng (s7)": 2})
    rows, _ = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["", "", "2", "", ""]


def of_teams(*names, header="Group"):
    """Return Moodle's worksheet of an assignment that teams hand in."""
    head = f"Identifier,Full name,ID number,Status,{header},Grade,Maximum Grade\n"
    people = ("17,Ada Lovelace,18", "18,Alan Turing,905", "19,Grace Hopper,s3")
    rows = zip(people, names, strict=True)
    return head + "".join(f"Participant {one},Submitted,{of},,5\n" for one, of in rows)


TEAMS = of_teams("", "", "")


@pytest.mark.parametrize(
    "team",
    [
        "Gruppe 17 (17)",
        "Group 17 (17)",
        "Groupe 17 (18)",
        "Équipe 18 (905)",
        "Team Ada (17)",
        "Lovelace-Gruppe (17)",
        "Die Füchse (17)",
        "17 (17)",
        "18 (905)",
        "#17 (3)",
        "Gruppe 18",
    ],
)
def test_a_team_s_number_gives_no_participant_its_mark(tmp_path, capsys, team):
    """Moodle numbers teams and participants; students have a third number."""
    marks = marked(tmp_path, {team: 5})
    rows, zipped = returned(marks, tmp_path / "g.csv", TEAMS)
    assert [row["Grade"] for row in rows] == ["", "", ""] and not zipped
    assert f"{team}: no row is theirs alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("team", "label", "header"),
    [
        ("Gruppe 17", "Gruppe 17 (17)", "Gruppe"),
        ("Les Renards", "Les Renards (19)", "Groupe"),
        ("17", "17 (905)", "Group"),
        ("Équipe_19", "Équipe 19 (18)", "Groupe"),
        ("Default group", "Default group", "Group"),
    ],
)
def test_each_member_of_a_team_in_moodle_s_worksheet_gets_its_mark(
    tmp_path, capsys, team, label, header
):
    """It lists the members, so no roster is needed."""
    marks, text = marked(tmp_path, {label: 5}), of_teams(team, "B", team, header=header)
    rows, zipped = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", "", "5"]
    assert {*map(moodles_participant, zipped)} == {17, 19}
    # A member who also handed in something else gets neither mark.
    marks = marked(tmp_path, {label: 5, "Grace Hopper": 3})
    rows, zipped = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", "", ""]
    assert {*map(moodles_participant, zipped)} == {17}
    assert "Grace Hopper: no row is theirs alone" in capsys.readouterr().err


def test_two_teams_whose_names_become_one_get_no_mark(tmp_path):
    """File names have no slash, so 1/2 becomes 12."""
    text = of_teams("Gruppe 1/2", "Gruppe 12", "Gruppe 1/2")
    marks = marked(tmp_path, {"Gruppe12 (3)": 5})
    rows, _ = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["", "", ""]


def test_names_and_numbers_that_are_one_person_s_still_match(tmp_path):
    students = {"Gruppe 17-Ada Lovelace (17)": 5, "A. Turing (18)": 3, "G. Hop (s3)": 2}
    rows, _ = returned(marked(tmp_path, students), tmp_path / "g.csv", TEAMS)
    assert [row["Grade"] for row in rows] == ["5", "3", "2"]


@pytest.mark.parametrize(
    ("called", "label"),
    [
        ("Participant ", "Participant (17)"),
        ("Teilnehmer/in ", "Teilnehmerin (17)"),
        ("Participant ", "Participant 17"),
        ("Deelnemer ", "Deelnemer (17)"),
    ],
)
def test_hidden_names_are_matched_by_number(tmp_path, called, label):
    """In Moodle's blind marking, the worksheet names neither people nor teams."""
    head = "Identifier,Status,Grade,Maximum Grade,Last modified\n"
    text = head + "".join(f"{called}{n},Submitted for grading,,5,-\n" for n in (17, 18))
    marks = marked(tmp_path, {label: 5, "Gruppe 18 (18)": 2})
    rows, _ = returned(marks, tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", ""]


@pytest.mark.parametrize("name", ["Li, Wei", "Núñez, José", "Van der Berg, Ann-Marie"])
def test_two_of_one_name_in_canvas_are_told_apart_by_number(tmp_path, name):
    """Their files have it, in Moodle as well, and there is no roster."""
    joined = re.sub(r"\W", "", name.lower().replace("ú", "u").replace("é", "e"))
    text = "".join(CANVAS.splitlines(keepends=True)[:3])
    text += "".join(f'"{name}",{n},s{n},l{n},A,,,\n' for n in (104, 105, 106))
    handed_in = tmp_path / "in"
    for n in (104, 105):
        hand_in(handed_in / f"{joined}_{n}_{n}9_week3.ipynb", *solved(VALUE))
    hand_in(handed_in / f"._{joined}_104_9_week3.ipynb", *solved(VALUE))
    marks = marked(tmp_path, {f"{joined} (104)": 5, f"{joined} (105)": 3})
    options = ("--column", "Week 3", "--handed-in", handed_in)
    rows, zipped = returned(marks, tmp_path / "g.csv", text, *options)
    assert [row["Week 3 (47)"] for row in rows][2:] == ["5", "3", ""]
    assert {*map(canvas_user, zipped)} == {(104, 1049), (105, 1059)}
    # Another student's number, or nobody's, decides nothing.
    marks = marked(tmp_path, {f"{joined} (107)": 5, "turingalan (104)": 3})
    rows, zipped = returned(marks, tmp_path / "g.csv", text, *options)
    assert [row["Week 3 (47)"] for row in rows][2:] == ["", "", ""] and not zipped


def test_a_row_is_found_however_its_letters_are_written(tmp_path):
    text = MOODLE.replace("Ada Lovelace", "Jürgen Müller").replace("José", "Søren")
    text = text.replace("Grace Hopper", "Joerg Lukasz")
    students = {"mueller_juergen": 5, "soeren nunez 2": 3, "Jörg Łukasz": 2}
    rows, _ = returned(marked(tmp_path, students), tmp_path / "g.csv", text)
    assert [row["Grade"] for row in rows] == ["5", "3", "2", "", ""]


def test_a_grade_file_of_another_encoding_is_read_or_refused(tmp_path):
    marks, exported = marked(tmp_path, {"José Núñez_2": 5}), tmp_path / "g.csv"
    rows, _ = returned(marks, exported, MOODLE, encoding="utf-16")
    assert rows[1]["Grade"] == "5" and rows[1]["Full name"] == "José Núñez_2"
    (tmp_path / "marks_returned" / "g.csv").unlink()
    exported.write_text(MOODLE, encoding="cp1252")
    assert main(["return", str(marks), str(exported)]) == 1
    with pytest.raises(ValueError, match="not UTF-8: wanted"):
        hand_back(marks, exported)
    assert not (tmp_path / "marks_returned" / "g.csv").exists()
    ascii_alone = MOODLE.encode("ascii", "ignore").decode()
    exported.write_bytes(ascii_alone.encode("utf-16-le"))  # without its mark
    with pytest.raises(ValueError, match="not UTF-8: wanted"):
        hand_back(marks, exported)


@pytest.mark.parametrize(
    "text", ["", "Student,Grade\nAda,\n", "Identifier,Name,Grade\nAda,Ada,\n"]
)
def test_what_neither_exports_is_said(tmp_path, capsys, text):
    marks, exported = marked(tmp_path, {"Ada": 5}), tmp_path / "other.csv"
    exported.write_text(text)
    assert main(["return", str(marks), str(exported)]) == 1
    wanted = r"gradebook is .*other\.csv: wanted Moodle's grading worksheet or Canvas"
    assert re.search(wanted, capsys.readouterr().err)
