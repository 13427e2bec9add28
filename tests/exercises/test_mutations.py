"""One changed token in a solution is noticed, or changes nothing: chapters 1 to 4.

Up to forty changes of every solution are judged, and of one in TensorFlow up to eight
(one where the answer is a value). Each must be found wrong, or be in the exercise's
`equivalent` with the reason why it computes the same.
"""

import dataclasses

from exercises.engine.registry import CHAPTERS

from helpers.exercise_answers import EXERCISES, pairs
from helpers.mutations import mutants
from helpers.real_model import one_checkpoint  # noqa: F401
from helpers.surviving import MOST, must_notice_every_change, survives


@pairs(chapters=CHAPTERS[:4])
def test_every_change_of_a_solution_is_noticed(exercise, framework, request):
    must_notice_every_change(exercise, framework, request.node.callspec.id)


def test_a_judge_that_sees_less_would_be_caught():
    """With one input only, some changes of the causal mask go unnoticed."""
    exercise = EXERCISES["attention.causal_mask"]
    blind = dataclasses.replace(
        exercise, cases=lambda draw: [(1, 1)], long_cases=None, checks=()
    )
    changed = mutants(exercise.solution_in("torch"), MOST, seed="blind")
    assert any(survives(blind, program, "torch") for _, program in changed)
