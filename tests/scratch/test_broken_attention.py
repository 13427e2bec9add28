"""Mistakes in attention, masks and embeddings, each caught by a test of ours."""

import pytest
from broken.attention import ATTENTION
from broken.catching import each, must_catch
from broken.embeddings import EMBEDDINGS

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each([*ATTENTION, *EMBEDDINGS])
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
