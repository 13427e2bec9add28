"""Marking contains answers, cells and notebooks that attack it."""

import json
import os
import socket
from dataclasses import replace
from pathlib import Path

from exercises.chapters.attention import causal_mask
from exercises.engine.verdict import EXCEPTION, WRONG
from exercises.marking.worker_client import Worker

import pytest
from helpers.classroom import (
    ATTACKED,
    ATTACKED_IN_A_CELL,
    FUNCTION,
    PATIENT,
    VALUE,
    answered,
    code,
    fork_servers_and_workers,
    hand_in,
    handed_in,
    imports,
    marked,
    solved,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")
IGNORE = """
import signal
for number in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
"""
# It sleeps until it is killed; only "endless loop" itself has to be busy.
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
# Well formed, but larger than a reply may be once it is read, or impossible.
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


# These only take time, and are stopped sooner than those that fill something.
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
    """After an answer that ends the program, the cells run again in the time left."""
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
