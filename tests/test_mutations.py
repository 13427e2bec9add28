"""One changed token in a solution is noticed, unless it changes nothing.

Up to a hundred changes of every solution are judged. Each must be found wrong, or stand
in the exercise's `equivalent` with the reason why it computes the same.
"""

import dataclasses
import warnings

from exercises.engine.judge import RIGHT, judge
from exercises.engine.programs import run_program
from exercises.worker import (
    LocalAnswer,
    TookTooLongError,
    time_limit,
    undisturbed,
)

from helpers.exercise_answers import EXERCISES, one_checkpoint, pairs  # noqa: F401
from helpers.mutations import mutants

MOST = 100
SEEDS = (1, 2, 3)
SECONDS = 1


def survives(exercise, program, framework, seconds=SECONDS):
    """Whether every seed finds the program right."""
    warnings.simplefilter("ignore")
    try:
        with undisturbed(), time_limit(seconds):
            answer = run_program(program, exercise.name, framework)
    except (Exception, TookTooLongError):
        return False
    answer = LocalAnswer(answer, seconds)
    return all(
        judge(exercise, answer, seed, framework=framework, name_mistakes=False).outcome
        == RIGHT
        for seed in SEEDS
    )


@pairs()
def test_every_change_of_a_solution_is_noticed(exercise, framework, request):
    solution = exercise.solution_in(framework)
    name = request.node.callspec.id
    # The first program of a framework imports it.
    assert survives(exercise, solution, framework, seconds=120)
    changed = mutants(solution, MOST, seed=name)
    alive = [
        line for line, program in changed if survives(exercise, program, framework)
    ]
    unexplained = [line for line in alive if line not in exercise.equivalent]
    print(f"\n{name}: {len(changed)} changed, {len(alive)} alive")
    for line in alive:
        print(f"    {line}\n        {exercise.equivalent.get(line, 'NOT NOTICED')}")
    assert changed, "no change of the solution was tried"
    assert not unexplained, "changes that no check notices:\n" + "\n".join(unexplained)


def test_a_judge_that_sees_less_would_be_caught():
    """With one input only, some changes of the causal mask go unnoticed."""
    exercise = EXERCISES["attention.causal_mask"]
    blind = dataclasses.replace(
        exercise, cases=lambda draw: [(1, 1)], long_cases=None, checks=()
    )
    changed = mutants(exercise.solution_in("torch"), MOST, seed="blind")
    assert any(survives(blind, program, "torch") for _, program in changed)
