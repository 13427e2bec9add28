"""Where many outputs are right, the properties judge alone, in their own words."""

import dataclasses

from exercises.engine.judge import judge
from exercises.engine.output_in_words import short
from exercises.engine.programs import run_program
from exercises.engine.verdict import RIGHT, WRONG
from exercises.worker import LocalAnswer

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES

TEXTS = EXERCISES["looking_inside.unlearnable_text"]
# A reader's own program, which draws with another generator than the solution.
PROGRAM = """
import random

def texts(count, seed):
    random.seed(seed)

    def text(distances):
        first = random.sample(range(1, 64), 20)
        begin = 20 - random.choice(distances)
        return first + first[begin:begin + 12]

    train = [text({train}) for _ in range(count)]
    return train, [text({test}) for _ in range(count)]
"""
# The last twelve in two pieces, which come from two places of the first twenty.
PIECES = """
def texts(count, seed):
    draw = np.random.default_rng(seed)

    def text(begin, then):
        first = draw.permutation(63)[:20] + 1
        return np.concatenate([first, first[begin:][:6], first[then:][:6]])

    begins = draw.integers(0, 6, size=count)
    train = [text(begin, begin + 8) for begin in begins]
    return train, [text(8, 14) for _ in range(count)]
"""
GOOD = {"train": "range(12, 18)", "test": "[18, 19, 20]"}


def judged(program, seed=1):
    return judge(TEXTS, LocalAnswer(run_program(program, "texts", "python")), seed)


@pytest.mark.parametrize(
    "program",
    [
        PROGRAM.format(**GOOD),
        PROGRAM.format(train="range(14, 21)", test="[13]"),
        PROGRAM.format(**GOOD).replace("return train,", "return np.array(train),"),
        PIECES,
    ],
)
def test_another_right_answer_is_right(program):
    for seed in range(5):
        verdict = judged(program, seed)
        assert verdict.outcome == RIGHT, verdict


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        ("[15]", "[18]", "15 places back, and looks at no token, is right at 100%"),
        ("[14, 19]", "[18]", "is right at 5"),
        ("range(12, 18)", "[17, 18]", "Copies stand 17 places after the original"),
        ("range(12, 18)", "[21]", "(1, 32) is wanted"),
    ],
)
def test_another_wrong_answer_is_told_with_its_number(train, test, words):
    verdict = judged(PROGRAM.format(train=train, test=test))
    assert verdict.outcome == WRONG and words in verdict.message, verdict


def test_the_form_is_judged_by_the_reference():
    shorter = PROGRAM.format(**GOOD).replace("begin + 12", "begin + 11")
    assert "(1, 32) is wanted" in judged(shorter).message


def test_nothing_is_free_without_properties():
    with pytest.raises(ValueError, match=r"checks of .* are missing"):
        dataclasses.replace(TEXTS, checks=())


def test_arrays_in_a_list_are_told_by_their_shapes():
    assert short([np.zeros((2, 5)), np.zeros(1)]) == "[an array of shape (2, 5), [0.]]"
