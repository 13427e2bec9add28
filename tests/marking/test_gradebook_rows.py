"""Which row of a grade file is whose, by name, number, team or address."""

import re

from exercises.__main__ import main
from exercises.marking.gradebook import hand_back

import pytest
from helpers.classroom import VALUE, hand_in, solved
from helpers.gradebooks import (
    CANVAS,
    MOODLE,
    canvas_user,
    marked,
    moodles_participant,
    returned,
)


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
