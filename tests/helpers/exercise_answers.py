"""All exercises, and answers of several kinds, for the tests of exercises."""

import dataclasses
import re

from exercises.engine import notebooks
from exercises.engine.check_hint_solution import solution_text
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.programs import run_program
from exercises.engine.registry import CHAPTERS, all_exercises
from exercises.worker import About, LocalAnswer, Reply
from exercises.worker.asking.converting import to_numpy
from helpers.book import BOOK

import pytest

EXERCISES = all_exercises()
SEEDS = (1, 2, 3)


def variants(exercise, framework="python"):
    """Return the variants to try; the book shows 0.

    Both frameworks draw the same values, so most are tried in the faster one.
    """
    if not exercise.values:
        return (0,)
    return (0, 1) if framework == "tensorflow" else (0, 1, 2, 3)


def shows_exercises(chapter):
    """Whether the chapter's notebook has its section "Exercises"."""
    path = notebooks.chapter_notebook(chapter, BOOK)
    if not path.exists():
        return False
    start, end = notebooks.exercises_in(notebooks.read(path))
    return start < end


# The rules for a whole chapter apply once it shows its exercises.
SHOWN = [chapter for chapter in CHAPTERS if shows_exercises(chapter)]


def pairs(frameworks="frameworks", wanted=lambda exercise: True, by_chapter=False):
    """Parametrise over exercises, each in the frameworks that the attribute lists.

    by_chapter: whether each chapter may have a process of its own.
    """

    def marks(exercise_id):
        chapter = exercise_id.partition(".")[0]
        return [pytest.mark.xdist_group(chapter)] if by_chapter else []

    return pytest.mark.parametrize(
        ("exercise", "framework"),
        [
            pytest.param(
                *(exercise, framework),
                id=f"{exercise_id}-{framework}",
                marks=marks(exercise_id),
            )
            for exercise_id, exercise in EXERCISES.items()
            if wanted(exercise)
            for framework in getattr(exercise, frameworks)
        ],
    )


def local(exercise, program, framework, variant=0):
    """Return the answer that one of our programs gives."""
    given = exercise.given(variant)
    return LocalAnswer(run_program(program, exercise.name, framework, given))


@dataclasses.dataclass
class Rewritten:
    """An answer that does what our program does, but is written differently."""

    inner: LocalAnswer

    def about(self):
        return dataclasses.replace(self.inner.about(), fingerprint="")

    def reply(self, case, framework):
        return self.inner.reply(case, framework)


@dataclasses.dataclass
class FromReference:
    """An answer without a program: the right output, which `spoil` may change.

    spoil(output, first argument) returns another output. `questions` counts the calls.
    """

    exercise: object
    spoil: object = lambda output, first: output
    questions: int = 0

    def about(self):
        made_in = [name for name in self.exercise.frameworks if name in FRAMEWORKS]
        return About(self.exercise.kind_of_answer, "answer", tuple(made_in[:1]))

    def reply(self, case, framework):
        self.questions += 1
        named = dict(case.kwargs) if self.exercise.cases else self.exercise.drawn()
        if case.new is not None:
            named |= {"weights": case.weights, **case.new}
        right, _ = to_numpy(self.exercise.reference(*case.args, **named))
        first = [*case.args, *case.kwargs.values(), None][0]
        made_of = (framework,) if framework in FRAMEWORKS else ()
        return Reply(self.spoil(right, first), made_of)


def printed_solution(exercise, framework, variant=0):
    """Return a framework's program as the solution shows it to a reader."""
    text = solution_text(exercise, variant)
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == len(exercise.frameworks)
    return programs[exercise.frameworks.index(framework)]
