"""Mistakes in layers and training, each caught by a test of ours."""

from broken.catching import each, must_catch
from broken.layers import LAYERS
from broken.training import TRAINING


@each([*LAYERS, *TRAINING])
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
