"""Rotary positions: rotations whose scores depend on distances alone."""

import numpy as np
import pytest
import torch
import transformers
from helpers.configs import CLOSE, LLAMA
from helpers.frameworks import TORCH, both, kept, random
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

IDS = np.array([[5, 3, 9, 1, 4, 7], [2, 2, 7, 8, 6, 1]])


def complex_turn(x, start, base):
    """Return rotated vectors, computed with complex numbers."""
    half = x.shape[-1] // 2
    place = start + np.arange(x.shape[-2])[:, None]
    turn = np.exp(1j * place * base ** (-2 * np.arange(half) / x.shape[-1]))
    turned = (x[..., :half] + 1j * x[..., half:]) * turn
    return np.concatenate([turned.real, turned.imag], -1)


@both
@pytest.mark.parametrize("start", [0, 7])
def test_a_rotation_is_a_product_of_complex_numbers(framework, start):
    x = random(2, 3, 5, 8)
    frequency = framework.frequencies(8, 30.0)
    found = framework.rotate(framework.tensor(x), frequency, start)
    np.testing.assert_allclose(found, complex_turn(x, start, 30.0), **CLOSE)


@both
def test_slowed_angles_are_llama_3s(framework):
    """Of eight pairs, two keep their speed, five are slowed, one is in between."""
    names = "factor", "low_freq_factor", "high_freq_factor"
    scaling = (8.0, 1.0, 4.0, 64)
    theirs = transformers.LlamaConfig(
        head_dim=16,
        rope_parameters={
            "rope_type": "llama3",
            "rope_theta": 500.0,
            "original_max_position_embeddings": 64,
            **dict(zip(names, scaling, strict=False)),
        },
    )
    wanted, _ = ROPE_INIT_FUNCTIONS["llama3"](theirs, "cpu")
    found = np.asarray(framework.frequencies(16, 500.0, scaling))
    np.testing.assert_allclose(found[8:], wanted, rtol=1e-6)
    np.testing.assert_array_equal(found[:8], -found[8:])


@both
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 50))
def test_a_score_depends_on_the_distance_alone(framework, near, far, apart):
    query, key = random(1, 8, seed=2), random(1, 8, seed=3)
    frequency = framework.frequencies(8, 100.0)

    def score(at):
        one = framework.rotate(framework.tensor(query), frequency, at + apart)
        other = framework.rotate(framework.tensor(key), frequency, at)
        return np.sum(np.asarray(one) * np.asarray(other))

    # angles of up to 250 in float32
    np.testing.assert_allclose(score(near), score(far), atol=1e-3)
    lengths = [np.linalg.norm(query), np.linalg.norm(complex_turn(query, far, 100.0))]
    np.testing.assert_allclose(*lengths, rtol=1e-6)


@both
def test_positions_matter_and_padding_on_the_left_does_not(framework):
    model = kept(framework, "CausalLanguageModel", LLAMA)
    logits = framework.run(model, IDS)
    turned = framework.run(model, IDS[:, [1, 0, 2, 3, 4, 5]])
    assert np.abs(logits[:, -1] - turned[:, -1]).max() > 1e-3
    padded = np.pad(IDS, ((0, 0), (3, 0)))
    mask = np.arange(9)[None, None, None] >= 3
    found = framework.run(model, padded, attention_mask=np.repeat(mask, 2, 0))
    np.testing.assert_allclose(found[:, 3:], logits, **CLOSE)


@both
def test_where_a_text_begins_does_not_matter(framework):
    """Queries and keys are turned alike, and values not at all."""
    layer = kept(framework, "GroupedQueryAttention", LLAMA)
    x = random(2, 5, LLAMA.d_model)
    outputs = []
    for start in (0, 9):
        cache = framework.run(layer.project, x, x, start=start)
        outputs += framework.run(layer, x, cache=cache, start=start)[:1]
    np.testing.assert_allclose(*outputs, **CLOSE)


def test_angles_are_not_rounded_with_the_weights():
    """In half precision, positions above 256 would be wrong by whole turns."""
    layer = TORCH.GroupedQueryAttention(LLAMA).to(torch.bfloat16)
    assert layer.frequency.dtype == torch.float32
    x = torch.ones(1, 1, 12, dtype=torch.bfloat16)
    key, _ = layer.project(x, x, start=1000)
    assert key.dtype == torch.bfloat16
