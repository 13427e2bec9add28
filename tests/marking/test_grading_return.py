"""What is returned to Moodle and Canvas, read by their importers' rules."""

import csv
import json

from exercises.__main__ import main
from exercises.engine import notebooks

import pytest
from helpers.classroom import VALUE, hand_in, solved
from helpers.gradebooks import (
    CANVAS,
    MOODLE,
    canvas_user,
    marked,
    moodles_participant,
    refused,
    returned,
)


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
