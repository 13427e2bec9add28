"""Mistakes in looking inside a model, each caught by a test of ours."""

import pytest
from broken.catching import each, must_catch
from broken.inside import INSIDE

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each(INSIDE)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
