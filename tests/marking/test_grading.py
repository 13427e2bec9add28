"""Marking gives each answer what it earned, and contains those that attack it."""

import csv
import gzip
import json
import os
import socket
import unicodedata
from dataclasses import replace
from pathlib import Path

from exercises.chapters.attention import causal_mask
from exercises.engine.cells import markdown
from exercises.engine.registry import find
from exercises.engine.verdict import EXCEPTION, MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.marking import feedback, submissions
from exercises.marking.grade import write_marks
from exercises.marking.mark import ANOTHER_SEED, NOT_MARKED, Mark, Result, mark
from exercises.marking.notebook_bytes import contents
from exercises.marking.release import variant
from exercises.marking.worker_client import Worker

import nbformat
import pytest
from helpers.book import BOOK
from helpers.classroom import (
    ATTACKED,
    ATTACKED_IN_A_CELL,
    FUNCTION,
    PATIENT,
    POINTS,
    SEED,
    VALUE,
    a_task,
    answered,
    code,
    fork_servers_and_workers,
    hand_in,
    handed_in,
    imports,
    mistaken,
    solved,
    untouched,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")


def marked(path, *cells, **how):
    """Mark a notebook that still has the check cells of what it leaves out."""
    text = "".join(cell[1] for cell in cells)
    left = [handed_in(name, "...") for name in POINTS if f'check("{name}"' not in text]
    return mark(hand_in(path / "ada.ipynb", *cells, *left), a_task(**how))


# ---- Honest students -------------------------------------------------------------


def test_what_is_right_earns_its_points(tmp_path):
    result = marked(tmp_path, *solved(VALUE))
    assert result.marks[VALUE].outcome == RIGHT
    assert result.marks[VALUE].points == 2
    assert result.marks[FUNCTION].outcome == NOT_ATTEMPTED
    assert result.total() == 2
    assert result.notes == []


@pytest.mark.slow("a framework whose answers earn nothing")
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_either_framework_is_marked(tmp_path, framework):
    cells = [imports(framework), *solved(FUNCTION, framework)]
    result = marked(tmp_path, *cells)
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_a_mistake_is_named_to_the_student(tmp_path):
    cells, says = mistaken(VALUE, 0)
    result = marked(tmp_path, *cells)
    assert result.marks[VALUE].outcome == MISTAKE
    assert result.marks[VALUE].mistake == says
    assert result.total() == 0


def test_an_untouched_notebook_is_not_attempted(tmp_path):
    result = marked(tmp_path, *untouched())
    assert {one.outcome for one in result.marks.values()} == {NOT_ATTEMPTED}


def test_a_check_that_is_missing_or_failed_is_told(tmp_path):
    answer, _ = solved(VALUE)
    failed = handed_in(FUNCTION, "no_such_name")
    result = mark(hand_in(tmp_path / "ada.ipynb", answer, failed), a_task())
    for one in result.marks.values():
        assert one.outcome == NOT_MARKED
        assert "its check cell is missing or failed" in one.message
    assert result.notes[-1] == f"no check ran of {VALUE}, {FUNCTION}"
    result = mark(hand_in(tmp_path / "ada.ipynb", *untouched()), a_task())
    assert {one.message for one in result.marks.values()} == {"Not attempted yet."}
    assert result.notes == []


def lost(kind):
    """Return cells of an answer in PyTorch that no check hands in."""
    torch, tensorflow, check = untouched()[-3:]
    (_, answer, _), name = solved(FUNCTION, "torch")[0], "causal_mask"
    return {
        "in Markdown": [markdown(answer), tensorflow, check],
        "in a raw cell": [("raw", answer, []), tensorflow, check],
        "renamed": [code(answer.replace(name, "my_mask")), tensorflow, check],
        "failing": [code(f"{answer}\n("), tensorflow, check],
        "below its check": [tensorflow, check, code(answer)],
        "below its check and the starter": [torch, tensorflow, check, code(answer)],
        "without a check": [torch, tensorflow, code(answer)],
    }[kind]


LOST = (
    "in Markdown",
    "in a raw cell",
    "renamed",
    "failing",
    "below its check",
    "below its check and the starter",
    "without a check",
)


@pytest.mark.parametrize("kind", LOST)
def test_an_answer_that_no_check_hands_in_was_attempted(tmp_path, kind):
    """Although the untouched starter of the other framework is handed in."""
    cells = [*lost(kind), *solved(VALUE)]
    result = mark(hand_in(tmp_path / "ada.ipynb", *cells), a_task())
    assert result.marks[FUNCTION].outcome == NOT_MARKED, result
    assert "No answer was handed in: its check cell" in result.marks[FUNCTION].message
    assert result.marks[VALUE].points == 2


@pytest.mark.slow("points that two answers to one task add up")
def test_the_best_of_two_frameworks_counts(tmp_path):
    wrong, _ = mistaken(FUNCTION, 0, "tensorflow")
    cells = [
        imports("torch"),
        *solved(FUNCTION, "torch"),
        imports("tensorflow"),
        *wrong,
    ]
    result = marked(tmp_path, *cells)
    assert result.marks[FUNCTION].outcome == RIGHT, result
    nobodys = handed_in(FUNCTION, "lambda *sizes: 1")  # replaces neither's
    result = marked(tmp_path, *cells, nobodys)
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_an_untouched_starter_replaces_no_answer(tmp_path):
    """Not even where a student's editor changed its spaces, and it stands later."""
    starter = find(FUNCTION).starter_in("tensorflow").replace("    ", "  ")
    later = answered(
        FUNCTION, find(FUNCTION).renamed(starter, "tensorflow"), "tensorflow"
    )
    cells = [imports("torch"), *solved(FUNCTION, "torch"), *later]
    result = marked(tmp_path, *cells)
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_the_framework_that_was_not_asked_for_is_refused(tmp_path):
    cells = [imports("torch"), *solved(FUNCTION, "torch")]
    result = marked(tmp_path, *cells, framework="tensorflow")
    assert result.marks[FUNCTION].outcome == WRONG
    assert "TensorFlow is asked for" in result.marks[FUNCTION].message


def test_the_last_answer_counts(tmp_path):
    wrong, _ = mistaken(VALUE, 0)
    assert marked(tmp_path, *wrong, *solved(VALUE)).total() == 2
    assert marked(tmp_path, *solved(VALUE), *wrong).total() == 0


def test_another_seed_s_notebook_is_noted_and_marked_all_the_same(tmp_path):
    """Anyone can write another number there: it may change no mark."""
    answer, check = solved(VALUE)
    for told in ("1", "10**30", "'x'", "[1]", "None"):
        other = code(check[1].replace(f"={variant(SEED)}", f"={told}"))
        result = marked(tmp_path, answer, other)
        assert result.total() == 2
        assert (ANOTHER_SEED in result.notes) == (told == "1")


def test_a_check_that_asks_for_the_book_s_numbers_is_noted(tmp_path):
    cells = [code(f"weights = [0, 0, 1]\ncheck('{VALUE}', weights)")]
    result = mark(hand_in(tmp_path / "ada.ipynb", *cells), a_task())
    assert f"a check of {VALUE} asks for the book's numbers" in result.notes


def test_a_broken_cell_costs_itself_alone(tmp_path):
    commands = code("%matplotlib inline\n!ls\nprint?\ndisplay(1)")
    broken = [code("1 / 0"), code("def broken(:"), commands]
    result = marked(tmp_path, *broken, *solved(VALUE))
    assert result.total() == 2
    assert (
        result.notes[0]
        == "cell 1, line 1, `1 / 0`: ZeroDivisionError: division by zero"
    )
    assert result.notes[1].startswith("cell 2, line 1")
    assert len(result.notes) == 2


COMMANDS = [
    "%%time\n{}",
    "%%capture out\n\n{}",
    "files = !ls\n?print\n{}",
    "!pip install x \\\n    y\n{}",
    "rest = (7\n    % (3 + 1))\n{}",
    "%pip install --quiet x\n{}",
    "%time {}",
    "%%time\n%%capture out\n\n{}",
    "{}\nweights = %time weights",
    "%time rest = 7\n{}\nall = {{}}\nall['w'] = %time weights\nweights = all['w']",
]


@pytest.mark.parametrize("cell", COMMANDS)
def test_a_command_of_ipython_costs_nothing(tmp_path, cell):
    answer, check = solved(VALUE)
    result = marked(tmp_path, code(cell.format(answer[1])), check)
    assert result.notes == []
    assert result.total() == 2


# What the teaching page says, and cells that do it; `torch.compile` takes too long.
ONLY_IN_JUPYTER = {
    "`_` or `Out[3]`": ["1 + 1", "_ + 1", "Out[1]"],
    "`%%writefile helper.py`, then `import helper`": [
        "%%writefile helper.py\ny = 1",
        "import helper",
    ],
    "`files = !ls`, then `files[0]`": ["files = !ls\nfiles[0]"],
    '`device="cuda"`': ['torch.ones(3, device="cuda")'],
    '`.to("cuda")`': ['torch.ones(3).to("cuda")'],
    "`DataLoader(…, num_workers=2)`": [
        "list(torch.utils.data.DataLoader([1], num_workers=2))"
    ],
    "`multiprocessing`": ["import multiprocessing\nmultiprocessing.Pool(2)"],
    "`subprocess`": ["import subprocess\nsubprocess.run('ls')"],
    "`input()`, `google.colab`": ["input()", "import google.colab"],
    "files from a drive": ["open('data.txt').read()"],
}


def test_what_the_page_says_to_fail_fails_and_costs_itself_alone(tmp_path):
    page = (BOOK / "teaching.md").read_text(encoding="utf-8")
    cells = [code(text) for texts in ONLY_IN_JUPYTER.values() for text in texts]
    result = marked(tmp_path, imports("torch"), *cells, *solved(VALUE))
    assert all(said in page for said in ONLY_IN_JUPYTER)
    failing = len(cells) - 1  # "1 + 1"
    assert len(result.notes) == failing, result.notes
    assert result.marks[VALUE].points == 2


def test_a_line_under_a_command_keeps_its_number(tmp_path):
    result = marked(tmp_path, code("%%time\n\n1 / 0"))
    assert result.notes[0].startswith("cell 1, line 3, `1 / 0`: ZeroDivisionError")


def test_an_answer_may_stand_in_one_cell_with_its_check(tmp_path):
    answer, check = solved(FUNCTION, "torch")
    cells = [imports("torch"), code(f"{answer[1]}\n\n{check[1]}")]
    result = marked(tmp_path, *cells)
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_a_line_of_a_library_is_not_called_the_student_s(tmp_path):
    """In the sandbox Python is another than the one whose packages it sees."""
    function = "causal_mask = torch.nn.functional.softmax"
    layer = "import functools\ncausal_mask = functools.partial(torch.stack, dim='x')"
    own = "def causal_mask(length, key_length):\n    return torch.nn.functional.relu(1)"
    for program, told in ((function, False), (layer, False), (own, True)):
        cells = [imports("torch"), *answered(FUNCTION, program, "torch")]
        mark = marked(tmp_path, *cells).marks[FUNCTION]
        assert mark.outcome == EXCEPTION
        assert ("in your line 2, `return torch" in mark.message) == told, mark
        assert ("your line" in mark.message) == told, mark


def test_a_line_of_the_worker_is_not_called_the_student_s(tmp_path):
    deep = "x = " + "(" * 150 + "1" + ")" * 150 + "\ny = " + "-" * 100_000 + "1"
    result = marked(tmp_path, code(deep), *solved(VALUE))
    assert result.total() == 2
    assert result.notes[0].startswith("cell 1: MemoryError")


@pytest.mark.parametrize(
    "stub",
    [
        "def tf_causal_mask(length, key_length):\n    pass",
        "def tf_causal_mask(length, key_length):\n    raise NotImplementedError",
        "tf_causal_mask = None",
        "tf_causal_mask = [[True]]",
    ],
)
def test_an_unfinished_answer_replaces_none_in_the_other_framework(tmp_path, stub):
    later = [code(stub), handed_in(FUNCTION, "tf_causal_mask")]
    cells = [imports("torch"), *solved(FUNCTION, "torch"), *later]
    result = marked(tmp_path, *cells)
    assert result.marks[FUNCTION].outcome == RIGHT, result


CALLED = """
import functools
class Called:
    def __init__(self, inner): self.inner = inner
    def __call__(self, *sizes): return self.inner(*sizes)
def logged(inner):
    def logging(*sizes): return inner(*sizes)
    return logging
wrong = torch.zeros
"""


@pytest.mark.parametrize("wrap", ["functools.partial", "Called", "logged"])
def test_answers_whose_code_tells_no_framework_replace_none(tmp_path, wrap):
    """The notebook's names tell them apart."""
    right, check = solved(FUNCTION, "torch")
    wrapped = code(f"causal_mask, tf_causal_mask = {wrap}(causal_mask), {wrap}(wrong)")
    cells = [imports("torch"), code(CALLED), right, wrapped, check]
    result = marked(tmp_path, *cells, handed_in(FUNCTION, "tf_causal_mask"))
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_an_answer_that_is_no_name_costs_itself_alone(tmp_path):
    cell = code(f'check("{FUNCTION}", no_such_name)\ncheck("no.such.exercise", 1)')
    assert marked(tmp_path, cell, *solved(VALUE)).total() == 2


def test_without_a_sandbox_the_same_is_right(tmp_path):
    result = marked(tmp_path, *solved(VALUE), limits=replace(PATIENT, sandbox=False))
    assert result.total() == 2


# ---- Files -----------------------------------------------------------------------

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
    found = hand_in(tmp_path / "ada.ipynb", *solved(VALUE))
    found.path.write_bytes(b"\xef\xbb\xbf" + found.path.read_bytes())
    assert mark(found, a_task()).total() == 2


@pytest.mark.parametrize("name", NO_NOTEBOOKS)
def test_a_file_that_is_no_notebook_is_said_to_be_none(tmp_path, name):
    """And why: the student has to mend it."""
    data, problem = NO_NOTEBOOKS[name]
    (tmp_path / f"{name}.ipynb").write_bytes(data)
    (found,) = submissions.find(tmp_path)
    result = mark(found, a_task())
    (note,) = result.notes
    assert note.startswith("the file is not a notebook") and problem in note
    assert note in result.marks[VALUE].message
    assert result.total() == 0


def test_a_notebook_of_an_older_format_is_marked(tmp_path):
    found = hand_in(tmp_path / "ada.ipynb", *solved(VALUE))
    older = nbformat.convert(nbformat.read(found.path, as_version=4), 3)
    nbformat.write(older, found.path, version=3)
    notebook = json.loads(found.path.read_text())
    assert "cells" not in notebook and notebook["worksheets"]
    assert mark(found, a_task()).total() == 2
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
    found = {one.student: one for one in submissions.find(tmp_path)}
    assert found["ada"].path == tmp_path / "ada.ipynb"
    assert found["grace"].path == tmp_path / "grace" / "answers.ipynb"
    assert found["mary"].problem == "handed in no notebook (.ipynb), but mary.pdf"
    assert found["Alan"].problem.startswith("handed in 2 notebooks: ")
    assert "alan" not in found
    assert found["eve"].problem == "handed in a link, not a file"


def test_a_name_of_any_bytes_can_be_written_down(tmp_path):
    for name in (b"M\xfcller.ipynb", "Weiß.ipynb".encode(), b"weiss.ipynb"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"{}")
    os.mkfifo(tmp_path / "pipe.ipynb")
    hand_in(tmp_path / ("n" * 252) / "ada.ipynb", *solved(VALUE))
    found = submissions.find(tmp_path)
    assert len({one.student for one in found}) == 5
    problems = {one.student: one.problem for one in found}
    assert problems["pipe"] == "handed in something that is not a file"
    results = [mark(one, a_task()) for one in found]
    write_marks(tmp_path / "marks.csv", results, a_task())
    pages = sorted(feedback.write(tmp_path / "pages", results, a_task()).iterdir())
    assert len(pages) == 5


# ---- Hostile students ------------------------------------------------------------

IGNORE = """
import signal
for number in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
"""
# Until it is killed it does no work: only "endless loop" itself has to be a busy one.
ENDLESS_LOOP = "import time\nwhile True: time.sleep(0.1)"
FORGE = """
import os, struct
frame = struct.pack(">II", 4, 0) + b"true"
for descriptor in range(3, 64):
    try:
        os.write(descriptor, frame * 10)
    except OSError:
        pass
"""
PATCH = """
import sys, numpy, builtins, scratch, exercises.engine.check_hint_solution
yes = lambda *args, **kwargs: True
numpy.allclose = numpy.isclose = numpy.array_equal = yes
builtins.all = builtins.isinstance = yes
exercises.engine.check_hint_solution.judge = yes
for module in ("answers", "wire"):
    for name in ("reply", "describe"):
        if hasattr(sys.modules[module], name):
            setattr(sys.modules[module], name, yes)
"""
# Well formed, and more than a reply may hold once it is read; or what none can be.
BOMBS = (
    '{"bytes": 1000000000000000}',
    '{"array": "(1,f8", "shape": [1]}',
    '{"failure": null, "handed_in": [["x", {"float": "inf"}, {}]]}',
    '{"failure": {"kind": "x", "message": "", "line": "", "line_number": [1]}}',
)
BOMB = f"""
import os, struct
frames = b""
for bomb in {BOMBS!r}:
    frames += struct.pack(">II", len(bomb), 0) + bomb.encode()
for descriptor in range(3, 64):
    try:
        os.write(descriptor, frames)
    except OSError:
        pass
"""
# Bodies of the function that should build a mask.
HOSTILE_ANSWERS = {
    "endless loop": "while True: pass",
    "endless loop that cannot be interrupted": f"{IGNORE}\n{ENDLESS_LOOP}",
    "sleep": "import time; time.sleep(10_000)",
    "os._exit": "import os; os._exit(0)",
    "SystemExit": "raise SystemExit",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "endless recursion": "return causal_mask(length, key_length)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "50 GB at once": "return bytearray(50 << 30)",
    "50 GB by pieces": "kept = []\nwhile True: kept.append(bytearray(64 << 20))",
    "50 GB of shared memory": (
        "import mmap\nkept = []\nwhile True:\n"
        "    kept.append(mmap.mmap(-1, 64 << 20)); kept[-1].write(b'1' * (64 << 20))"
    ),
    "fork bomb": "import os\nwhile True: os.fork()",
    "fork bomb by threads": (
        "import threading, time\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(99,)).start()"
    ),
    "full disk": "open('/tmp/full', 'wb').write(bytes(1 << 30))",
    "full disk by pieces": (
        "for n in range(10**6):\n    open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))"
    ),
    "full device folder": "open('/dev/shm/full', 'wb').write(bytes(1 << 20))",
    "huge array": "import numpy as np\nreturn np.zeros(1 << 28)",
    "huge text": "return 'x' * (1 << 28)",
    "huge output": "while True: print('x' * (1 << 20))",
    "huge number": "return 10 ** 100_000",
    "endless nesting": "a = []\na.append(a)\nreturn a",
    "forged results": FORGE,
    "forged bombs": BOMB,
    "forged bombs after a reply": f"{FORGE}\n{BOMB}",
    "a name that cannot be written": "causal_mask.__name__ = chr(0xD800)",
    "long texts": "return ['x' * 6_000] + [0] * 100_000",
    "forged results, endless": f"while True:\n{FORGE}".replace("\n", "\n    "),
    "patched libraries": f"{PATCH}\nreturn None",
    "background process": (
        "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass"
    ),
    "subprocess": "import subprocess\nreturn subprocess.run(['sleep', '99'])",
    "new namespace": "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0",
    "memory outside the limits": "import os\nos.memfd_create('x')",
    "an object with hostile methods": (
        "class Evil:\n    __class__ = property(lambda self: 1 / 0)\n"
        "    def __eq__(self, other): return True\nreturn Evil()"
    ),
}


def indented(body):
    return "\n".join("    " + line for line in body.splitlines())


def hostile_answer(body):
    program = f"def causal_mask(length, key_length):\n{indented(body)}\n"
    return answered(FUNCTION, program)


# These do nothing but last, and are stopped sooner than those that fill something.
ENDLESS = {
    "endless loop",
    "endless loop that cannot be interrupted",
    "sleep",
    "huge output",
    "forged results, endless",
    "subprocess",
}


@pytest.mark.parametrize("name", HOSTILE_ANSWERS)
def test_a_hostile_answer_costs_itself_alone(tmp_path, name):
    cells = [*hostile_answer(HOSTILE_ANSWERS[name]), *solved(VALUE)]
    limits = replace(ATTACKED, seconds=0.5) if name in ENDLESS else ATTACKED
    result = marked(tmp_path, *cells, limits=limits)
    assert result.marks[FUNCTION].points == 0
    assert result.marks[FUNCTION].outcome in (WRONG, EXCEPTION)
    assert result.marks[VALUE].points == 2, result


HOSTILE_CELLS = {
    "endless loop": ENDLESS_LOOP,
    "endless loop that cannot be interrupted": f"{IGNORE}\n{ENDLESS_LOOP}",
    "os._exit": "import os; os._exit(0)",
    "SystemExit": "raise SystemExit",
    "50 GB": "x = bytearray(50 << 30)",
    "forged results": FORGE,
    "forged bombs": BOMB,
    "patched libraries": PATCH,
    "closed pipes": "import os; os.closerange(0, 256)",
    "no builtins": "import builtins; vars(builtins).clear()",
    "another check": "def check(*args): raise SystemExit",
    "a million answers": "for n in range(10**6): check('attention.causal_mask', n)",
}


@pytest.mark.parametrize("name", HOSTILE_CELLS)
def test_a_hostile_cell_earns_nothing(tmp_path, name):
    cells = [*solved(VALUE), code(HOSTILE_CELLS[name])]
    limits = ATTACKED_IN_A_CELL
    if name in ENDLESS:
        limits = replace(limits, cell_seconds=0.5)
    result = marked(tmp_path, *cells, limits=limits)
    assert result.marks[FUNCTION].points == 0
    honest = [r for r in [result.marks[VALUE]] if name not in ("patched libraries",)]
    assert all(one.points == 2 for one in honest), result


def test_a_hostile_notebook_does_not_reach_the_next(tmp_path):
    for body in ("patched libraries", "forged results", "os._exit"):
        attack = hostile_answer(HOSTILE_ANSWERS[body])
        marked(tmp_path / body, *attack, limits=ATTACKED)
    assert marked(tmp_path, *solved(VALUE)).total() == 2


STEAL = """
import os, scratch
book = os.path.dirname(scratch.__file__)
read = []
for path in ({submission!r}, {checks!r}, book + "/exercises/attention/causal_mask.py"):
    try:
        read.append(open(path).read())
    except OSError:
        pass
raise ValueError(f"read {{len(read)}} files")
"""


def test_neither_checks_nor_other_submissions_can_be_read(tmp_path):
    other = hand_in(tmp_path / "grace.ipynb", *solved(VALUE))
    body = STEAL.format(submission=str(other.path), checks=causal_mask.__file__)
    result = marked(tmp_path, *hostile_answer(body))
    assert "read 0 files" in result.marks[FUNCTION].message
    # The attack is a real one: where there are no walls it reads them.
    result = marked(
        tmp_path, *hostile_answer(body), limits=replace(PATIENT, sandbox=False)
    )
    assert result.marks[FUNCTION].outcome == EXCEPTION
    assert "read 0 files" not in result.marks[FUNCTION].message


def test_the_home_folder_is_out_of_reach(tmp_path):
    home = Path.home() / f".hostile-{os.getpid()}"
    write = "open({!r}, 'w').write('x')"
    for path in (home, tmp_path / "hostile"):
        body = write.format(str(path))
        assert marked(tmp_path, *hostile_answer(body)).total() == 0
        assert not path.exists()


def test_no_socket_reaches_out(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        body = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)"
        result = marked(tmp_path, *hostile_answer(body))
        assert result.marks[FUNCTION].outcome == EXCEPTION
        with pytest.raises(BlockingIOError):
            server.accept()


def test_no_process_is_left(tmp_path):
    worker = Worker(PATIENT)
    assert fork_servers_and_workers()[1]
    worker.stop()
    for name in ("background process", "endless loop that cannot be interrupted"):
        marked(tmp_path, *hostile_answer(HOSTILE_ANSWERS[name]), limits=ATTACKED)
    assert fork_servers_and_workers()[1] == []


def test_the_worker_sees_neither_seed_nor_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("TEACHERS_SECRET", "forty-two")
    body = (
        "import os\n"
        "told = str(dict(os.environ))\n"
        "for process in filter(str.isdigit, os.listdir('/proc')):\n"
        "    for name in ('cmdline', 'environ'):\n"
        "        told += open(f'/proc/{process}/{name}').read()\n"
        "raise ValueError('TEACHERS' in told or 'secret' in told)"
    )
    result = marked(tmp_path, *hostile_answer(body))
    assert "ValueError" in result.marks[FUNCTION].message
    assert "False" in result.marks[FUNCTION].message


def test_students_words_are_escaped_in_feedback(tmp_path):
    body = "raise ValueError('<script>alert(1)</script>')"
    result = marked(tmp_path, *hostile_answer(body))
    text = feedback.page(result, a_task())
    assert "&lt;script&gt;" in text
    assert "<script>" not in text


FORMULAS = (
    "=HYPERLINK(1)",
    "\n=1",
    " =1",
    "＝1",
    "@x",
    "-1",
    "a;=1;b",
    "a\t=1",
    'a";=1,',
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_students_words_are_no_formulas_whatever_separates_cells(tmp_path, separator):
    marks = {name: Mark(0, WRONG, "") for name in POINTS}
    results = [Result(words, marks, [words, words]) for words in FORMULAS]
    write_marks(tmp_path / "marks.csv", results, a_task())
    with (tmp_path / "marks.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file, delimiter=separator) for cell in row]
    assert len(cells) > len(FORMULAS)
    starts = {unicodedata.normalize("NFKC", cell.strip('" '))[:1] for cell in cells}
    assert not starts & set("=+-@")


def test_a_prediction_has_one_answer_whatever_is_imported_meanwhile(tmp_path):
    guess = [code(f"x = {n}\n" + handed_in(VALUE, "x")[1]) for n in (1, 2)]
    result = marked(tmp_path, *solved(VALUE), imports("torch"), *guess)
    assert result.marks[VALUE].points == 0


def test_a_notebook_has_a_time_for_all_its_cells(tmp_path):
    cells = [code("import time; time.sleep(0.5)")] * 60
    limits = replace(PATIENT, cell_seconds=2, notebook_seconds=2)
    result = marked(tmp_path, *cells, *solved(VALUE), limits=limits)
    assert result.marks[VALUE].points == 2
    assert "the notebook ran for more than 2 seconds" in result.notes


def test_a_cell_that_is_too_large_costs_itself_alone(tmp_path):
    result = marked(tmp_path, code(f"text = '{'x' * 10**6}'"), *solved(VALUE))
    assert result.marks[VALUE].points == 2
    assert "larger than a cell may be" in result.notes[0]


@pytest.mark.slow("a cell so deep that it ends the parser")
def test_a_cell_that_no_parser_takes_costs_itself_alone(tmp_path):
    # IPython reads the cell again for each command, and after 500 no more.
    hostile = [code("/f\n" * 501), code('=%"""\r'), code("x = []; x.append(x)")]
    result = marked(tmp_path, *hostile, handed_in(FUNCTION, "x"), *solved(VALUE))
    assert result.marks[VALUE].points == 2
    assert len(result.notes) == 2


def test_all_runs_of_a_notebook_share_its_time(tmp_path):
    """An answer that ends the program has the cells run again, in what time is left."""
    program = "def {}(length, key_length):\n    import os; os._exit(0)\n"
    cells = [
        code("import time; time.sleep(1.2)"),
        *answered(FUNCTION, program.format("causal_mask")),
        *answered(FUNCTION, program.format("tf_causal_mask"), "tensorflow"),
        *solved(VALUE),
    ]
    result = marked(tmp_path, *cells)
    assert (result.total(), result.notes) == (2, [])
    # Enough for the cells once, however slow they are, and too little for them twice.
    limits = replace(PATIENT, cell_seconds=2, notebook_seconds=2)
    result = marked(tmp_path, *cells, limits=limits)
    assert result.total() == 2
    assert "the notebook ran for more than 2 seconds" in result.notes


def test_of_many_failures_some_are_noted(tmp_path):
    cells = [code(f"1 / {'0' * n}") for n in range(1, 60)]
    result = marked(tmp_path, *cells, *solved(VALUE))
    assert result.marks[VALUE].points == 2
    assert len(result.notes) == 20


def test_an_answer_handed_in_many_times_is_judged_once(tmp_path):
    tries = [code(f"x = {n}\n" + handed_in(VALUE, "x")[1]) for n in range(9)]
    result = marked(tmp_path, *tries)
    assert result.marks[VALUE].points == 0
    assert json.dumps(result.notes) == "[]"
