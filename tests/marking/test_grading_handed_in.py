"""What a class hands in, as people and learning platforms hand it over."""

import csv
import os
import re
import stat
import tracemalloc
import unicodedata
import zipfile
from pathlib import Path

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.registry import number
from exercises.engine.verdict import RIGHT
from exercises.marking import submissions
from exercises.marking.grade import write_marks
from exercises.marking.mark import Mark, Result, Task, mark
from exercises.marking.name_matching import fitting, owner
from exercises.marking.points import read_points
from exercises.marking.release import release
from exercises.marking.release_identity import identity_of
from exercises.marking.roster import Person, labelled, read_roster

import pytest
from helpers.classroom import FUNCTION, SEED, VALUE, code, hand_in, solved

THIS = Task({VALUE: 2.0, FUNCTION: 3.0}, SEED).release()
LARGE = 100 * 2**20  # bytes in a zip
ALONE = "hand in only the notebook to be marked, with its outputs cleared"
NO_NOTEBOOK = "handed in no notebook (.ipynb)"
EMBEDDINGS = "embeddings.sinusoidal_table"
NUMBER = number(EMBEDDINGS)
OTHER = Task({EMBEDDINGS: 1.0}, SEED).release()


def notebook(path, of=None, *cells):
    """Write a notebook that says it is of a release, or says nothing."""
    hand_in(path, *cells)
    if of:
        written = notebooks.read(path)
        written["metadata"] |= of.metadata()
        notebooks.write(path, written)
    return path


