"""Feed-forward: the four activations, one position at a time."""

import math

import numpy as np
import pytest
from helpers.frameworks import both, in_both_modes, random
from hypothesis import given
from hypothesis import strategies as st

DEFINITIONS = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: (
        x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    ),
    "silu": lambda x: x / (1 + math.exp(-x)),
}


@both
@pytest.mark.parametrize("name", DEFINITIONS)
@given(x=st.floats(-20, 20, width=32))
def test_activations_are_what_their_names_say(framework, name, x):
    found = framework.run(framework.ACTIVATIONS[name], np.array([x], np.float32))
    # float32 at 20: seven digits
    assert math.isclose(found[0], DEFINITIONS[name](x), abs_tol=5e-6)


@both
def test_exact_and_tanh_gelu_differ(framework):
    x = np.linspace(-4, 4, 99, dtype=np.float32)
    exact, tanh = (
        framework.run(framework.ACTIVATIONS[name], x) for name in ("gelu", "gelu_tanh")
    )
    assert 1e-4 < np.abs(exact - tanh).max() < 1e-3


@both
@in_both_modes
@pytest.mark.parametrize("activation", DEFINITIONS)
def test_feed_forward_is_the_formula(framework, training, activation):
    layer = framework.FeedForward(4, 7, activation)
    x = random(2, 3, 4)
    inner = framework.run(layer.expand, x)
    inner = np.vectorize(DEFINITIONS[activation])(inner.astype(float))
    wanted = framework.run(layer.contract, inner.astype(np.float32))
    found = framework.run(layer, x, training=training)
    assert found.shape == (2, 3, 4)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@both
@in_both_modes
def test_each_position_is_treated_alone(framework, training):
    layer = framework.FeedForward(4, 7)
    x = random(2, 3, 4)
    changed = x.copy()
    changed[1, 2] += 1
    before, after = (
        framework.run(layer, one, training=training) for one in (x, changed)
    )
    moved = np.abs(after - before).max(-1) > 0
    np.testing.assert_array_equal(moved, [[False] * 3, [False, False, True]])


@both
@in_both_modes
def test_dropout_acts_in_training_only(framework, training):
    framework.seed()
    layer = framework.FeedForward(4, 64, dropout=0.5)
    x = random(1, 3, 4)
    one, other = (framework.run(layer, x, training=training) for _ in range(2))
    assert np.array_equal(one, other) is not training


@both
def test_an_activation_that_is_unknown_is_named(framework):
    with pytest.raises(ValueError, match="activation is 'tanh': wanted one of 'relu'"):
        framework.FeedForward(4, 7, "tanh")
