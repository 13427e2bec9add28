"""Mistakes in patches and pairs, each caught by a test of ours."""

import pytest
from broken.catching import each, must_catch
from broken.pictures import PICTURES

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each(PICTURES)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
