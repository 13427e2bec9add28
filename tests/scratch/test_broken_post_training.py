"""Mistakes in the losses after pretraining, each caught by a test of ours."""

import pytest
from broken.catching import each, must_catch
from broken.post_training import POST_TRAINING

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each(POST_TRAINING)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
