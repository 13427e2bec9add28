"""A solution is right, a starter is "not attempted", in both frameworks."""

from exercises.engine import reader
from exercises.engine.cells import task
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.judge import NOT_ATTEMPTED, RIGHT, judge
from exercises.engine.programs import prelude, run_program
from exercises.worker import LocalAnswer

import pytest
from helpers.exercise_answers import (
    EXERCISES,
    SEEDS,
    local,
    pairs,
    printed_solution,
    variants,
)
from helpers.real_model import one_checkpoint  # noqa: F401


@pairs()
def test_the_solution_is_right(exercise, framework):
    for variant in variants(exercise, framework):
        answer = local(exercise, exercise.solution_in(framework, variant), framework)
        # whether or not it is said which framework is asked for; the questions of a
        # seed are the same in both frameworks, and the faster one is asked more
        ways = (None, framework, None)[: 1 if framework == "tensorflow" else 3]
        for seed, asked in zip(SEEDS, ways, strict=False):
            verdict = judge(exercise, answer, seed, framework=asked, variant=variant)
            assert verdict.outcome == RIGHT, verdict.message


@pairs()
def test_the_starter_is_not_attempted(exercise, framework):
    for variant in variants(exercise):
        program = exercise.starter_in(framework, variant)
        for written in (program, exercise.renamed(program, framework)):
            name = exercise.name if written == program else exercise.name_in(framework)
            answer = LocalAnswer(run_program(written, name, framework))
            assert judge(exercise, answer, 1, variant=variant).outcome == NOT_ATTEMPTED


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_printed_solution_answers_the_check(exercise_id, monkeypatch):
    """It is pasted below the starters, and the check's cell stays as it is.

    The programs of a value differ in how they compute it only: both are right above.
    """
    exercise = EXERCISES[exercise_id]
    _, *starters, (_, check_cell, _) = task(exercise_id, exercise)
    frameworks = exercise.frameworks
    if exercise.one_starter:
        for framework in frameworks:
            shown = printed_solution(exercise, framework)
            assert shown == exercise.solution_in(framework)
        frameworks = frameworks[:1]
    for framework in frameworks:
        shown = []
        monkeypatch.setattr(reader, "_show", shown.append)
        scope = {"__name__": "__main__"}
        for name in FRAMEWORKS:
            exec(prelude(name), scope)
        for _, text, _ in starters:
            exec(text, scope)
        exec(printed_solution(exercise, framework), scope)
        exec(check_cell, scope)
        signs = [message.sign for message in shown]
        place = exercise.frameworks.index(framework) if len(signs) > 1 else 0
        assert signs[place] == "✓", (framework, shown)