def zipped(path, members, **how):
    """Write a zip of {name or ZipInfo: bytes}."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def found_in(folder, **how):
    return {one.student: one for one in submissions.find(folder, release=THIS, **how)}


# ---- Names -----------------------------------------------------------------------


def test_files_are_known_by_the_names_that_platforms_give(tmp_path):
    for name in (
        "Ada Lovelace_17_assignsubmission_file/week3.ipynb",
        "Alan Turing_18_assignsubmission_file_/my work/week3.ipynb",
        "Grace Hopper_19_assignsubmission_file_week_3.ipynb",
        "Wei Wang_20_assignsubmission_file_week3.ipynb",
        "Wei Wang_21_assignsubmission_file_week3.ipynb",
        "turingalan_LATE_5_4711_week3-1.ipynb",
        "hopper_6_4712_week_3.ipynb",
        "anon_1aB_4713_week3.ipynb",
        "LATE_anon_2cD_4714_week3.ipynb",
        "mary_week_3.ipynb",
        f"{'n' * 200}.ipynb",
        "__MACOSX/._mary.ipynb",
        "week3-mary/week3.ipynb",
    ):
        notebook(tmp_path / name)
    text = tmp_path / "Ada Lovelace_17_assignsubmission_onlinetext" / "onlinetext.html"
    text.parent.mkdir()
    text.write_text("<p>See the notebook.</p>")
    found = found_in(tmp_path)
    assert set(found) == {
        "Ada Lovelace (17)",
        "Alan Turing (18)",
        "Grace Hopper (19)",
        "Wei Wang (20)",
        "Wei Wang (21)",
        "turingalan (5)",
        "hopper (6)",
        "anon_1aB",
        "anon_2cD",
        "mary_week_3",
        "n" * 200,
        "week3-mary",
    }
    assert not any(one.problem for one in found.values())


def test_repositories_are_known_by_their_students(tmp_path):
    """As `gh classroom clone student-repos` leaves them."""
    folder = tmp_path / "week-3-submissions"
    for student in ("ada-l", "alan"):
        repository = folder / f"week-3-{student}"
        notebook(repository / "work" / "03_attention.ipynb", THIS)
        (repository / "README.md").write_text("# Week 3")
        (repository / ".git" / "objects").mkdir(parents=True)
        notebook(repository / ".git" / "objects" / "03_attention.ipynb", THIS)
    (folder / "week-3-grace" / ".git").mkdir(parents=True)
    found = found_in(folder)
    assert {name: one.problem for name, one in found.items()} == {
        "ada-l": "",
        "alan": "",
        "grace": "nothing handed in",
    }


def test_names_that_differ_in_what_nobody_sees_are_one_student(tmp_path):
    notebook(tmp_path / "Grace Hopper.ipynb")
    notebook(tmp_path / "Grace  Hopper.ipynb", None, code("1"))
    notebook(tmp_path / "\x1b]0;gone\x07\u202eada.ipynb")
    (tmp_path / "alan").mkdir()
    (tmp_path / "alan" / "\x1b[2Jx.txt").touch()
    found = found_in(tmp_path)
    ada = "\ufffd]0;gone\ufffd\ufffdada"
    assert set(found) == {"Grace Hopper", ada, "alan"}
    assert found["Grace Hopper"].problem.startswith("handed in 2 notebooks: ")
    assert found["alan"].problem == f"{NO_NOTEBOOK}, but \ufffd[2Jx.txt"
    marks = {VALUE: Mark(0, RIGHT, "")}
    results = [Result(ada, marks, ["\x1b[2J", "a\u2066\nb"])]
    write_marks(tmp_path / "marks.csv", results, Task({VALUE: 2.0}, SEED))
    text = (tmp_path / "marks.csv").read_text(encoding="utf-8")
    assert text.startswith("\ufeff")  # by which Excel knows the encoding
    assert not {one for one in text if unicodedata.category(one) == "Cc"} - {"\n"}
    assert "\u2066" not in text and "\u202e" not in text


def test_a_student_is_called_the_same_whoever_else_is_in_the_class(tmp_path):
    """So that what was marked, and the page of it, are found again."""
    notebook(tmp_path / "Wei Wang_20_assignsubmission_file_week3.ipynb")
    (before,) = found_in(tmp_path)
    notebook(tmp_path / "Wei Wang_21_assignsubmission_file_week3.ipynb")
    assert before in found_in(tmp_path)


# ---- Several notebooks -----------------------------------------------------------


def test_of_several_weeks_the_one_of_this_release_counts(tmp_path):
    notebook(tmp_path / "ada" / "week1.ipynb", OTHER)
    week3 = notebook(tmp_path / "ada" / "week3.ipynb", THIS)
    last_year = Task({VALUE: 2, FUNCTION: 3}, "last year's").release()
    notebook(tmp_path / "ada" / "old.ipynb", last_year)
    (ada,) = submissions.find(tmp_path, release=THIS)
    assert (ada.path, ada.problem) == (week3, "")
    assert ada.notes == (
        "also handed in old.ipynb, of exercises 3.2, 3.3",
        "also handed in week1.ipynb, of exercises 2.2",
    )
    (ada,) = submissions.find(tmp_path, release=OTHER)
    assert ada.path.name == "week1.ipynb"


def test_without_metadata_the_checks_tell_the_release(tmp_path):
    mine = notebook(tmp_path / "ada" / "mine.ipynb", None, *solved(VALUE))
    notebook(tmp_path / "ada" / "notes.ipynb", None, code("1 + 1"))
    notebook(tmp_path / "ada" / "week1.ipynb", OTHER)
    (ada,) = submissions.find(tmp_path, release=THIS)
    assert ada.path == mine


def test_two_of_one_release_are_said_to_be_two(tmp_path):
    one = notebook(tmp_path / "ada" / "a.ipynb", THIS)
    other = tmp_path / "ada" / "a (1).ipynb"
    other.write_bytes(one.read_bytes())
    (ada,) = submissions.find(tmp_path, release=THIS)
    assert not ada.problem  # they are the same
    notebook(other, THIS, code("1 + 1"))
    (ada,) = submissions.find(tmp_path, release=THIS)
    said = "handed in 2 notebooks of this release: a (1).ipynb, a.ipynb"
    assert ada.problem == said
    (ada,) = submissions.find(tmp_path, release=OTHER)
    assert ada.problem == said.replace(" of this release", "")


@pytest.mark.parametrize("chapter", ["attention", "tokenization", "many_machines"])
def test_the_notebook_as_it_was_released_is_not_taken_for_another(tmp_path, chapter):
    """A student gives the file their name, as they are asked to, and keeps both."""
    (released, points) = release(chapter, SEED, tmp_path / "released")
    this = Task(read_points(points), SEED).release()
    folder = tmp_path / "in" / "ada"
    folder.mkdir(parents=True)
    (folder / released.name).write_bytes(released.read_bytes())
    mine = notebooks.read(released)
    mine["cells"][-1]["source"] = "done = True"
    notebooks.write(folder / "ada.ipynb", mine)
    (ada,) = submissions.find(tmp_path / "in", release=this)
    assert ada.path == folder / "ada.ipynb"
    assert ada.notes == (f"also handed in {released.name}, with nothing filled in",)
    mine["cells"][-1]["source"] = "done = False"
    notebooks.write(folder / released.name, mine)
    (ada,) = submissions.find(tmp_path / "in", release=this)
    assert ada.problem.startswith("handed in 2 notebooks of this release")


def test_what_file_managers_leave_behind_is_no_student(tmp_path):
    ada = notebook(tmp_path / "ada" / "a.ipynb", THIS)
    for name in ("Thumbs.db", "desktop.ini", "~$class.xlsx", "ada/~$notes.docx"):
        (tmp_path / name).write_text("")
    assert {one.path for one in submissions.find(tmp_path)} == {ada}


@pytest.mark.parametrize(
    "place", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")]
)
def test_what_takes_a_file_s_place_is_not_read(tmp_path, place):
    """Where students may write into the folder: a pipe would never end."""
    ada = notebook(tmp_path / "in" / "ada.ipynb", THIS, *solved(VALUE))
    (found,) = submissions.find(tmp_path / "in", release=THIS)
    ada.rename(ada.with_name("b.ipynb"))
    place(ada)
    result = mark(found, Task({VALUE: 1.0}, SEED))
    assert "the file is gone" in result.notes[0] and not result.digest
    assert found.digest() == ""


def test_a_long_list_of_exercises_is_not_read_to_its_end():
    (key,) = THIS.metadata()
    told = {"exercises": ["a"] * 100_000, "seed": "x", "version": "1"}
    read = identity_of({"metadata": {key: told}})
    assert len(read.exercises) < 10_000  # it is gone through for each of the book's


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (["answers.py"], "answers.py"),
        (["a.rar", "b.txt"], "a.rar, b.txt"),
        (list("abcdef"), "a, b, c, d and 2 more"),
    ],
)
def test_what_is_no_notebook_is_named(tmp_path, files, problem):
    (tmp_path / "ada").mkdir()
    for name in files:
        (tmp_path / "ada" / name).write_text("")
    assert found_in(tmp_path)["ada"].problem == f"{NO_NOTEBOOK}, but {problem}"


# ---- Zips ------------------------------------------------------------------------


@pytest.mark.usefixtures("bubblewrap")
def test_a_zip_is_marked_as_its_notebook(tmp_path):
    data = notebook(tmp_path / "right.ipynb", THIS, *solved(VALUE)).read_bytes()
    folder = tmp_path / "in"
    zipped(folder / "ada.zip", {"week3/right.ipynb": data})
    zipped(
        folder / "alan" / "Work.ZIP",
        {
            "notes.txt": b"",
            "week3/": b"",
            "week3/right.ipynb": data,
            "week3/.ipynb_checkpoints/right.ipynb": b"{}",
            "__MACOSX/week3/._right.ipynb": b"\0",
            "week1.ipynb": notebook(tmp_path / "other.ipynb", OTHER).read_bytes(),
        },
        compression=zipfile.ZIP_DEFLATED,
    )
    found = found_in(folder)
    assert set(found) == {"ada", "alan"}
    assert found["ada"].digest() == found["alan"].digest()
    assert found["alan"].notes == ("also handed in week1.ipynb, of exercises 2.2",)
    result = mark(found["ada"], Task({VALUE: 2.0, FUNCTION: 3.0}, SEED))
    assert (result.total(), result.student) == (2, "ada")


def link_to(target):
    info = zipfile.ZipInfo("link.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return {info: os.fsencode(target)}


@pytest.mark.slow("an archive that fills memory or disk")
def test_hostile_zips_are_read_within_limits_and_never_unpacked(tmp_path):
    """Nor are more cells kept than those of one: whoever marks all has one memory."""
    secret = notebook(tmp_path / "secret.ipynb", THIS)
    folder = tmp_path / "in"
    deflated = {"compression": zipfile.ZIP_DEFLATED}
    bomb = {f"{n}.ipynb": bytes(21 * 2**20) for n in range(2)}
    zipped(folder / "bomb.zip", bomb, **deflated)
    zipped(folder / "one.zip", {"a.ipynb": bytes(LARGE)}, **deflated)
    # In memory, a sign that is not Latin makes all the others as wide.
    wide = notebook(tmp_path / "wide.ipynb", THIS, code(f"# 😀{'x' * 2**22}"))
    data = wide.read_bytes()
    zipped(
        folder / "wide.zip",
        {f"{n}.ipynb": data + b" " * n for n in range(11)},
        **deflated,
    )
    zipped(folder / "many.zip", {f"{n}.ipynb": b"" for n in range(10_001)})
    zipped(folder / "lzma.zip", {"a.ipynb": b"{}"}, compression=zipfile.ZIP_LZMA)
    zipped(folder / "link.zip", link_to(secret))
    zipped(folder / "up.zip", {"../up.ipynb": b"{}", "/tmp/up.ipynb": b"{}"})
    zipped(folder / "zip.zip", {"again.zip": (folder / "up.zip").read_bytes()})
    zipped(folder / "none.zip", {})
    (folder / "text.zip").write_text("my answers")
    good = zipped(folder / "torn.zip", {"a.ipynb": secret.read_bytes()}, **deflated)
    data = bytearray(good.read_bytes())
    data[60:80] = bytes(20)
    good.write_bytes(data)
    locked = bytearray(zipped(folder / "locked.zip", {"a.ipynb": b"{}"}).read_bytes())
    locked[6] |= 1  # the flag of a password, in both headers
    locked[locked.index(b"PK\1\2") + 8] |= 1
    (folder / "locked.zip").write_bytes(locked)

    before = sorted(tmp_path.rglob("*"))
    tracemalloc.start()
    notes = {
        name: re.sub(r" \(Exp.*", "", *mark(one, Task({VALUE: 1.0}, SEED)).notes)
        for name, one in found_in(folder).items()
    }
    _, most_memory = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_memory < LARGE
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/tmp/up.ipynb").exists()
    assert notes == {
        "bomb": f"the file is larger than 20 MB: {ALONE}",
        "one": f"the file is larger than 20 MB: {ALONE}",
        "wide": f"handed in 11 notebooks, larger than 40 MB together: {ALONE}",
        "many": "many.zip is not an ordinary zip",
        "lzma": "lzma.zip is not an ordinary zip",
        "link": "the file is not a notebook: it is no JSON at line 1",
        "up": "the file is not a notebook: its cells are missing or damaged",
        "zip": f"{NO_NOTEBOOK}, but again.zip",
        "none": f"{NO_NOTEBOOK}, but none.zip",
        "text": "text.zip is damaged",
        "torn": "a.ipynb is damaged or may not be read",
        "locked": "a.ipynb has a password: wanted a zip without one",
    }


# ---- A roster --------------------------------------------------------------------

CLASS = (
    ("s1815", "Ada Lovelace"),
    ("s1816", "King Lovelace, Ada"),
    ("grace-h", "Grace Hopper"),
    ("4711", "Zoë Weiß"),
    ("w1", "Wei Wang"),
    ("w2", "Wei Wang"),
    ("7", ""),
)
ROSTERS = {
    "commas": "id,name\n" + "".join(f'{id},"{name}"\n' for id, name in CLASS),
    "semicolons": "\ufeffName;ID;Group\r\n"
    + "".join(f"{name};{id};A\r\n" for id, name in CLASS)
    + ";;\r\n",
    "tabs": "id\tname\n" + "".join(f" {id} \t{name} \n" for id, name in CLASS),
    "sep": "sep=;\r\nid;name\r\n" + "".join(f"{id};{name}\r\n" for id, name in CLASS),
}


@pytest.mark.parametrize("text", ROSTERS.values(), ids=ROSTERS)
def test_a_roster_is_read_as_a_spreadsheet_saves_it(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8", newline="")
    expected = [Person(name or id, id) for id, name in CLASS]
    assert read_roster(path) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "whose first line has nothing: wanted the columns id and name"),
        ("Ada,s1\n", "has ada, s1: wanted the columns id and name"),
        ("id,name\n1,Ada\n1,Alan\n", "Ada has the id '1': wanted one for each"),
        ("name,id\nAda\n", "Ada has the id '': wanted one for each"),
        ("id,name\n1,Zoë\n".encode("latin-1"), "not UTF-8: wanted “CSV UTF-8”"),
    ],
)
def test_what_is_wrong_with_a_roster_is_said(tmp_path, text, complaint):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"roster\.csv.*{re.escape(complaint)}"):
        read_roster(path)


def test_a_roster_in_utf_16_is_read(tmp_path):
    """Which Excel calls Unicode Text."""
    path = tmp_path / "roster.txt"
    path.write_text("id\tname\n4711\tZoë\n", encoding="utf-16")
    assert read_roster(path) == [Person("Zoë", "4711")]


OWNERS = {
    "ada_lovelace.ipynb": ["s1815"],
    "Lovelace, Ada - week 3.ipynb": ["s1815"],
    "S1815_week3.ipynb": ["s1815"],
    "Ada Lovelace_7_assignsubmission_file_week3.ipynb": ["s1815"],
    "lovelaceada_9_11_week3.ipynb": ["s1815"],
    "kinglovelaceada_LATE_9_11_grace-h.ipynb": ["s1816"],
    "ada_king_lovelace.ipynb": ["s1816"],
    "week3-grace-h/week3.ipynb": ["grace-h"],
    "weißzoe_4711_11_week3.ipynb": ["4711"],
    "Z. Weiss_4711_assignsubmission_file/a.ipynb": ["4711"],
    "week_4711.ipynb": ["4711"],
    "Participant_7_assignsubmission_file/a.ipynb": ["7"],
    "wang_wei_week3.ipynb": ["w1", "w2"],
    "wangwei_9_11_week3.ipynb": ["w1", "w2"],
    "Wei_Wang_w2.ipynb": ["w2"],  # as `release --each` names it
    "ada_lovelace_grace_hopper.ipynb": ["s1815", "grace-h"],
    # Someone else's number on a platform, a first name, a week.
    "Mary Somerville_4711_assignsubmission_file/a.ipynb": [],
    "ada.ipynb": [],
    "week_7_mary.ipynb": [],
    # A file's name is the student's to choose.
    "Eve_5_assignsubmission_file_Ada Lovelace_7_assignsubmission_file_a.ipynb": [],
    "eve_5_11_ada_lovelace.ipynb": [],
}


@pytest.mark.parametrize("name", OWNERS)
def test_a_file_is_given_to_those_whom_its_name_fits(tmp_path, name):
    roster = [Person(name or id, id) for id, name in CLASS]
    notebook(tmp_path / name)
    (top,) = tmp_path.iterdir()
    assert [one.id for one in fitting(owner(top), roster)] == OWNERS[name]


@pytest.mark.usefixtures("bubblewrap")
def test_a_folder_is_marked_by_its_roster(tmp_path, capsys):
    """Two weeks in one folder, several platforms, two missing, one whom none knows."""
    folder, output = tmp_path / "in", tmp_path / "marks.csv"
    week3, _ = release("attention", SEED, tmp_path / "week3", [VALUE])
    week2, _ = release("embeddings", SEED, tmp_path / "week2", [EMBEDDINGS])
    this = identity_of(notebooks.read(week3))
    other = identity_of(notebooks.read(week2))
    notebook(folder / "ada_lovelace_week2.ipynb", other)
    notebook(folder / "ada_lovelace_week3.ipynb", this, *solved(VALUE))
    right = (folder / "ada_lovelace_week3.ipynb").read_bytes()
    zipped(folder / "hoppergrace_LATE_9_11_work.zip", {"right.ipynb": right})
    notebook(folder / "Zoë Weiß_3_assignsubmission_file" / "mine.ipynb", other)
    notebook(folder / "wei_wang.ipynb", this, *solved(VALUE))
    notebook(folder / "mary.ipynb", this, *solved(VALUE))
    (folder / "roster.csv").write_text(ROSTERS["commas"], encoding="utf-8")
    command = ["grade", str(folder), "--seed", SEED, "-o", str(output), "-j", "1"]
    command += ["--points", str(tmp_path / "week3" / "points.csv")]
    command += ["--roster", str(folder / "roster.csv")]
    assert main(command) == 0
    with output.open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    missing = "nothing handed in"
    unknown = "may be of several on the roster: Wei Wang (w1), Wei Wang (w2)"
    of_week2 = f"this notebook is of another release: of exercises {NUMBER}, "
    assert {name: (row["total"], row["notes"]) for name, row in rows.items()} == {
        "Ada Lovelace (s1815)": (
            "1",
            f"also handed in ada_lovelace_week2.ipynb, of exercises {NUMBER}",
        ),
        "King Lovelace, Ada (s1816)": ("0", missing),
        "Grace Hopper (grace-h)": ("1", ""),
        "Zoë Weiß (4711)": ("0", f"{of_week2}no check ran of {VALUE}"),
        "Wei Wang (w1)": ("0", missing),
        "Wei Wang (w2)": ("0", missing),
        "7": ("0", missing),
        "mary": ("1", "not on the roster"),
        "wei_wang": ("1", unknown),
    }
    in_order = [labelled(Person(name or id, id)) for id, name in CLASS]
    assert list(rows)[: len(CLASS)] == in_order


def test_a_roster_alone_is_no_class(tmp_path, capsys):
    """As when the wrong folder is named."""
    roster, points = tmp_path / "roster.csv", tmp_path / "points.csv"
    roster.write_text(ROSTERS["commas"], encoding="utf-8")
    points.write_text(f"{VALUE},2\n")
    (tmp_path / "in").mkdir()
    command = ["grade", str(tmp_path / "in"), "--seed", SEED, "--points", str(points)]
    command += ["-o", str(tmp_path / "marks.csv"), "--roster", str(roster)]
    assert main([*command, "--unsafe-no-sandbox"]) == 1
    assert "holds no submission" in capsys.readouterr().err
