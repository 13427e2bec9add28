"""No wrong value is right, whatever numbers a class draws."""

import copy
import math
import re
from collections import Counter
from functools import cache
from inspect import ismodule

from exercises.engine.judge import judge
from exercises.engine.known_mistakes import known_mistakes
from exercises.engine.output_difference import difference, is_rounded
from exercises.engine.output_form import misfit, unwrapped
from exercises.engine.output_in_words import short
from exercises.engine.registry import CHAPTERS, chapter_exercises
from exercises.engine.verdict import WRONG
from exercises.worker import LocalAnswer
from exercises.worker.asking.converting import to_numpy

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, local, pairs

# The book's variant, and one in nine of those that a class may get.
VARIANTS = (0, *range(1000, 10_000, 9))
MOST = 120
# Fewer where mistakes train, run a real model or read a text a dozen times. Most of
# these values are decimals, which are rarely equal.
SLOW = {
    "A vocabulary of your own": 5,
    "The hardest word": 10,
    "The city neuron in another sentence": 20,
    "How similar are they?": 20,
    "How many units are active?": 40,
    "An encoder with a causal mask": 20,
    "Does the passage read the question?": 20,
    "The sentence in the middle": 20,
    "A real matrix in a few bits": 20,
    "MiniLM without a mask": 20,
    "Updates that get lost": 20,
    "Chosen here, judged there": 20,
}
# The fewest tasks that a class can get, and the largest share with one answer.
LEAST = 50
SHARE = 0.1


@cache
def draws(exercise):
    """Return the last variant of each task that a release can hold, so many at most.

    The first is 0, the book's, unless a release has the book's task.
    """
    tasks = {}
    for variant in VARIANTS:
        tasks[repr(exercise.drawn(variant))] = variant
        if len(tasks) == MOST:
            break
    return list(tasks.values())


@pytest.mark.slow("a draw that gives half a class the same task")
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


DECIMALS = {"one": 1, "two": 2, "three": 3, "four": 4}


def asked_decimals(exercise):
    """Return how many decimals an exercise asks for, or 0 where it does not say."""
    # "two decimals of the first and three of the second"
    match = re.search(
        r"\b(\w+) decimals?(?: of the first and (\w+))?", exercise.prompt.lower()
    )
    return max(DECIMALS.get(word, 0) for word in match.groups()) if match else 0


def in_decimals(value, decimals, shorten=round):
    """Return a value with its floats shortened."""
    if isinstance(value, list):
        return [in_decimals(part, decimals, shorten) for part in value]
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return shorten(value, decimals)


def cut_off(number, decimals):
    return math.trunc(number * 10**decimals) / 10**decimals


def differ(exercise, got, right):
    got = unwrapped(got, right)
    return misfit(got, right) or difference(got, right, exercise.tolerance)


@pytest.mark.slow("a draw for which a wrong number is the right one")
@pairs("mistaken_in", wanted=lambda exercise: exercise.values)
def test_no_draw_makes_a_mistake_right(exercise, framework):
    """Of all that a release can hold, or of many: collisions are easily missed.

    Nor does it with as many decimals as are asked for, which are enough for the right
    value.
    """
    asked = asked_decimals(exercise)
    for variant in draws(exercise)[: SLOW.get(exercise.title)]:
        given = exercise.given(variant)
        right = given["right"]
        if asked:
            short_right = in_decimals(unwrapped(right), asked)
            assert not differ(exercise, short_right, right), (variant, short_right)
        for says, program in exercise.mistakes_in(framework, variant):
            got = value_of(exercise, program, given)
            assert differ(exercise, got, right), (variant, says, got)
            if asked:
                got = in_decimals(unwrapped(got), asked)
                assert differ(exercise, got, right), (variant, says, got)


@pytest.mark.slow("a mistake that is asked for more decimals")
@pairs("mistaken_in", wanted=lambda exercise: exercise.kind_of_answer == "value")
def test_only_what_is_right_but_shortened_may_want_decimals(exercise, framework):
    """A mistake that begins like the right value gets no such message."""
    right = unwrapped(exercise.right())
    for says, known in known_mistakes(exercise, framework, 0, 1):
        reply = known.reply(exercise.calls(1)[0], framework)
        if reply.failure:
            continue
        value = unwrapped(reply.output, right)
        shortened = [
            in_decimals(value, decimals, shorten)
            for decimals in (4, 3, 2, 1)
            for shorten in (round, cut_off)
        ]
        for got in (value, *shortened):
            verdict = judge(exercise, LocalAnswer(got), 1, name_mistakes=False)
            if "more decimals" in verdict.message:
                assert begins_like(got, right, exercise.tolerance), (says, verdict)


