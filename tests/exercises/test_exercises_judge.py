"""What the judge says of outputs that nobody expects, and how long it takes."""

import dataclasses
import time

from exercises.engine.judge import judge
from exercises.engine.known_mistakes import known_mistakes
from exercises.engine.verdict import MISTAKE, RIGHT, WRONG
from exercises.marking import worker_client
from exercises.marking.sandbox import Limits
from exercises.marking.worker_client import RemoteAnswer, WorkerLostError
from exercises.worker import About, Failure, Reply
from exercises.worker.wire import MOST_HEADER, pack, unpack

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, FromReference

SEED = 1


@dataclasses.dataclass
class Replying:
    """An answer with the same reply to every question, as the wire brings it."""

    exercise: object
    message: tuple  # (header, bytes)
    made_of: tuple = ()

    def about(self):
        frameworks = ("torch",) if self.made_of else ()
        return About(self.exercise.kind_of_answer, "answer", frameworks)

    def reply(self, case, framework):
        return Reply(unpack(*self.message), self.made_of)


def nested(depth, inner=0):
    for _ in range(depth):
        inner = [inner]
    return inner


def wide(depth):
    return [wide(depth - 1) for _ in range(9)] if depth else 0.5


# As large as a message may be, or nearly. The judge reads some entry by entry.
WORST = {
    "truth values": lambda: np.zeros(31_000_000, bool),
    "bytes": lambda: np.zeros((5_000, 6_000), np.uint8),
    "three rows": lambda: np.zeros((3, 10_000_000), bool),
    "three columns": lambda: np.zeros((10_000_000, 3), bool),
    "many axes": lambda: np.zeros((2,) * 24, bool),
    "single precision": lambda: np.zeros(7_900_000, np.float32),
    "double precision": lambda: np.full(3_900_000, np.nan),
    "half precision": lambda: np.full(15_000_000, np.inf, np.float16),
    "whole numbers": lambda: np.arange(3_900_000),
    "a tuple of rows": lambda: tuple(np.zeros((3, 10_000_000), bool)),
    "tiny arrays": lambda: [np.zeros(0)] * 25_000,
    "a list of numbers": lambda: [1] * 300_000,
    "a list of NaN": lambda: [float("nan")] * 50_000,
    "rows that differ in length": lambda: [[0] * (n % 5) for n in range(50_000)],
    "a list in a list": lambda: [[0.25] * 40_000, 0, 0],
    "lists in lists": lambda: nested(300),
    "lists in all lists": lambda: wide(4),
    "dictionaries": lambda: {n: {"x": {}} for n in range(20_000)},
    "a set": lambda: set(range(100_000)),
    "a text": lambda: "a " * 490_000,
    "complex numbers": lambda: np.zeros(9, complex),
    "objects": lambda: [object()] * 40_000,
    "an array of objects": lambda: np.array([object()] * 9),
}


@pytest.mark.slow("an output so large that judging it takes seconds")
@pytest.mark.parametrize("form", WORST)
def test_the_largest_output_is_judged_at_once(form):
    small, large = pack(0.123), pack(WORST[form]())
    assert len(large[0]) <= MOST_HEADER
    for name, made_of in (
        ("attention.weights_by_hand", ()),  # several numbers
        ("pretraining.next_halves", ()),  # a function in plain Python
        ("attention.causal_mask", ("torch",)),
        ("encoder.lost_mask", ("torch",)),  # which returns several tensors
    ):
        exercise = EXERCISES[name]
        # Right outputs and mistakes are computed once for all answers.
        judge(exercise, Replying(exercise, small, made_of), SEED)
        begun = time.process_time()
        verdict = judge(exercise, Replying(exercise, large, made_of), SEED)
        assert time.process_time() - begun < 2, name
        assert verdict.outcome == WRONG, (name, verdict)
        assert verdict.mistake == ""


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (np.zeros(400_000), r"The shape is (400000,); a list of 3 is wanted."),
        ([0] * 10_001, "It has more than 10000 entries; a list of 3 is wanted."),
        (nested(40), "It holds lists in lists, more than 30 deep; a list of 3"),
        (np.zeros(400), "It has 400 entries"),
    ],
)
def test_sizes_that_differ_are_said(output, words):
    exercise = EXERCISES["fine_tuning.count_windows"]
    right = exercise.right()
    words = words.replace("a list of 3", f"a list of {len(right)}")
    verdict = judge(exercise, Replying(exercise, pack(output)), SEED)
    assert verdict.message.startswith(words), verdict


