"""The layers that a config asks for: norms, and where biases are."""

from dataclasses import replace

from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import torch
from helpers.configs import CLOSE, LLAMA, QWEN2, config
from helpers.frameworks import TORCH, both, random, twins
from hypothesis import given
from hypothesis import strategies as st


@both
@given(
    eps=st.sampled_from([1e-12, 1e-5, 1e-3, 1.0]),
    seed=st.integers(0, 99),
    scale=st.sampled_from([0.01, 1.0]),
)
def test_layer_norm_is_over_features_with_epsilon_inside_the_root(
    framework, eps, seed, scale
):
    norm = framework.layer_norm_from(config(d_model=6, layer_norm_eps=eps))
    x = scale * np.random.default_rng(seed).normal(size=(2, 3, 6)).astype(np.float32)
    x = x.astype(np.float32)
    centred = x - x.mean(-1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    np.testing.assert_allclose(framework.run(norm, x), wanted, atol=1e-4)


@both
def test_rms_norm_is_the_formula_and_the_library_own(framework):
    """RMSNorm divides by the root mean square and subtracts nothing."""
    settled = config(norm="rms", layer_norm_eps=0.5)
    norm = framework.layer_norm_from(settled)
    gain = random(12, seed=1)
    parameters_of(norm)["weight"].write(gain)
    x = random(2, 5, 12) + 3
    found = framework.run(norm, x) if framework is TORCH else norm(x).numpy()
    mean_square = np.square(x).mean(-1, keepdims=True)
    np.testing.assert_allclose(found, gain * x / np.sqrt(mean_square + 0.5), **CLOSE)
    library = torch.nn.RMSNorm(12, 0.5)
    library.weight.data = torch.tensor(gain)
    np.testing.assert_allclose(found, library(torch.tensor(x)).detach(), **CLOSE)
    library = keras.layers.RMSNormalization(epsilon=0.5)
    library.build((None, 12))
    library.scale.assign(gain)
    np.testing.assert_allclose(found, library(x), **CLOSE)


def biases(model):
    return {path.split(".")[-2] for path in parameters_of(model) if "bias" in path}


def test_biases_are_where_the_config_says():
    for settled, wanted in [
        (LLAMA, set()),
        (QWEN2, {"query", "key", "value"}),
        (replace(LLAMA, activation="gelu"), set()),
        (
            replace(LLAMA, bias=True, qkv_bias=False),
            {"projection", "gate", "expand", "contract"},
        ),
    ]:
        for twin in twins("CausalLanguageModel", settled):
            assert biases(twin) == wanted
