"""The gated feed-forward layer, SwiGLU."""

from dataclasses import replace

from readymade.weights.parameters import parameters_of

import numpy as np
from helpers.configs import CLOSE, LLAMA
from helpers.frameworks import both, kept, random


@both
def test_swiglu_is_the_formula(framework):
    layer = kept(framework, "GatedFeedForward", replace(LLAMA, bias=True))
    x = random(2, 5, 12).astype(np.float64)
    part = {path: one.read() for path, one in parameters_of(layer).items()}

    def linear(name, inner):
        return inner @ part[f"{name}.weight"].T + part[f"{name}.bias"]

    gate = linear("gate", x)
    wanted = linear("contract", gate / (1 + np.exp(-gate)) * linear("expand", x))
    found = framework.run(layer, x.astype(np.float32))
    np.testing.assert_allclose(found, wanted, **CLOSE)
