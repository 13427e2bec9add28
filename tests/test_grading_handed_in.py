"""What a class hands in, as people and learning platforms hand it over."""

import os
import stat
import zipfile
from pathlib import Path

from exercises.engine import notebooks
from exercises.marking import submissions
from exercises.marking.mark import Task, mark

import pytest
from helpers.classroom import FUNCTION, SEED, VALUE, code, hand_in, solved

THIS = Task({VALUE: 2.0, FUNCTION: 3.0}, SEED).release()
NO_NOTEBOOK = "handed in no notebook (.ipynb)"
OTHER = Task({"embeddings.sinusoidal_table": 1.0}, SEED).release()


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
        "week3-mary/week3.ipynb",
    ):
        notebook(tmp_path / name)
    text = tmp_path / "Ada Lovelace_17_assignsubmission_onlinetext" / "onlinetext.html"
    text.parent.mkdir()
    text.write_text("<p>See the notebook.</p>")
    found = found_in(tmp_path)
    assert set(found) == {
        "Ada Lovelace",
        "Alan Turing",
        "Grace Hopper",
        "Wei Wang (20)",
        "Wei Wang (21)",
        "turingalan",
        "hopper",
        "anon_1aB",
        "anon_2cD",
        "mary_week_3",
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
        "grace": f"{NO_NOTEBOOK}, but a folder that is empty or may not be read",
    }


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


def test_hostile_zips_are_read_within_limits_and_never_unpacked(tmp_path):
    secret = notebook(tmp_path / "secret.ipynb", THIS)
    folder = tmp_path / "in"
    deflated = {"compression": zipfile.ZIP_DEFLATED}
    bomb = {f"{n}.ipynb": bytes(21 * 2**20) for n in range(2)}
    zipped(folder / "bomb.zip", bomb, **deflated)
    zipped(folder / "one.zip", {"a.ipynb": bytes(21 * 2**20)}, **deflated)
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
    notes = {
        name: " ".join(mark(one, Task({VALUE: 1.0}, SEED)).notes)
        for name, one in found_in(folder).items()
    }
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/tmp/up.ipynb").exists()
    assert notes == {
        "bomb": "the file is larger than 20 MB",
        "one": "the file is larger than 20 MB",
        "many": "many.zip is not an ordinary zip",
        "lzma": "lzma.zip is not an ordinary zip",
        "link": "the file is not a notebook",
        "up": "the file is not a notebook",
        "zip": f"{NO_NOTEBOOK}, but again.zip",
        "none": f"{NO_NOTEBOOK}, but none.zip",
        "text": "text.zip is damaged",
        "torn": "a.ipynb is damaged or may not be read",
        "locked": "a.ipynb is damaged or may not be read",
    }
