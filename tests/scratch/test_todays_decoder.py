"""Today's decoder: RMSNorm, rotary positions, SwiGLU, grouped-query attention."""

from dataclasses import replace

from readymade.weights import copy_weights
from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
import torch
import transformers
from helpers.configs import CLOSE, LLAMA, QWEN2, QWEN3, config
from helpers.frameworks import TORCH, both, kept, random, twins
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

IDS = np.array([[5, 3, 9, 1, 4, 7], [2, 2, 7, 8, 6, 1]])


@both
def test_rms_norm_is_the_formula_and_the_library_own(framework):
    """Divided by the root of the mean square, and nothing is subtracted."""
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
    """Of eight pairs, two keep their pace, one is in between, five are slow."""
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
def test_with_qk_norm_the_size_of_queries_and_keys_does_not_count(framework):
    """Each head is normalized by itself, before it is rotated."""
    layer = framework.GroupedQueryAttention(replace(QWEN3, layer_norm_eps=1e-12))
    x = random(2, 5, 12)
    parameters = parameters_of(layer)
    for path in "query_norm.weight", "key_norm.weight":
        parameters[path].write(random(4, seed=len(path)))
    wanted = framework.run(layer, x, x, x)[1]
    for path in "query.weight", "key.weight":
        array = parameters[path].read()
        array[4:] *= 7.0  # all heads but the first
        parameters[path].write(array)
    np.testing.assert_allclose(framework.run(layer, x, x, x)[1], wanted, **CLOSE)


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
def test_with_a_key_head_for_each_query_head_it_is_multi_head_attention(framework):
    plain = config(num_kv_heads=3)
    ours = framework.GroupedQueryAttention(plain)
    wanted = kept(framework, "MultiHeadAttention", 12, 3)
    copy_weights(wanted, ours)
    x, memory = random(2, 3, 12), random(2, 5, 12, seed=1)
    mask = np.random.default_rng(0).random((2, 3, 3, 5)) > 0.3
    for need_weights in True, False:
        for seen in None, mask, mask[:, :1], mask[:1, :, :1]:
            arguments = {"attention_mask": seen, "need_weights": need_weights}
            found = framework.run(ours, x, memory, memory, **arguments)
            right = framework.run(wanted, x, memory, memory, **arguments)
            np.testing.assert_allclose(found[0], right[0], **CLOSE)
            if need_weights:
                np.testing.assert_allclose(found[1], right[1], **CLOSE)


@both
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_group_of_heads_reads_the_same_keys(framework, need_weights):
    """As if each head of keys were copied for every query head of its group."""
    grouped = replace(LLAMA, positions="learned", d_v=5)
    layer = kept(framework, "GroupedQueryAttention", grouped)
    whole = framework.GroupedQueryAttention(replace(grouped, num_kv_heads=None))
    given_, wanted = parameters_of(layer), parameters_of(whole)
    for path, parameter in wanted.items():
        array = given_[path].read()
        if path in ("key.weight", "value.weight"):
            array = array.reshape(2, -1, 12).repeat(3, 0).reshape(-1, 12)
        parameter.write(array)
    x = random(2, 5, 12)
    for heads in 1, 6:
        mask = np.random.default_rng(heads).random((2, heads, 5, 5)) > 0.4
        arguments = {"attention_mask": mask, "need_weights": need_weights}
        found = framework.run(layer, x, x, x, **arguments)
        right = framework.run(whole, x, x, x, **arguments)
        np.testing.assert_allclose(found[0], right[0], **CLOSE)
        if need_weights:
            np.testing.assert_allclose(found[1], right[1], **CLOSE)


@both
def test_the_cache_holds_the_shared_heads_alone_and_changes_nothing(framework):
    model = kept(framework, "CausalLanguageModel", LLAMA)
    whole, _ = framework.run(model.decoder, IDS)
    cache, found = (), []
    for part in IDS[:, :4], IDS[:, 4:5], IDS[:, 5:]:
        hidden, _, cache = model.decoder(framework.tensor(part), cache=cache)
        found.append(framework.numpy(hidden))
    np.testing.assert_allclose(np.concatenate(found, 1), whole, **CLOSE)
    assert [tuple(part.shape) for part in cache[0]] == [(2, 2, 6, 4)] * 2


@pytest.mark.slow("a cache that today's layers read otherwise")
@pytest.mark.usefixtures("untraced")
@both
@pytest.mark.parametrize("beam_size", [1, 3])
def test_with_and_without_a_cache_the_tokens_are_the_same(framework, beam_size):
    model = kept(framework, "CausalLanguageModel", replace(QWEN2, max_len=30))
    prompts = np.array([[5, 3, 9], [0, 0, 7]])
    seen = framework.tensor((prompts != 0)[:, None, None])
    found = [
        framework.run(
            model.generate, prompts, 10, 9, beam_size, use_cache, attention_mask=seen
        ).tolist()
        for use_cache in (True, False)
    ]
    assert found[0] == found[1]


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


def test_angles_are_not_rounded_with_the_weights():
    """In half precision, positions above 256 would be wrong by whole turns."""
    layer = TORCH.GroupedQueryAttention(LLAMA).to(torch.bfloat16)
    assert layer.frequency.dtype == torch.float32
    x = torch.ones(1, 1, 12, dtype=torch.bfloat16)
    key, _ = layer.project(x, x, start=1000)
    assert key.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("named", "error", "said"),
    [
        ({"num_kv_heads": 2}, ValueError, "num_kv_heads is 2: wanted a number that"),
        ({"num_kv_heads": 0}, ValueError, "num_kv_heads is 0: wanted at least 1"),
        ({"positions": "rotary", "d_k": 5}, ValueError, "d_k is 5: wanted an even"),
        ({"rotary_base": 0}, ValueError, "rotary_base is 0: wanted a number above 0"),
        ({"rotary_base": "1"}, TypeError, "rotary_base is '1'"),
        ({"qk_norm": 1.5}, ValueError, "qk_norm is 1.5: wanted one of True, False"),
        ({"rotary_scaling": (8, 1, 4)}, ValueError, "rotary_scaling is .8, 1, 4.: "),
        ({"rotary_scaling": (8, 4, 4, 9)}, ValueError, "wanted .* low below high"),
        ({"rotary_scaling": (0, 1, 4, 9)}, ValueError, "rotary_scaling is 0: wanted"),
        ({"norm": "RMS"}, ValueError, "norm is 'RMS': wanted one of 'layer', 'rms'"),
        ({"bias": "no"}, ValueError, "bias is 'no': wanted one of True, False"),
        ({"qkv_bias": "no"}, ValueError, "qkv_bias is 'no': wanted one of True, Fa"),
    ],
)
def test_what_makes_no_sense_is_named(named, error, said):
    with pytest.raises(error, match=said):
        config(**named)
