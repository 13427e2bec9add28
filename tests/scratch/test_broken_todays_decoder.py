"""Mistakes in today's decoder, each caught by a test of ours."""

from broken.catching import each, must_catch
from broken.todays_decoder import TODAYS_DECODER


@each(TODAYS_DECODER)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
