"""Mistakes in chapters 5 to 9 and capstones are rejected, with their own sentence."""

from exercises.engine.registry import CHAPTERS

from helpers.exercise_answers import must_name_every_mistake, pairs
from helpers.real_model import one_checkpoint  # noqa: F401


@pairs("mistaken_in", chapters=CHAPTERS[4:])
def test_every_mistake_is_rejected_and_named(exercise, framework):
    must_name_every_mistake(exercise, framework)
