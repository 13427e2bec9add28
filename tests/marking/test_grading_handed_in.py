"""What a class hands in, under names that people and platforms give."""

import os
import unicodedata

from exercises.engine import notebooks
from exercises.engine.registry import number
from exercises.engine.verdict import RIGHT
from exercises.marking import submissions
from exercises.marking.grade import write_marks
from exercises.marking.mark import Mark, Result, Task, mark
from exercises.marking.points import read_points
from exercises.marking.release import release
from exercises.marking.release_identity import identity_of

import pytest
from helpers.classroom import (
    EMBEDDINGS,
    FUNCTION,
    NO_NOTEBOOK,
    OTHER,
    SEED,
    THIS,
    VALUE,
    code,
    found_in,
    notebook,
    solved,
)

NUMBER = number(EMBEDDINGS)


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
    by_student = found_in(tmp_path)
    assert set(by_student) == {
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
    assert not any(one.problem for one in by_student.values())


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
    by_student = found_in(folder)
    assert {name: one.problem for name, one in by_student.items()} == {
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
    by_student = found_in(tmp_path)
    ada = "\ufffd]0;gone\ufffd\ufffdada"
    assert set(by_student) == {"Grace Hopper", ada, "alan"}
    assert by_student["Grace Hopper"].problem.startswith("handed in 2 notebooks: ")
    assert by_student["alan"].problem == f"{NO_NOTEBOOK}, but \ufffd[2Jx.txt"
    marks = {VALUE: Mark(0, RIGHT, "")}
    results = [Result(ada, marks, ["\x1b[2J", "a\u2066\nb"])]
    write_marks(tmp_path / "marks.csv", results, Task({VALUE: 2.0}, SEED))
    text = (tmp_path / "marks.csv").read_text(encoding="utf-8")
    assert text.startswith("\ufeff")  # by which Excel recognises the encoding
    assert not {one for one in text if unicodedata.category(one) == "Cc"} - {"\n"}
    assert "\u2066" not in text and "\u202e" not in text


def test_a_student_is_called_the_same_whoever_else_is_in_the_class(tmp_path):
    """So that the result and the page of feedback are found again."""
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
        "also handed in old.ipynb, of exercises 3.1, 3.3",
        "also handed in week1.ipynb, of exercises 2.3",
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
    """A student renames a copy as asked, and hands in both."""
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
    """If students may write into the folder, it may be a pipe, which never ends."""
    ada = notebook(tmp_path / "in" / "ada.ipynb", THIS, *solved(VALUE))
    (submission,) = submissions.find(tmp_path / "in", release=THIS)
    ada.rename(ada.with_name("b.ipynb"))
    place(ada)
    result = mark(submission, Task({VALUE: 1.0}, SEED))
    assert "the file is gone" in result.notes[0] and not result.digest
    assert submission.digest() == ""


def test_a_long_list_of_exercises_is_not_read_to_its_end():
    (key,) = THIS.metadata()
    metadata = {"exercises": ["a"] * 100_000, "seed": "x", "version": "1"}
    read = identity_of({"metadata": {key: metadata}})
    assert (
        len(read.exercises) < 10_000
    )  # it is searched for each of the book's exercises


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
