"""The gated feed-forward layer, SwiGLU: mistake 38."""

from broken.guard import Guard

import test_gated_feed_forward

GATED_FEED_FORWARD = Guard(test_gated_feed_forward.test_swiglu_is_the_formula).catch(
    "SwiGLU: the activation on the wrong branch",
    "SwiGLU: the sigmoid alone at the gate",
    "SwiGLU: the branches added",
)
