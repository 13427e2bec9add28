"""One changed token in a solution is noticed, or changes nothing.

Up to forty changes of every solution are judged. Each must be found wrong, or be in the
exercise's `equivalent` with the reason why it computes the same. The questions that
tell a change are the same in both frameworks: where PyTorch has answered them, one
change shows that TensorFlow is asked them, too.
"""

import dataclasses
import warnings

from exercises.engine.judge import judge
from exercises.engine.programs import run_program
from exercises.engine.verdict import RIGHT
from exercises.worker import LocalAnswer, TookTooLongError, time_limit, undisturbed

import pytest
from helpers.exercise_answers import EXERCISES, SEEDS, pairs
from helpers.mutations import mutants
from helpers.read_once import one_checkpoint  # noqa: F401

pytestmark = pytest.mark.slow("a change that every check of an exercise accepts")

MOST = 40
SECONDS = 1


def survives(exercise, program, framework, seconds=SECONDS, seeds=SEEDS):
    """Whether a program is right on the largest question, and then for every seed."""
    warnings.simplefilter("ignore")
    try:
        with undisturbed(), time_limit(seconds):
            answer = run_program(program, exercise.name, framework)
    except (Exception, TookTooLongError):
        return False
    answer = LocalAnswer(answer, seconds)

    def right(seed, **how):
        how |= {"framework": framework, "name_mistakes": False}
        return judge(exercise, answer, seed, **how).outcome == RIGHT

    return right(SEEDS[0], largest_only=True) and all(map(right, seeds))


@pairs(by_chapter=True)
def test_every_change_of_a_solution_is_noticed(exercise, framework, request):
    solution = exercise.solution_in(framework)
    # The first program of a framework imports it.
    assert survives(exercise, solution, framework, seconds=120, seeds=())
    # An explained change may survive. It is not judged, because a survivor is asked
    # every question and takes the longest.
    changed = [
        (line, program)
        for line, program in mutants(solution, MOST, seed=request.node.callspec.id)
        if line not in exercise.equivalent
    ]
    assert changed, "no change of the solution was tried"
    most = 1 if framework == "tensorflow" else MOST
    unnoticed = [
        line
        for line, program in changed[:most]
        if survives(exercise, program, framework)
    ]
    assert not unnoticed, "changes that no check notices:\n" + "\n".join(unnoticed)


def test_a_judge_that_sees_less_would_be_caught():
    """With a single input, some changes of the causal mask go unnoticed."""
    exercise = EXERCISES["attention.causal_mask"]
    blind = dataclasses.replace(
        exercise, cases=lambda draw: [(1, 1)], long_cases=None, checks=()
    )
    changed = mutants(exercise.solution_in("torch"), MOST, seed="blind")
    assert any(survives(blind, program, "torch") for _, program in changed)
