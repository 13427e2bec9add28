"""Whatever numbers a class draws, no wrong value is the right one."""

import copy
import math

from exercises.engine.comparing import difference, misfit, unwrapped
from exercises.engine.judge import MISTAKE, RIGHT, WRONG, judge
from exercises.worker import LocalAnswer
from exercises.worker.converting import to_numpy

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, local, pairs

# The book's, and of those that a class may get one in nine.
VARIANTS = (0, *range(1000, 10_000, 9))
MOST = 400
JUDGED = 10


def draws(exercise, most=MOST):
    """Return one variant of each task that a release can hold, so many at most."""
    found = {repr(exercise.drawn(variant)): variant for variant in VARIANTS}
    return list(found.values())[:most]


@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_no_draw_makes_a_mistake_right(exercise, framework):
    """Of hundreds that a release can hold: a few collisions are easily missed."""
    for variant in draws(exercise):
        given = exercise.given(variant)
        for says, program in exercise.mistakes_in(framework, variant):
            got = unwrapped(value_of(exercise, program, given), given["right"])
            told = f"{exercise.drawn(variant)}\n{says}\n{got}"
            assert misfit(got, given["right"]) or difference(
                got, given["right"], exercise.tolerance
            ), told


def value_of(exercise, program, given):
    """Return the value of a program, as the judge sees it and ten times as fast."""
    values = {name: one for name, one in given.items() if not callable(one)}
    scope = {"math": math, "np": np, **given, **copy.deepcopy(values)}
    exec(program, scope)
    return to_numpy(scope[exercise.name])[0]


@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_the_judge_names_a_mistaken_value(exercise, framework):
    """Two mistakes may give the same answer; then either name will do."""
    for variant in draws(exercise, JUDGED):
        for says, program in exercise.mistakes_in(framework, variant):
            answer = local(exercise, program, framework, variant)
            verdict = judge(exercise, answer, 1, variant=variant)
            told = f"{exercise.drawn(variant)}\n{says}\n{verdict}"
            assert verdict.outcome == MISTAKE, told


def test_no_release_has_the_numbers_of_the_book():
    for name, exercise in EXERCISES.items():
        book = repr(exercise.drawn())
        for variant in VARIANTS[1::10] if exercise.values else ():
            assert repr(exercise.drawn(variant)) != book, name


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