def test_an_answer_that_is_long_to_read_is_given_up(monkeypatch):
    """Each reply is small enough, but there may be forty."""
    monkeypatch.setattr(worker_client, "_MOST_READING", 0.05)

    class Worker:
        limits = Limits()

        def reply(self, index, case, framework, seconds):
            end = time.process_time() + 0.02
            while time.process_time() < end:
                pass

    answer = RemoteAnswer(Worker(), 0, About("function"))
    for _ in range(3):
        answer.reply(None, None)
    with pytest.raises(WorkerLostError, match="more than an answer needs"):
        answer.reply(None, None)


# ---- The mistake's name ----------------------------------------------------------

DEFECTS = {
    "NumPy": {"made_of": ("numpy",)},
    "changed in place": {"changed": "argument `x`"},
    "detached": {"frozen": "query"},
    "gradient is NaN": {"nan": "query"},
}
# Each has a mistake that only long inputs reveal, or one that changes an argument.
RIGHT_IN_PART = [
    "embeddings.sinusoidal_table",
    "embeddings.train_the_table",
    "attention.causal_mask",
    "decoder.target_mask",
    "decoder.mask_only_in_training",
    "decoder.cached_step",
    "todays_decoder.neighbours",
]


@dataclasses.dataclass
class Defective(FromReference):
    """An answer with right numbers in a wrong form."""

    defect: dict = dataclasses.field(default_factory=dict)

    def reply(self, case, framework):
        return dataclasses.replace(super().reply(case, framework), **self.defect)


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("name", RIGHT_IN_PART)
def test_right_numbers_in_a_wrong_form_are_no_known_mistake(name, defect):
    exercise = EXERCISES[name]
    assert judge(exercise, Defective(exercise), SEED).outcome == RIGHT
    verdict = judge(exercise, Defective(exercise, defect=DEFECTS[defect]), SEED)
    assert (verdict.outcome, verdict.mistake) == (WRONG, ""), verdict


def test_a_mistake_in_the_same_form_is_named_all_the_same():
    name, words = "embeddings.train_the_table", "change the table that is passed in"
    exercise = EXERCISES[name]
    ((says, _),) = [
        pair for pair in known_mistakes(exercise, "torch", 0, SEED) if words in pair[0]
    ]
    changed = {"changed": "argument `table`"}
    verdict = judge(exercise, Defective(exercise, defect=changed), SEED)
    assert (verdict.outcome, verdict.mistake) == (MISTAKE, says)


class InTheseCasesAlone(FromReference):
    """An answer that is right in all `cases` and otherwise returns zeros."""

    def reply(self, case, framework):
        cases = [repr(one.args) for one in self.exercise.calls(SEED)]
        reply = super().reply(case, framework)
        spoilt = np.zeros_like(reply.output)
        return (
            reply
            if repr(case.args) in cases
            else dataclasses.replace(reply, output=spoilt)
        )


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        ("attention.causal_mask", True),  # wrong in a long case, as a known mistake
        ("todays_decoder.neighbours", False),  # where a property is asked for
    ],
)
def test_a_mistake_that_is_right_in_all_cases_fails_at_the_same_place(name, is_named):
    exercise = EXERCISES[name]
    verdict = judge(exercise, InTheseCasesAlone(exercise), SEED)
    assert verdict.outcome == (MISTAKE if is_named else WRONG), verdict


def test_an_exception_in_other_words_is_no_known_mistake():
    """Nearly every mistake with an index is an IndexError."""
    exercise = EXERCISES["todays_decoder.shared_keys"]
    known = {
        answer.reply(case, "torch").failure
        for _, answer in known_mistakes(exercise, "torch", 0, SEED)
        for case in exercise.calls(SEED)
    }
    assert any(failure and failure.kind == "IndexError" for failure in known)
    of_its_own = {"failure": Failure("IndexError", "there is no such row")}
    verdict = judge(exercise, Defective(exercise, defect=of_its_own), SEED)
    assert verdict.mistake == "", verdict
