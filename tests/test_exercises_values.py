"""Whatever numbers a class draws, no wrong value is the right one."""

import copy
import math
from collections import Counter
from functools import cache

from exercises.engine.comparing import (
    difference,
    is_rounded,
    misfit,
    short,
    unwrapped,
)
from exercises.engine.judge import MISTAKE, RIGHT, WRONG, judge
from exercises.engine.registry import CHAPTERS, chapter_exercises
from exercises.worker import LocalAnswer
from exercises.worker.converting import to_numpy

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, local, pairs

# The book's, and of those that a class may get one in nine.
VARIANTS = (0, *range(1000, 10_000, 9))
MOST = 120
JUDGED = 3
# Whose mistakes train, and take a second; or read a text a dozen times.
SLOW = {"A vocabulary of your own": 10, "The hardest word": 20}
# So many tasks at least can a class get, and this share of them at most has one answer.
LEAST = 50
SHARE = 0.1


def draws(exercise, most=MOST):
    """Return the last variant of each task that a release can hold, so many at most.

    The first is 0, the book's, unless a release has the book's task.
    """
    return all_draws(exercise)[:most]


@cache
def all_draws(exercise):
    found = {repr(exercise.drawn(variant)): variant for variant in VARIANTS}
    return list(found.values())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_class_gets_one_of_many_tasks_and_never_the_book_s(chapter):
    for name, exercise in chapter_exercises(chapter).items():
        if not exercise.values:
            continue
        book, *others = draws(exercise)
        assert book == 0, name
        assert len(others) >= LEAST, name
        answers = Counter()
        for variant in others:
            right = exercise.right(variant)
            assert differ(exercise, right, exercise.right(book)), (name, variant)
            answers[short(unwrapped(right), 4)] += 1
        assert max(answers.values()) <= max(1, SHARE * len(others)), (name, answers)


def differ(exercise, got, right):
    got = unwrapped(got, right)
    return misfit(got, right) or difference(got, right, exercise.tolerance)


@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_no_draw_makes_a_mistake_right(exercise, framework):
    """Of all that a release can hold, or of many: collisions are easily missed."""
    for variant in draws(exercise, SLOW.get(exercise.title, MOST)):
        given = exercise.given(variant)
        for says, program in exercise.mistakes_in(framework, variant):
            got = value_of(exercise, program, given)
            assert differ(exercise, got, given["right"]), (variant, says, got)


def value_of(exercise, program, given):
    """Return the value of a program, as the judge sees it and ten times as fast."""
    values = {name: one for name, one in given.items() if not callable(one)}
    scope = {"math": math, "np": np, **given, **copy.deepcopy(values)}
    exec(compiled(program), scope)
    return to_numpy(scope[exercise.name])[0]


@cache  # most programs are the same for every draw
def compiled(program):
    return compile(program, "<mistake>", "exec")


@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_the_judge_names_a_mistaken_value(exercise, framework):
    """Two mistakes may give the same answer; then either name will do.

    Few draws are enough: a mistake that is not right is like itself in the list, and
    the first variants are judged in test_exercises_named.py.
    """
    for variant in draws(exercise, JUDGED):
        for says, program in exercise.mistakes_in(framework, variant):
            answer = local(exercise, program, framework, variant)
            verdict = judge(exercise, answer, 1, variant=variant)
            assert verdict.outcome == MISTAKE, (variant, says, verdict)


@pytest.mark.parametrize(
    ("got", "told"),
    [
        (0.69, True),  # rounded
        (0.7, True),
        (0.6, True),  # cut off
        (0.68, False),  # wrong, however many decimals are wanted
        (0.694, False),  # neither: its last digit is wrong
        (0.5, False),
        (0.0, False),
        (0.7031471805599453, False),  # has all that a float has
    ],
)
def test_a_right_value_with_too_few_decimals_is_told_so(got, told):
    tolerance = 0.0004
    words = difference(got, 0.6931471805599453, tolerance, tell=False)
    assert ("more decimals" in words) is told
    assert "more decimals" not in difference(got, 0.6931, tolerance, tell=True)


@pytest.mark.parametrize(
    ("got", "rounded"),
    [
        ([106.667, 2715.3], True),
        ([106.66, 2715.3], False),  # cut off
        ([106.667, 2715], False),  # not to as many decimals
        ([107, 2715], False),  # whole numbers may be anything
        ([106.667], False),
        ([106.667, [2715.3]], False),
        ([106.667, "many"], False),
    ],
)
def test_rounded_numbers_are_recognised(got, rounded):
    assert is_rounded(got, [106.66667, 2715.3]) is rounded


def test_a_rounded_mistake_has_its_name():
    warm_up = EXERCISES["transformer.warm_up"]
    says, program = warm_up.mistakes_in("python")[0]
    value = local(warm_up, program, "python").answer
    assert judge(warm_up, LocalAnswer(round(value, 3)), 1).mistake == says
    assert judge(warm_up, LocalAnswer(value + 0.01), 1).outcome == WRONG


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