def begins_like(got, right, tolerance):
    """Whether each number is the right one, rounded or cut off to its decimals."""
    if isinstance(right, list):
        parts = zip(got, right, strict=True)
        return all(begins_like(one, other, tolerance) for one, other in parts)
    if got == right or not isinstance(got, float):
        return got == right
    decimals = len(f"{got:.12f}".rstrip("0").partition(".")[2])
    shortened = {round(right, decimals), cut_off(right, decimals)}
    return got in shortened or math.isclose(
        got, right, rel_tol=tolerance, abs_tol=tolerance
    )


def value_of(exercise, program, given):
    """Return a program's value as the judge sees it, but ten times as fast."""
    values = {
        name: one
        for name, one in given.items()
        # The exercise is among its file's names: most of a copy's time, for nothing.
        if not callable(one) and not ismodule(one) and one is not exercise
    }
    scope = {"math": math, "np": np, **given, **copy.deepcopy(values)}
    exec(compiled(program), scope)
    return to_numpy(scope[exercise.name])[0]


@cache  # most programs are the same for every draw
def compiled(program):
    return compile(program, "<mistake>", "exec")


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
        (0.7031471805599453, False),  # has all decimals of a float
    ],
)
def test_a_right_value_with_too_few_decimals_is_told_so(got, told):
    tolerance = 0.0004
    words = difference(got, 0.6931471805599453, tolerance, tell=False)
    assert ("more decimals" in words) is told
    assert "more decimals" not in difference(got, 0.6931, tolerance, tell=True)


@pytest.mark.parametrize(
    ("got", "told"),
    [
        ([0.54, 0.4, 0], True),
        ([0.5, 0.5, 0], True),
        ([0.5, 0.42, 0.08], False),  # the first may be cut off, but not the others
        ([0.5, 0.4, 0.1], False),
    ],
)
def test_too_few_decimals_are_too_few_in_each_number(got, told):
    words = difference(got, [6 / 11, 5 / 11, 0], 0.0037, tell=False)
    assert ("more decimals" in words) is told


@pytest.mark.parametrize(
    ("got", "rounded"),
    [
        ([106.667, 2715.3], True),
        ([106.66, 2715.3], False),  # cut off
        ([106.667, 2715], False),  # not to as many decimals
        ([107, 2715], True),
        ([106.667], False),
        ([106.667, [2715.3]], False),
        ([106.667, "many"], False),
    ],
)
def test_rounded_numbers_are_recognised(got, rounded):
    assert is_rounded(got, [106.66667, 2715.3]) is rounded


def test_a_small_whole_number_is_nothing_rounded():
    assert not is_rounded(1, 0.7)


def test_a_rounded_mistake_has_its_name():
    warm_up = EXERCISES["transformer.warm_up"]
    says, program = warm_up.mistakes_in("python")[0]
    value = local(warm_up, program, "python").answer
    assert judge(warm_up, LocalAnswer(round(value, 3)), 1).mistake == says
    assert judge(warm_up, LocalAnswer(value + 0.01), 1).outcome == WRONG


def test_a_whole_mistake_is_named_beside_a_rounding_error():
    exercise = EXERCISES["many_machines.sharded_memory"]
    says, whole = next(
        (says, answer.reply(None, "python").output)
        for says, answer in known_mistakes(exercise, "python", 0, 1)
        if says.startswith("The second number divides the moments only")
    )
    computed = [number * (1 - 1e-15) for number in whole]
    assert computed != whole
    assert judge(exercise, LocalAnswer(computed), 1).mistake == says
    computed[1] += 0.1
    assert judge(exercise, LocalAnswer(computed), 1).mistake != says


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (16384.0, "16384"),
        (123456.0, "123456"),
        (12345678.0, "1.23e+07"),
        (3141.59, "3142"),
        (0.12345, "0.123"),
        (1e-9, "1e-09"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_numbers_are_told_as_one_reads_them(number, told):
    assert short(number) == told
