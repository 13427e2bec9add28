"""Nothing unearned is accepted.

What is said of answers in general is tried once for each kind of answer.
"""

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.judge import judge
from exercises.engine.verdict import EXCEPTION, NOT_ATTEMPTED, WRONG
from exercises.worker import LocalAnswer

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, FromReference, local

A_FUNCTION, A_CLASS, A_VALUE, IN_PYTHON = (
    "attention.causal_mask",
    "multi_head.mixed_up_heads",
    "attention.weights_by_hand",
    "tokenization.likeliest_pair",
)


def each_array(change):
    """Apply a change to every array or number of an output."""

    def spoil(output, first_argument=None):
        if isinstance(output, list | tuple):
            return type(output)(map(spoil, output))
        if isinstance(output, dict):
            return {key: spoil(value) for key, value in output.items()}
        return change(output) if isinstance(output, np.ndarray) else type(output)()

    return spoil


SPOILS = {
    "zeros": each_array(np.zeros_like),
    "ones": each_array(np.ones_like),
    "a constant": lambda output, first: 7,
    "a text": lambda output, first: "forty-two",
    "the input": lambda output, first: "no input" if first is None else first,
    "NaN": each_array(lambda a: np.full(a.shape, np.nan)),
    "an axis more": each_array(lambda a: a[None]),
    "an empty array": lambda output, first: np.zeros(0),
    "texts": each_array(lambda a: a.astype(str)),
    "nested once more": lambda output, first: [[output]],
    "an object": lambda output, first: object(),
}


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_nothing_unearned_is_accepted(exercise_id):
    for name, spoil in SPOILS.items():
        answer = FromReference(EXERCISES[exercise_id], spoil)
        verdict = judge(EXERCISES[exercise_id], answer, 1, name_mistakes=False)
        assert verdict.outcome in (WRONG, EXCEPTION), (name, verdict)


@pytest.mark.parametrize("exercise_id", [A_FUNCTION, A_CLASS, A_VALUE, IN_PYTHON])
def test_a_crash_is_reported_as_one(exercise_id):
    exercise = EXERCISES[exercise_id]

    def crashing(*args, **kwargs):
        raise ZeroDivisionError("the reader's own words")

    if exercise.kind_of_answer == "class":
        crashing = type("Crashing", (), {"__init__": crashing})
    verdict = judge(exercise, LocalAnswer(crashing), 1)
    if exercise.kind_of_answer == "value":
        assert verdict.outcome == WRONG
    else:
        assert verdict.outcome == EXCEPTION
        assert "the reader's own words" in verdict.message


@pytest.mark.parametrize("answer", [None, ...])
@pytest.mark.parametrize("exercise_id", [A_FUNCTION, A_CLASS, A_VALUE, IN_PYTHON])
def test_nothing_is_not_attempted(exercise_id, answer):
    verdict = judge(EXERCISES[exercise_id], LocalAnswer(answer), 1)
    assert verdict.outcome == NOT_ATTEMPTED


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("exercise_id", [A_FUNCTION, A_CLASS])
def test_the_other_framework_is_refused(exercise_id, framework):
    exercise = EXERCISES[exercise_id]
    answer = local(exercise, exercise.solution_in(framework), framework)
    (other,) = set(FRAMEWORKS) - {framework}
    verdict = judge(exercise, answer, 1, framework=other)
    assert verdict.outcome in (WRONG, EXCEPTION), verdict
