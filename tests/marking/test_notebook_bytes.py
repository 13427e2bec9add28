"""Files of any kind are read as notebooks, or refused with a reason."""

import gzip
import json
import os

from exercises.marking import feedback, submissions
from exercises.marking.grade import write_marks
from exercises.marking.mark import mark
from exercises.marking.notebook_bytes import contents

import nbformat
import pytest
from helpers.classroom import (
    VALUE,
    a_task,
    code,
    hand_in,
    solved,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")
DAMAGED = "its cells are missing or damaged"
UTF_16 = "it is UTF-16 or binary, not UTF-8"
CELL = '{"cells": [\n{"cell_type": "code", "source": %s}\n]}'
CONFLICT = CELL % '"x"}\n<<<<<<< HEAD\n{"a": 1\n=======\n{"a": 2\n>>>>>>> other\n'
NO_NOTEBOOKS = {
    "text": (b"my answers", "it is no JSON at line 1"),
    "cut_short": ((CELL % '["x"')[:-8].encode(), "it is no JSON at line 2"),
    "conflict": (CONFLICT.encode(), "git left a conflict at line 3"),
    "utf_16": ((CELL % '"x"').encode("utf-16"), UTF_16),
    "utf_16_without_its_mark": ((CELL % '"x"').encode("utf-16-be"), UTF_16),
    "bytes": (bytes(range(256)), UTF_16),
    "latin_1": ((CELL % '"ü"').encode("latin-1"), "line 2 is in another encoding"),
    "web_page": (b"\n<!doctype html>\n<html><body>", "but a web page (HTML)"),
    "zip": (b"PK\3\4 and so on", "but a zip"),
    "gzip": (gzip.compress(b"{}"), "but a gzip file"),
    "pdf": (b"%PDF-1.7", "but a PDF"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS"),
    "no_source": ((CELL % "null").encode(), "cell 1 has null as its source"),
    "source_of_numbers": ((CELL % "[1]").encode(), DAMAGED),
    "number": (b"7", DAMAGED),
    "no_cells": (b'{"a": 1}', DAMAGED),
    "cells_of_numbers": (b'{"cells": [1, 2]}', DAMAGED),
    "worksheets_of_numbers": (b'{"worksheets": [7]}', DAMAGED),
    "long_number": ((CELL % ("1" * 5000)).encode(), "it is no JSON"),
    "deep": (b"[" * 100_000, "it is nested too deep"),
}


def test_a_byte_order_mark_is_no_matter(tmp_path):
    submission = hand_in(tmp_path / "ada.ipynb", *solved(VALUE))
    submission.path.write_bytes(b"\xef\xbb\xbf" + submission.path.read_bytes())
    assert mark(submission, a_task()).total() == 2


@pytest.mark.parametrize("name", NO_NOTEBOOKS)
def test_a_file_that_is_no_notebook_is_said_to_be_none(tmp_path, name):
    """And the student learns why."""
    data, problem = NO_NOTEBOOKS[name]
    (tmp_path / f"{name}.ipynb").write_bytes(data)
    (submission,) = submissions.find(tmp_path)
    result = mark(submission, a_task())
    (note,) = result.notes
    assert note.startswith("the file is not a notebook") and problem in note
    assert note in result.marks[VALUE].message
    assert result.total() == 0


def test_a_notebook_of_an_older_format_is_marked(tmp_path):
    submission = hand_in(tmp_path / "ada.ipynb", *solved(VALUE))
    older = nbformat.convert(nbformat.read(submission.path, as_version=4), 3)
    nbformat.write(older, submission.path, version=3)
    notebook = json.loads(submission.path.read_text())
    assert "cells" not in notebook and notebook["worksheets"]
    assert mark(submission, a_task()).total() == 2
    notebook |= {"cells": []}  # a present one, with a key that is no matter
    assert contents(json.dumps(notebook).encode())[0] == []


def test_files_are_found_by_student(tmp_path):
    hand_in(tmp_path / "ada.ipynb")
    hand_in(tmp_path / "grace" / "answers.ipynb")
    (tmp_path / "grace" / "notes.txt").write_text("see the notebook")
    hand_in(tmp_path / "grace" / ".ipynb_checkpoints" / "answers.ipynb")
    (tmp_path / "mary.pdf").write_text("")
    hand_in(tmp_path / "Alan.ipynb")
    hand_in(tmp_path / "alan" / "mine.ipynb", code("1"))
    (tmp_path / "eve.ipynb").symlink_to("/etc/passwd")
    by_student = {one.student: one for one in submissions.find(tmp_path)}
    assert by_student["ada"].path == tmp_path / "ada.ipynb"
    assert by_student["grace"].path == tmp_path / "grace" / "answers.ipynb"
    assert by_student["mary"].problem == "handed in no notebook (.ipynb), but mary.pdf"
    assert by_student["Alan"].problem.startswith("handed in 2 notebooks: ")
    assert "alan" not in by_student
    assert by_student["eve"].problem == "handed in a link, not a file"


def test_a_name_of_any_bytes_can_be_written_down(tmp_path):
    for name in (b"M\xfcller.ipynb", "Weiß.ipynb".encode(), b"weiss.ipynb"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"{}")
    os.mkfifo(tmp_path / "pipe.ipynb")
    hand_in(tmp_path / ("n" * 252) / "ada.ipynb", *solved(VALUE))
    handed_in = submissions.find(tmp_path)
    assert len({one.student for one in handed_in}) == 5
    problems = {one.student: one.problem for one in handed_in}
    assert problems["pipe"] == "handed in something that is not a file"
    results = [mark(one, a_task()) for one in handed_in]
    write_marks(tmp_path / "marks.csv", results, a_task())
    pages = sorted(feedback.write(tmp_path / "pages", results, a_task()).iterdir())
    assert len(pages) == 5
