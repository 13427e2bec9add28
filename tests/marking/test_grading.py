"""Marking gives each answer what it earned."""

from dataclasses import replace

from exercises.engine.cells import markdown
from exercises.engine.registry import find
from exercises.engine.verdict import EXCEPTION, MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG
from exercises.marking.mark import ANOTHER_SEED, NOT_MARKED, mark
from exercises.marking.release import variant

import pytest
from helpers.book import BOOK
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
    marked,
    mistaken,
    solved,
    untouched,
)

pytestmark = pytest.mark.usefixtures("bubblewrap")


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
    """Even though the other framework's untouched starter is handed in."""
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
    nobodys = handed_in(FUNCTION, "lambda *sizes: 1")  # replaces neither answer
    result = marked(tmp_path, *cells, nobodys)
    assert result.marks[FUNCTION].outcome == RIGHT, result


def test_an_untouched_starter_replaces_no_answer(tmp_path):
    """Not even if it comes later and a student's editor changed its spaces."""
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
    """Anyone can write another number there, so it must not change a mark."""
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


# The teaching page's words, and cells that do this; `torch.compile` takes too long.
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
    """In the sandbox, Python is not the one to which the packages belong."""
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
