"""What the tests of exercises share: the collection, and answers from programs."""

import re
from functools import cache

from exercises.engine import notebooks
from exercises.engine.programs import run_program
from exercises.engine.reader import solution_text
from exercises.engine.registry import CHAPTERS, all_exercises
from exercises.worker import LocalAnswer
from helpers.notebooks import BOOK
from scratch import weights

import pytest

EXERCISES = all_exercises()


def shows_exercises(chapter):
    """Whether the chapter's notebook has its section "Exercises"."""
    path = notebooks.chapter_notebook(chapter, BOOK)
    if not path.exists():
        return False
    start, end = notebooks.exercises_in(notebooks.read(path))
    return start < end


# The rules for a whole chapter hold from the day on which it shows its exercises.
SHOWN = [chapter for chapter in CHAPTERS if shows_exercises(chapter)]


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


def printed_solution(exercise, framework, variant=0):
    """Return a framework's program as the solution shows it to a reader."""
    text = solution_text(exercise, variant)
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == len(exercise.frameworks)
    return programs[exercise.frameworks.index(framework)]


@pytest.fixture(scope="module", autouse=True)
def one_checkpoint():
    """Read the real model once, however many programs ask for it."""
    patch = pytest.MonkeyPatch()
    patch.setattr(weights, "load_checkpoint", cache(weights.load_checkpoint))
    yield
    patch.undo()
