"""Judge programs of which one token was changed: which are still found right?"""

import warnings

from exercises.engine.judge import RIGHT, judge
from exercises.engine.programs import run_program
from exercises.worker import (
    LocalAnswer,
    TookTooLongError,
    time_limit,
    undisturbed,
)
from helpers.mutations import mutants

MOST = 40
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


def must_notice_every_change(exercise, framework, name):
    """Each change must be found wrong, or be in the exercise's `equivalent`."""
    solution = exercise.solution_in(framework)
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
