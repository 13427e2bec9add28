"""Judge programs of which one token was changed: which are still found right?"""

import dataclasses
import warnings
from functools import lru_cache

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
# Of values in TensorFlow, which is slower: a value is compared without a framework.
FEW = 8
SEEDS = (1, 2, 3)
SECONDS = 1


@lru_cache(maxsize=4)
def with_one_question(exercise):
    """The exercise with its largest question alone, and no property.

    What is wrong there is wrong in the exercise, too, and nearly all is wrong there.
    """
    if exercise.cases is None:
        return exercise
    largest = exercise.calls(SEEDS[0])[-1:]
    return dataclasses.replace(
        exercise, cases=lambda draw: largest, long_cases=None, checks=()
    )


def survives(exercise, program, framework, seconds=SECONDS, seeds=SEEDS):
    """Whether the largest question, and then every seed, finds the program right."""
    warnings.simplefilter("ignore")
    try:
        with undisturbed(), time_limit(seconds):
            answer = run_program(program, exercise.name, framework)
    except (Exception, TookTooLongError):
        return False
    answer = LocalAnswer(answer, seconds)

    def right(exercise, seed):
        how = {"framework": framework, "name_mistakes": False}
        return judge(exercise, answer, seed, **how).outcome == RIGHT

    one = with_one_question(exercise)
    return right(one, SEEDS[0]) and all(right(exercise, seed) for seed in seeds)


def must_notice_every_change(exercise, framework, name):
    """Each change must be found wrong, or be in the exercise's `equivalent`."""
    solution = exercise.solution_in(framework)
    # The first program of a framework imports it.
    assert survives(exercise, solution, framework, seconds=120, seeds=())
    few = exercise.kind_of_answer == "value" and framework == "tensorflow"
    changed = mutants(solution, FEW if few else MOST, seed=name)
    alive = [
        line for line, program in changed if survives(exercise, program, framework)
    ]
    unexplained = [line for line in alive if line not in exercise.equivalent]
    print(f"\n{name}: {len(changed)} changed, {len(alive)} alive")
    for line in alive:
        print(f"    {line}\n        {exercise.equivalent.get(line, 'NOT NOTICED')}")
    assert changed, "no change of the solution was tried"
    assert not unexplained, "changes that no check notices:\n" + "\n".join(unexplained)
