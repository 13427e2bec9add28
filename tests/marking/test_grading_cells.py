"""A notebook's cells run as in Jupyter, and no cell costs another its time."""

from dataclasses import replace

from exercises.engine.judge import judge
from exercises.engine.registry import find
from exercises.engine.verdict import RIGHT
from exercises.marking import mark as marking
from exercises.marking.mark import NOT_MARKED, mark
from exercises.marking.release import variant
from exercises.marking.sandbox import Limits
from exercises.worker import LocalAnswer

import pytest
from helpers.classroom import (
    FUNCTION,
    PATIENT,
    SEED,
    VALUE,
    a_task,
    answered,
    code,
    hand_in,
    handed_in,
    imports,
    solved,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")


def marked(path, *cells, limits=PATIENT):
    return mark(hand_in(path / "ada.ipynb", *cells), a_task(limits=limits))


def the_value(result):
    """Return the points for the answer that is a value, which is right, and the notes.

    No framework has to be imported for it.
    """
    return result.marks[VALUE].points, result.notes


# ---- Compiled as in a notebook ---------------------------------------------------

UNQUOTED = """
import math, typing
def causal_mask(length, key_length) -> Mask: return 7
class Config:
    def parent(self) -> Config | None: pass
    later: Later = None
class Later: pass
assert typing.get_type_hints(Config)["later"] is Later
import __main__, pickle
assert __main__.Config is Config and pickle.loads(pickle.dumps(Config)) is Config
"""


@pytest.mark.parametrize("apart", [True, False])
def test_what_one_cell_imports_from_the_future_holds_for_all(tmp_path, apart):
    future = "from __future__ import annotations\n"
    cells = [code(future), code(UNQUOTED)] if apart else [code(future + UNQUOTED)]
    result = marked(tmp_path, *cells, *solved(VALUE), handed_in(FUNCTION, "..."))
    assert the_value(result) == (2, [])
    result = marked(tmp_path, code(UNQUOTED))  # and for none without it
    assert "NameError: name 'Mask' is not defined" in result.notes[0]


def test_a_cell_may_await(tmp_path):
    awaiting = """
import asyncio
async def add(a, b):
    await asyncio.sleep(0)
    return a + b
three = await asyncio.ensure_future(add(1, 2))
async with asyncio.Lock():
    four = three + 1
"""
    cells = [code(awaiting), code("assert (await add(three, four)) == 7")]
    result = marked(tmp_path, *cells, *solved(VALUE), handed_in(FUNCTION, "..."))
    assert the_value(result) == (2, [])


# ---- Cells that never end --------------------------------------------------------

IGNORING = """
import signal, time
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True: time.sleep(0.1)
"""
SOON = replace(PATIENT, cell_seconds=1, notebook_seconds=3)


@pytest.mark.slow("a cell that ends its kernel and others' answers")
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("stop", ["while True: pass", "import os; os._exit(0)"])
def test_cells_that_never_end_or_end_all_cost_no_other_answer(tmp_path, stop, first):
    """Wherever they are, and though there is no time for most of them."""
    stops = [code(f"{stop}  # {n}") for n in range(12)]
    right = solved(VALUE)
    cells = [*stops, *right] if first else [*right, *stops]
    result = marked(tmp_path, *cells, limits=SOON)
    assert result.marks[VALUE].points == 2, result
    assert any("was stopped" in note for note in result.notes)
    assert "a cell of the notebook was stopped" in result.marks[FUNCTION].message


def test_what_was_handed_in_counts_when_all_time_is_gone(tmp_path):
    """The last cell takes the worker with it, and there is no time to run all anew.

    Slow, because only a worker that will not stop is waited for in vain.
    """
    limits = replace(PATIENT, cell_seconds=0.5, notebook_seconds=0.5)
    result = marked(tmp_path, *solved(VALUE), code(IGNORING), limits=limits)
    assert result.marks[VALUE].points == 2, result


def test_thousands_of_cells_share_the_time_too(tmp_path, monkeypatch):
    """Each takes less than a cell's limit when no time is left."""
    asked, run_cell = [], marking.Worker.run_cell

    def counted(worker, cell, seconds):
        asked.append(cell)
        return run_cell(worker, cell, seconds)

    monkeypatch.setattr(marking.Worker, "run_cell", counted)
    limits = replace(PATIENT, cell_seconds=0.5, notebook_seconds=0.5)
    tiny = [code(f"import time; time.sleep(0.009)  # {n}") for n in range(600)]
    result = marked(tmp_path, *solved(VALUE), *tiny, limits=limits)
    assert len(asked) < 200  # as many as 1.5 seconds have room for
    assert the_value(result)[0] == 2
    assert "the notebook ran for more than 0.5 seconds" in result.notes


def test_a_cell_that_is_stopped_keeps_what_it_has_done(tmp_path):
    answer, check = solved(VALUE)
    both = code(f"{answer[1]}\n{check[1]}\nwhile True: pass\nlost = 1")
    # When an answer ends the program, the cell runs again, but with no second wait.
    ends = answered(FUNCTION, "def causal_mask(a, b):\n    import os; os._exit(0)")
    last = [code("n = 0\nwhile n < 1: n += 1"), handed_in(VALUE, "weights")]
    result = marked(tmp_path, both, *ends, *last, limits=SOON)
    assert result.marks[VALUE].points == 2, result
    assert result.notes == [
        "cell 1 was stopped, line 6, `while True: pass`: TookTooLong: it ran for more "
        "than 1 seconds"
    ]


def test_each_cell_that_is_stopped_is_noted(tmp_path):
    """But there is no second wait for the first after the second ended the program."""
    cells = [code("while True: pass"), code("import os; os._exit(0)"), *solved(VALUE)]
    points, notes = the_value(marked(tmp_path, *cells, limits=SOON))
    assert points == 2
    assert [note[:18] for note in notes] == ["cell 1 was stopped", "cell 2 was stopped"]


def test_an_exception_of_no_usual_kind_costs_its_statement_alone(tmp_path):
    answer, check = solved(VALUE)
    cell = code(f"raise GeneratorExit\n{answer[1]}\n{check[1]}")
    result = marked(tmp_path, cell, handed_in(FUNCTION, "..."))
    assert result.marks[VALUE].points == 2
    assert "was stopped" not in result.notes[0]


def test_a_student_s_words_are_not_taken_for_the_marking_s(tmp_path):
    result = marked(tmp_path, code("raise ValueError('it was stopped')"))
    assert "its check cell is missing or failed" in result.marks[VALUE].message
    assert result.notes[-1] == f"no check ran of {VALUE}, {FUNCTION}"


@pytest.mark.parametrize(
    "limits", [{"cell_seconds": 400}, {"cell_seconds": 10, "notebook_seconds": 9}]
)
def test_a_cell_s_time_is_part_of_its_notebook_s(limits):
    with pytest.raises(ValueError, match=r"cell_seconds is .*: wanted at most"):
        Limits(**limits)
    assert Limits(cell_seconds=400, notebook_seconds=400)


# ---- Many answers ----------------------------------------------------------------


def test_hundreds_of_checks_lose_no_answer(tmp_path):
    tries = [handed_in(VALUE, f"lambda: {n}") for n in range(300)]
    result = marked(tmp_path, *tries, *solved(VALUE), handed_in(FUNCTION, "..."))
    assert the_value(result) == (2, [])
    assert result.marks[FUNCTION].message == "Not attempted yet."


def test_too_many_answers_are_said_to_be_too_many(tmp_path):
    many = f"for n in range(1100):\n    check('{VALUE}', eval(f'lambda: {{n}}'))"
    later = answered(FUNCTION, "def causal_mask(a, b):\n    return 1")
    result = marked(tmp_path, code(many), *later)
    assert result.marks[FUNCTION].outcome == NOT_MARKED
    assert "its check cell is missing or failed" in result.marks[FUNCTION].message
    failed = [note for note in result.notes if "1000 answers are handed in" in note]
    assert len(failed) == 2  # in the loop, and in the check that came after


def test_the_last_of_answers_that_are_alike_counts(tmp_path):
    answer, check = solved(VALUE)
    wrong = check[1].rpartition("\n")[2].replace(", weights", ", [1, 0, 0]")
    last = f"{answer[1]}\n{check[1]}\n"
    for cell, points in ((f"{last}{wrong}", 0), (f"{last}{wrong}\n{last}", 2)):
        assert marked(tmp_path, code(cell)).marks[VALUE].points == points


# ---- Answers that nobody copies --------------------------------------------------

STRANGE = {
    "a generator": (VALUE, "weights = (n for n in range(3))"),
    "a module": (VALUE, "import math as weights"),
    "lists in lists": (VALUE, "weights = 0\nfor _ in range(500): weights = [weights]"),
    "an object of tensors": (
        VALUE,
        """
import dataclasses, torch
@dataclasses.dataclass
class Point: x: object
weights = Point(torch.ones(3, requires_grad=True) * 2)
""",
    ),
    "yield": (FUNCTION, "def causal_mask(length, key_length): yield length"),
    "async": (FUNCTION, "async def causal_mask(length, key_length): return length"),
}


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(("name", "program"), STRANGE.values(), ids=STRANGE)
def test_what_cannot_be_copied_is_told_as_in_the_notebook(tmp_path, name, program):
    exercise, scope = find(name), {"__name__": "__main__"}
    exec(program, scope)
    answer = LocalAnswer(scope[exercise.name])
    there = judge(exercise, answer, 1, variant=variant(SEED)).message
    result = marked(tmp_path, imports("torch"), *answered(name, program))
    assert result.marks[name].message == there
    assert "wanted" in there


def test_plain_python_that_ends_the_program_is_of_no_framework(tmp_path):
    # Its check can't read it, so the judge asks for it.
    program = """
class Ends(list):
    asked = 0
    def __iter__(self):
        import os
        Ends.asked += 1
        return 1 / 0 if Ends.asked == 1 else os._exit(0)
weights = Ends()
"""
    result = marked(tmp_path, imports("torch"), *answered(VALUE, program))
    assert result.marks[VALUE].message.startswith("Your answer was stopped: it ended")


# ---- The judge -------------------------------------------------------------------


def test_an_answer_that_keeps_the_judge_busy_costs_itself_alone(tmp_path, monkeypatch):
    judge = marking.judge

    def busy(exercise, *args, **how):
        while exercise.name == "causal_mask":
            pass
        return judge(exercise, *args, **how)

    monkeypatch.setattr(marking, "judge", busy)
    monkeypatch.setattr(marking, "_MOST_JUDGING", 0.3)
    answer = answered(FUNCTION, "def causal_mask(a, b):\n    return 1")
    result = marked(tmp_path, *answer, *solved(VALUE))
    assert "takes too long to compare" in result.marks[FUNCTION].message
    monkeypatch.setattr(marking, "_MOST_JUDGING", 20)
    assert result.marks[VALUE].points == 2


def test_a_name_that_a_later_cell_gives_to_another_costs_no_answer(tmp_path):
    """Its helpers have the values that they had when its check ran."""
    program = """
def causal_mask(length, key_length):
    query_at = place(length) + (key_length - length)
    ago = query_at[:, None] - place(key_length)
    return ((ago >= 0) & (ago < WINDOW))[None, None]
WINDOW, place = 4, torch.arange
"""
    below = code("WINDOW = 2\ndef place(n): return n")
    cells = [imports("torch"), *answered(FUNCTION, program, "torch")]
    result = marked(tmp_path, *cells, below)
    assert result.marks[FUNCTION].outcome == RIGHT, result
    result = marked(tmp_path, *cells, code("del WINDOW, place"))
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_a_value_that_a_later_cell_changes_in_place_costs_no_answer(tmp_path):
    """Of whatever type; even an unreadable value costs nothing else."""
    answer, check = solved(VALUE)
    as_lists = "weights = [[w] for w in weights]"
    as_array = "import numpy as np\nweights = np.array(weights)"
    for wrapping, change in [
        ("", "[0] = 7"),
        (as_lists, "[0][0] = 7"),
        (as_array, "[:] = 7"),
    ]:
        cells = [answer, code(wrapping), check, code(f"weights{change}")]
        result = marked(tmp_path, *cells, handed_in(FUNCTION, "..."))
        assert the_value(result) == (2, []), wrapping
    endless = code("weights = []\nweights.append(weights)")
    result = marked(tmp_path, endless, check, handed_in(FUNCTION, "..."))
    assert "Your value cannot be read" in result.marks[VALUE].message
    assert the_value(result) == (0, [])
