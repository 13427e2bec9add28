"""One changed token in a solution is noticed: chapters 5 to 9, capstones."""

from exercises.engine.registry import CHAPTERS

from helpers.exercise_answers import pairs
from helpers.real_model import one_checkpoint  # noqa: F401
from helpers.surviving import must_notice_every_change


@pairs(chapters=CHAPTERS[4:])
def test_every_change_of_a_solution_is_noticed(exercise, framework, request):
    must_notice_every_change(exercise, framework, request.node.callspec.id)
