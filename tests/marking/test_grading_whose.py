"""Whose a file is: what systems leave behind, whole classes, teams."""

import csv
import zipfile
from pathlib import Path

import exercises
import readymade
import scratch
from exercises.__main__ import main
from exercises.engine.verdict import RIGHT
from exercises.marking import results_journal, submissions
from exercises.marking.mark import Mark, Result
from exercises.marking.name_matching import fitting, owner
from exercises.marking.roster import Person, labelled, read_groups, read_roster

import pytest
from helpers.classroom import SEED, VALUE, found_in, zipped

MOODLE = "_assignsubmission_file"


# ---- What is left behind -----------------------------------------------------------

LEFT_BEHIND = (
    "ada.ipynb:Zone.Identifier",
    "ada.ipynb_Zone.Identifier",
    "ada.ipynb.Zone.Identifier",
    "ada.ipynbZone.Identifier",  # when a platform drops the colon
    "ada.ipynb\uf03aZone.Identifier",  # Windows' files seen from Linux
    "ada.zip:Zone.Identifier:$DATA",
    f"Ada Lovelace_17{MOODLE}_week3.ipynb:Zone.Identifier",
    "lovelaceada_17_4711_week3.ipynb_Zone.Identifier",
    "ada.ipynb:com.apple.quarantine",
    "ada.ipynb:AFP_AfpInfo",
    "Thumbs.db:encryptable",
    "ehthumbs_vista.db",
    "Desktop.ini",
    "._ada.ipynb",
    ".DS_Store",
    ".ada.ipynb.icloud",
    ".~lock.ada.csv#",
    "~$ada.docx",
    "ada.ipynb~",
    "Icon\r",
    "$RECYCLE.BIN/S-1-5/ada.ipynb",
    "System Volume Information/ada.ipynb",
    "lost+found/ada.ipynb",
    "@eaDir/ada.ipynb/meta",
    "#recycle/ada.ipynb",
    "__MACOSX/ada/._ada.ipynb",
    ".ipynb_checkpoints/ada-checkpoint.ipynb",
)


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_what_a_system_leaves_behind_is_no_student(tmp_path, notebooks_of, name):
    """Neither next to the students' files nor in a folder or zip."""
    data, other = notebooks_of
    (tmp_path / "ada.ipynb").write_bytes(data)
    (tmp_path / "alan").mkdir()
    (tmp_path / "alan" / "week3.ipynb").write_bytes(data)
    for folder in (tmp_path, tmp_path / "alan"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(other)
    members = {"week3.ipynb": data, name: other}
    members[f"a folder\\{name}".replace("/", "\\")] = other
    zipped(tmp_path / "grace.zip", members)
    by_student = found_in(tmp_path)
    assert {
        one: (it.problem, it.notes) for one, it in by_student.items()
    } == dict.fromkeys(("ada", "alan", "grace"), ("", ()))
    assert len({one.digest() for one in by_student.values()}) == 1


@pytest.mark.parametrize(
    "name",
    [
        "Week 3: attention.ipynb",
        "v1.0: final.ipynb",
        "ada.ipynb: the last one.ipynb",
        "Zone.ipynb",
        "Dr. Ada: week3.zip",
        "@ada.ipynb",
    ],
)
def test_a_student_s_own_signs_hide_no_one(tmp_path, notebooks_of, name):
    if name.endswith(".zip"):
        zipped(tmp_path / name, {"a.ipynb": notebooks_of[0]})
    else:
        (tmp_path / name).write_bytes(notebooks_of[0])
    (submission,) = found_in(tmp_path).values()
    assert not submission.problem


def test_who_handed_in_only_a_stream_handed_in_nothing(tmp_path):
    folder = tmp_path / f"Ada Lovelace_17{MOODLE}_"
    folder.mkdir()
    (folder / "week3.ipynb:Zone.Identifier").write_text("[ZoneTransfer]")
    assert found_in(tmp_path)["Ada Lovelace (17)"].problem == submissions.NOTHING


# ---- A class where a student should be ---------------------------------------------

CLASSES = {
    "moodle": [f"Ada Lovelace_17{MOODLE}_/a.ipynb", f"Alan Turing_18{MOODLE}_/a.ipynb"],
    "flat": [f"Ada Lovelace_17{MOODLE}_a.ipynb", f"Alan Turing_18{MOODLE}_a.ipynb"],
    "canvas": ["lovelaceada_17_1_a.ipynb", "turingalan_LATE_18_2_a.ipynb"],
    "roster": ["ada_lovelace.ipynb", "alan_turing/week3.ipynb"],
}
ROSTER = [Person("Ada Lovelace", "s1"), Person("Alan Turing", "s2")]


@pytest.mark.parametrize("names", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("kind", ["folder", "zip", "deeper"])
def test_a_class_in_place_of_a_student_is_seen(tmp_path, notebooks_of, names, kind):
    data = dict(zip(names, notebooks_of, strict=True))
    (tmp_path / "grace.ipynb").write_bytes(notebooks_of[0])
    within = tmp_path / ("export/week4" if kind == "deeper" else "week4")
    if kind == "zip":
        zipped(within.with_suffix(".zip"), data)
    else:
        for name, content in data.items():
            (within / name).parent.mkdir(parents=True, exist_ok=True)
            (within / name).write_bytes(content)
    roster = ROSTER if names is CLASSES["roster"] else ()
    submission = found_in(tmp_path, roster=roster)[
        within.relative_to(tmp_path).parts[0]
    ]
    note = submission.notes[0]
    assert note.startswith("holds files of several students, such as ")
    assert ("Lovelace" in note or "lovelace" in note) and "uring" in note
    cure = {
        "folder": "mark the folder week4 itself",
        "zip": "unpack week4.zip first",
        "deeper": "mark the folder export/week4 itself",
    }
    assert note.endswith(cure[kind])
    assert submission.problem.startswith("handed in 2 notebooks")


@pytest.mark.parametrize("is_zip", [False, True])
def test_what_is_alone_in_a_folder_may_be_a_class(tmp_path, notebooks_of, is_zip):
    """Whatever its files are called."""
    data = dict(zip(("one.ipynb", "two.ipynb"), notebooks_of, strict=True))
    if is_zip:
        zipped(tmp_path / "week4.zip", data)
    else:
        (tmp_path / "week4").mkdir()
        for name, content in data.items():
            (tmp_path / "week4" / name).write_bytes(content)
    cure = "unpack week4.zip first" if is_zip else "mark the folder week4 itself"
    (submission,) = found_in(tmp_path).values()
    assert submission.notes == (f"if this is a whole class, {cure}",)
    (tmp_path / "ada.ipynb").write_bytes(notebooks_of[0])
    assert not found_in(tmp_path)["week4"].notes


def test_a_student_s_several_files_are_no_class(tmp_path, notebooks_of):
    folder = tmp_path / f"Ada Lovelace_17{MOODLE}_"
    folder.mkdir()
    for name in ("ada_lovelace.ipynb", "Ada Lovelace week 2.ipynb"):
        (folder / name).write_bytes(notebooks_of[0])
    assert not found_in(tmp_path, roster=ROSTER)["Ada Lovelace (s1)"].notes


# ---- Teams -------------------------------------------------------------------------

NUMBERED = [Person("Ada Lovelace", "17"), Person("Alan Paar", "18"), Person("19", "19")]
TEAMS = {
    f"Gruppe 17_17{MOODLE}": [],
    f"Group 17_17{MOODLE}_week3.ipynb": [],
    f"Groupe 17_17{MOODLE}": [],
    f"Équipe 17_17{MOODLE}": [],
    f"Lerngruppe Lovelace_17{MOODLE}": [],
    f"Projektteam Ada_17{MOODLE}": [],
    f"Team-Ada_17{MOODLE}": [],
    f"Binôme Lovelace_17{MOODLE}": [],
    f"Les Renards_17{MOODLE}": [],
    f"Ada und die anderen_17{MOODLE}": [],
    f"A_17{MOODLE}": [],
    f"17_17{MOODLE}": [],
    f"17_905{MOODLE}": [],
    f"19_19{MOODLE}": [],
    f"Gruppe 19_19{MOODLE}": [],
    f"Default group{MOODLE}": [],
    "gruppe17_17_4711_week3.ipynb": [],
    "gruppe_17.ipynb": [],
    "Team 17.ipynb": [],
    "groupe-de-travail-17.ipynb": [],
    # One person's, whatever the group or the name.
    f"Gruppe 17-Ada Lovelace_905{MOODLE}": ["17"],
    f"Ada L._17{MOODLE}": ["17"],
    f"A. Paar_18{MOODLE}": ["18"],
    f"Participant_19{MOODLE}": ["19"],
    f"Teilnehmerin_19{MOODLE}": ["19"],
    "17.ipynb": ["17"],
    "Ada_Lovelace_17.ipynb": ["17"],
    "ada_lovelace_pair_programming.ipynb": ["17"],
}


@pytest.mark.parametrize("name", TEAMS)
def test_a_team_s_file_is_no_single_student_s(tmp_path, name):
    path = tmp_path / name
    path.write_text("") if name.endswith(".ipynb") else path.mkdir()
    assert [one.id for one in fitting(owner(path), NUMBERED)] == TEAMS[name]


GROUPS = """\
id,name,Group
17,Ada Lovelace,Gruppe 17
18,Jürgen Müller,Gruppe 17
19,Grace Hopper,Füchse
20,Søren Ørsted,Füchse
21,Mary Somerville,
"""


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(GROUPS, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("names", "handed_in"),
    [
        ((f"Gruppe 17_17{MOODLE}_a.ipynb", f"Füchse_20{MOODLE}_a.ipynb"), "abcd"),
        (("gruppe17_17_1_a.ipynb", "fuechse_LATE_20_2_a.ipynb"), "abcd"),
        (("gruppe_17_week3.ipynb", "Fuchse.zip"), "abcd"),
        (("Mary Somerville.ipynb", f"Gruppe 17-Ada Lovelace_3{MOODLE}_.ipynb"), "ae"),
        (("grace_hopper.ipynb", "Gruppe 18.ipynb"), "c"),
    ],
)
def test_a_group_s_file_is_each_member_s(
    tmp_path, roster, notebooks_of, names, handed_in
):
    (tmp_path / "in").mkdir()
    for name in names:
        if name.endswith(".zip"):
            zipped(tmp_path / "in" / name, {"a.ipynb": notebooks_of[0]})
        else:
            (tmp_path / "in" / name).write_bytes(notebooks_of[0])
    people, groups = read_roster(roster), read_groups(roster)
    by_student = found_in(tmp_path / "in", roster=people, groups=groups)
    theirs = [labelled(people["abcde".index(one)]) for one in handed_in]
    assert [
        one for one in map(labelled, people) if not by_student[one].problem
    ] == theirs
    for one in theirs:
        is_member = len(handed_in) == 4
        assert (
            any("by the group" in told for told in by_student[one].notes) == is_member
        )


@pytest.mark.parametrize("platform", ["moodle", "canvas"])
def test_each_member_of_a_group_gets_the_mark_and_the_feedback(
    tmp_path, roster, notebooks_of, platform, monkeypatch, capsys
):
    """One file, from the folder to the grade file."""

    def marked(handed_in, task, jobs):
        for one in handed_in:
            mark = Mark(2 * (not one.problem), RIGHT, "Right.")
            yield Result(one.student, {VALUE: mark}, [], one.digest())

    monkeypatch.setattr("exercises.marking.grade._marked", marked)
    file = {
        "moodle": f"Gruppe 17_21{MOODLE}_a.ipynb",
        "canvas": "gruppe17_118_9_a.ipynb",
    }
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / file[platform]).write_bytes(notebooks_of[0])
    (tmp_path / "points.csv").write_text(f"{VALUE},2\n")
    marks, exported = tmp_path / "marks.csv", tmp_path / "Grades.csv"
    command = [
        "grade",
        tmp_path / "in",
        "--seed",
        SEED,
        "-o",
        marks,
        "--roster",
        roster,
    ]
    command += ["--points", tmp_path / "points.csv", "--unsafe-no-sandbox"]
    assert main([*map(str, command)]) == 0
    names = [one.name for one in read_roster(roster)]
    if platform == "moodle":
        head = "Identifier,Full name,Email address,Status,Group,Grade,Maximum Grade\n"
        rows = [f"Participant {17 + n},{one},,,,,2\n" for n, one in enumerate(names)]
    else:
        head = "Student,ID,SIS User ID,SIS Login ID,Section,Week 3 (47)\n"
        rows = [f"{one},{117 + n},,,A,\n" for n, one in enumerate(names)]
    exported.write_text(head + "".join(rows), encoding="utf-8")
    command = ["return", marks, exported, "--handed-in", tmp_path / "in"]
    assert main([*map(str, command)]) == 0
    with (tmp_path / "marks_returned" / "Grades.csv").open(encoding="utf-8") as table:
        read = list(csv.DictReader(table))
    column = "Grade" if platform == "moodle" else "Week 3 (47)"
    assert [row[column] for row in read] == ["2", "2", "0", "0", "0"]
    with zipfile.ZipFile(tmp_path / "marks_returned" / "feedback.zip") as archive:
        pages = archive.namelist()
    if platform == "moodle":
        assert f"Ada Lovelace_17{MOODLE}_feedback.html" in pages
        assert f"Jürgen Müller_18{MOODLE}_feedback.html" in pages
    else:  # Canvas shows it to the whole group
        assert pages == [file["canvas"]]


# ---- What a mark depends on --------------------------------------------------------


@pytest.mark.parametrize("package", [exercises, readymade, scratch])
def test_a_change_of_any_package_marks_a_class_anew(package, monkeypatch):
    read = []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or b"")
    results_journal._programs.__wrapped__()
    assert Path(package.__file__).resolve() in read
