"""What the tests of exercises share: the collection, and answers from programs."""

from functools import cache

from scratch import weights
from scratch.exercises.answers import LocalAnswer, run_program
from scratch.exercises.registry import all_exercises

import pytest

EXERCISES = all_exercises()


def pairs(frameworks="frameworks", wanted=lambda exercise: True):
    """Parametrise over exercises, each in the frameworks that an attribute names."""
    return pytest.mark.parametrize(
        ("exercise", "framework"),
        [
            pytest.param(exercise, framework, id=f"{exercise_id}-{framework}")
            for exercise_id, exercise in EXERCISES.items()
            if wanted(exercise)
            for framework in getattr(exercise, frameworks)
        ],
    )


def local(exercise, program, framework, variant=0):
    """Return the answer that a program of ours gives."""
    given = exercise.given(variant)
    return LocalAnswer(run_program(program, exercise.name, framework, given))


@pytest.fixture(scope="module", autouse=True)
def one_checkpoint():
    """Read the real model once, however many programs ask for it."""
    patch = pytest.MonkeyPatch()
    patch.setattr(weights, "load_checkpoint", cache(weights.load_checkpoint))
    yield
    patch.undo()
