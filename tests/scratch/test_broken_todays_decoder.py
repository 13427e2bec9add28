"""Mistakes in today's decoder, each caught by a test of ours."""

import pytest
from broken.catching import each, must_catch
from broken.todays_decoder import TODAYS_DECODER

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each(TODAYS_DECODER)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
