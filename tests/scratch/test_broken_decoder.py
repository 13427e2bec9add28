"""Mistakes in the decoder, each caught by a test of ours."""

from broken.catching import each, must_catch
from broken.decoder import DECODER


@each(DECODER)
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
