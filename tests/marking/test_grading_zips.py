"""Zips are marked as what is in them, and never unpacked."""

import os
import re
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path

from exercises.marking.mark import Task, mark

import pytest
from helpers.classroom import (
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
    zipped,
)

LARGE = 100 * 2**20  # bytes in a zip
ALONE = "hand in only the notebook to be marked, with its outputs cleared"
MOODLE = "_assignsubmission_file"


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
    by_student = found_in(folder)
    assert set(by_student) == {"ada", "alan"}
    assert by_student["ada"].digest() == by_student["alan"].digest()
    assert by_student["alan"].notes == ("also handed in week1.ipynb, of exercises 2.3",)
    result = mark(by_student["ada"], Task({VALUE: 2.0, FUNCTION: 3.0}, SEED))
    assert (result.total(), result.student) == (2, "ada")


def link_to(target):
    info = zipfile.ZipInfo("link.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return {info: os.fsencode(target)}


@pytest.mark.slow("an archive that fills memory or disk")
def test_hostile_zips_are_read_within_limits_and_never_unpacked(tmp_path):
    """And no more cells than one notebook's are kept in memory."""
    secret = notebook(tmp_path / "secret.ipynb", THIS)
    folder = tmp_path / "in"
    deflated = {"compression": zipfile.ZIP_DEFLATED}
    bomb = {f"{n}.ipynb": bytes(21 * 2**20) for n in range(2)}
    zipped(folder / "bomb.zip", bomb, **deflated)
    zipped(folder / "one.zip", {"a.ipynb": bytes(LARGE)}, **deflated)
    # In memory, one character that is not Latin makes all others as wide.
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
    locked[6] |= 1  # the password's flag in both headers
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


# ---- Zips of Windows ---------------------------------------------------------------


@pytest.mark.parametrize(
    "checkpoint",
    [
        r"week3\.ipynb_checkpoints\right-checkpoint.ipynb",
        r"week3/.ipynb_checkpoints\right-checkpoint.ipynb",
        r"C:\Users\ada\week3\.ipynb_checkpoints\right-checkpoint.ipynb",
        r"__MACOSX\week3\right.ipynb",
        r"..\..\.ipynb_checkpoints\right.ipynb",
    ],
)
def test_a_backslash_in_a_zip_separates_folders(tmp_path, notebooks_of, checkpoint):
    data, earlier = notebooks_of
    members = {checkpoint: earlier, "week3\\": b"", r"week3\right.ipynb": data}
    zipped(tmp_path / "ada.zip", members)
    zipped(tmp_path / "alan.zip", {"week3/right.ipynb": data})
    by_student = found_in(tmp_path)
    assert not by_student["ada"].problem and not by_student["ada"].notes
    assert by_student["ada"].digest() == by_student["alan"].digest()


def test_a_file_that_is_twice_in_a_zip_is_the_last(tmp_path, notebooks_of):
    """As when it is unpacked."""
    data, earlier = notebooks_of
    zipped(tmp_path / "ada.zip", {r"week3\a.ipynb": earlier, "week3/a.ipynb": data})
    zipped(tmp_path / "alan.zip", {"a.ipynb": data})
    by_student = found_in(tmp_path)
    assert by_student["ada"].digest() == by_student["alan"].digest()


@pytest.mark.parametrize(
    "name", [r"C:\a.ipynb", r"..\a.ipynb", r"\\server\a.ipynb", r"..\../a.ipynb"]
)
def test_a_backslash_leads_out_of_a_zip_no_more_than_a_slash(
    tmp_path, notebooks_of, name
):
    zipped(tmp_path / "in" / "ada.zip", {name: notebooks_of[0]})
    zipped(tmp_path / "in" / "alan.zip", {name.replace("\\", "/"): notebooks_of[0]})
    before = sorted(tmp_path.rglob("*"))
    ada, alan = found_in(tmp_path / "in").values()
    assert (ada.problem, ada.digest()) == (alan.problem, alan.digest())
    assert ada.read() == notebooks_of[0]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_zip_of_windows_that_was_unpacked_into_one_folder(tmp_path, notebooks_of):
    data, earlier = notebooks_of
    (tmp_path / r"ada\week3.ipynb").write_bytes(data)
    (tmp_path / r"ada\.ipynb_checkpoints\week3.ipynb").write_bytes(earlier)
    (tmp_path / rf"Alan Turing_18{MOODLE}_\my work.v2\a.ipynb").write_bytes(data)
    by_student = found_in(tmp_path)
    assert list(by_student) == ["ada", "Alan Turing (18)"]
    assert not any(one.problem for one in by_student.values())


def with_password(path, method=None):
    """Mark the members of a zip as encrypted, as ZipCrypto or AES (99) do."""
    data = bytearray(path.read_bytes())
    for sign, flag in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(sign)
        data[at + flag] |= 1
        if method:
            data[at + flag + 2 : at + flag + 4] = struct.pack("<H", method)
    path.write_bytes(data)


@pytest.mark.parametrize("method", [None, 99])
@pytest.mark.parametrize("place", ["ada.zip", "ada/week3.zip", "ada/Week 3.ZIP"])
def test_a_zip_with_a_password_is_said_to_have_one(
    tmp_path, notebooks_of, place, method
):
    with_password(zipped(tmp_path / place, {"a.ipynb": notebooks_of[0]}), method)
    problem = found_in(tmp_path)["ada"].problem
    assert problem == "a.ipynb has a password: wanted a zip without one"
    # Readable members beside it are read.
    (tmp_path / "ada").mkdir(exist_ok=True)
    (tmp_path / "ada" / "week3.ipynb").write_bytes(notebooks_of[0])
    assert not found_in(tmp_path)["ada"].problem
