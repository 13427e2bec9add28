"""Mistakes in attention, masks and positions, each caught by a test of ours."""

import pytest
from broken.attention import ATTENTION
from broken.catching import each, must_catch
from broken.embeddings import EMBEDDINGS
from broken.grouped_query import GROUPED_QUERY
from broken.rotary import ROTARY

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each([*ATTENTION, *EMBEDDINGS, *GROUPED_QUERY, *ROTARY])
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
