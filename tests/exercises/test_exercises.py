"""A solution is right, a starter is "not attempted", in both frameworks."""

from exercises.engine import check_hint_solution
from exercises.engine.cells import task
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.judge import judge
from exercises.engine.programs import prelude, run_program
from exercises.engine.verdict import NOT_ATTEMPTED, RIGHT
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
from helpers.read_once import one_checkpoint  # noqa: F401


@pairs()
def test_the_solution_is_right(exercise, framework):
    for variant in variants(exercise, framework):
        answer = local(exercise, exercise.solution_in(framework, variant), framework)
        # With the framework named or not. A seed's questions are the same in both
        # frameworks, so the faster one is asked more.
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
def test_the_printed_solution_is_what_the_check_is_given(exercise_id, monkeypatch):
    """It is pasted below the starters, and the check's cell stays as it is.

    Values are not computed again: the cell asks for their name.
    """
    exercise, given = EXERCISES[exercise_id], []
    monkeypatch.setattr(
        check_hint_solution, "check", lambda *asked: given.append(asked)
    )
    _, *starters, (_, check_cell, _) = task(exercise_id, exercise)
    for framework in exercise.frameworks:
        printed = printed_solution(exercise, framework)
        solution = exercise.solution_in(framework)
        assert printed == exercise.renamed(solution, framework)
        if exercise.kind_of_answer == "value":
            printed = f"{exercise.name} = object()"
        scope = {"__name__": "__main__"}
        for name in FRAMEWORKS:
            exec(prelude(name), scope)
        for _, text, _ in starters:
            exec(text, scope)
        name = exercise.name if exercise.one_starter else exercise.name_in(framework)
        starter = scope[name]
        exec(printed, scope)
        exec(check_cell, scope)
        assert scope[name] is not starter
        assert any(asked == (exercise_id, scope[name]) for asked in given)
