"""Whatever numbers a class draws, no wrong value is the right one."""

from exercises.engine.comparing import difference
from exercises.engine.judge import MISTAKE, RIGHT, WRONG, judge
from exercises.worker import LocalAnswer

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, local, pairs

# Those that a class may get, and the book's.
VARIANTS = (0, *range(1000, 10_000))


MOST = 40


def draws(exercise):
    """Return one variant of each task that a release can hold, forty at most."""
    found = {repr(exercise.drawn(variant)): variant for variant in VARIANTS}
    return list(found.values())[:MOST]


@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_no_draw_makes_a_mistake_right(exercise, framework):
    """Many that a release can hold are tried: a few collisions are easily missed.

    Two mistakes may give the same answer; then either name will do.
    """
    for variant in draws(exercise):
        for says, program in exercise.mistakes_in(framework, variant):
            answer = local(exercise, program, framework, variant)
            verdict = judge(exercise, answer, 1, variant=variant)
            told = f"{exercise.drawn(variant)}\n{says}\n{verdict}"
            assert verdict.outcome == MISTAKE, told


@pytest.mark.parametrize(
    ("got", "told"),
    [
        (0.69, True),  # rounded
        (0.7, True),
        (0.6, True),  # cut off
        (0.68, False),  # wrong, however many decimals are wanted
        (0.5, False),
        (0.0, False),
        (0.7031471805599453, False),  # has all that a float has
    ],
)
def test_a_right_value_with_too_few_decimals_is_told_so(got, told):
    tolerance = 0.0006
    words = difference(got, 0.6931471805599453, tolerance, tell=False)
    assert ("more decimals" in words) is told
    assert "more decimals" not in difference(got, 0.6931, tolerance, tell=True)


def test_weights_by_hand_to_two_decimals_are_told_from_mistakes():
    """As many as the task asks for."""
    exercise = EXERCISES["attention.weights_by_hand"]
    for variant in draws(exercise):
        right = local(exercise, exercise.solution_in("python", variant), "python")
        rounded = LocalAnswer(np.round(right.answer, 2))
        assert judge(exercise, rounded, 1, variant=variant).outcome == RIGHT
        for says, program in exercise.mistakes_in("python", variant):
            answer = local(exercise, program, "python", variant)
            rounded = LocalAnswer(np.round(answer.answer, 2))
            verdict = judge(exercise, rounded, 1, variant=variant)
            assert verdict.outcome in (WRONG, MISTAKE), says
