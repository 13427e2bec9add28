"""Mistakes in layers and training, each caught by a test of ours."""

import pytest
from broken.catching import each, must_catch
from broken.gated_feed_forward import GATED_FEED_FORWARD
from broken.layers import LAYERS
from broken.rms_norm import RMS_NORM
from broken.training import TRAINING

pytestmark = pytest.mark.slow("a test that passes whatever the code does")


@each([*LAYERS, *TRAINING, *GATED_FEED_FORWARD, *RMS_NORM])
def test_a_mistake_is_caught(guarded, framework):
    must_catch(guarded, framework)
