"""Attention: the paper's formula, the libraries' results, and what must not happen."""

import math

from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.frameworks import (
    TENSORFLOW,
    TORCH,
    both,
    in_both_modes,
    kept,
    random,
    twins,
)
from helpers.library_layers import copy_attention
from hypothesis import given, settings
from hypothesis import strategies as st

# float32, summed in another order
CLOSE = {"atol": 1e-5, "rtol": 1e-5}

sizes = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 3),
        "heads": st.integers(1, 3),
        "queries": st.integers(1, 5),
        "keys": st.integers(1, 6),
        "d_k": st.integers(1, 7),
        "d_v": st.integers(1, 4),
        "seed": st.integers(0, 1000),
    }
)


def inputs(size):
    """Return query, key, value and a mask that may hide all keys from a query."""
    front, seed = (size["batch"], size["heads"]), size["seed"]
    query = random(*front, size["queries"], size["d_k"], seed=seed)
    key = random(*front, size["keys"], size["d_k"], seed=seed + 1)
    value = random(*front, size["keys"], size["d_v"], seed=seed + 2)
    mask = random(*front, size["queries"], size["keys"], seed=seed + 3) > 0
    return query, key, value, mask


def by_the_formula(query, key, value, mask):
    """Return softmax(Q Kᵀ / √d_k) V and its weights, in double precision."""
    query, key, value = (x.astype(np.float64) for x in (query, key, value))
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    exponential = np.exp(scores - scores.max(-1, keepdims=True)) * mask
    total = exponential.sum(-1, keepdims=True)
    weights = np.divide(exponential, total, where=total > 0, out=exponential * 0)
    return weights @ value, weights


@both
@given(size=sizes)
def test_attention_is_the_formula(framework, size):
    arrays = inputs(size)
    output, weights = framework.run(framework.scaled_dot_product_attention, *arrays)
    wanted_output, wanted_weights = by_the_formula(*arrays)
    np.testing.assert_allclose(output, wanted_output, **CLOSE)
    np.testing.assert_allclose(weights, wanted_weights, **CLOSE)


@both
@given(size=sizes)
def test_weights_sum_to_1_or_to_0_where_nothing_may_be_seen(framework, size):
    *arrays, mask = inputs(size)
    output, weights = framework.run(
        framework.scaled_dot_product_attention, *arrays, mask
    )
    seen = mask.any(-1)
    np.testing.assert_allclose(weights.sum(-1), seen.astype(float), **CLOSE)
    assert (output[~seen] == 0).all()
    assert (weights[~mask] == 0).all()


@both
@given(size=sizes)
def test_attention_equals_pytorch_own(framework, size):
    *arrays, mask = inputs(size)
    mask |= ~mask.any(-1, keepdims=True)  # PyTorch's layer has no rule for such rows
    output, _ = framework.run(framework.scaled_dot_product_attention, *arrays, mask)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *(torch.tensor(array) for array in (*arrays, mask))
    )
    np.testing.assert_allclose(output, wanted, **CLOSE)


@both
@given(size=sizes)
def test_the_fused_kernel_gives_the_same_output(framework, size):
    arrays = inputs(size)
    fused, nothing = framework.run(framework.fused_attention, *arrays)
    output, _ = framework.run(framework.scaled_dot_product_attention, *arrays)
    assert nothing is None
    np.testing.assert_allclose(fused, output, **CLOSE)


@both
@pytest.mark.parametrize("name", ["scaled_dot_product_attention", "fused_attention"])
@pytest.mark.parametrize("precision", [np.float32, np.float16])
def test_a_row_that_sees_nothing_is_0_and_never_nan(framework, name, precision):
    attend = getattr(framework, name)
    query, key, value = (40 * random(2, 1, 3, 4, seed=i) for i in range(3))
    mask = np.ones((2, 1, 3, 3), bool)
    mask[1, 0, 2] = False
    mask = framework.tensor(mask)
    tensors = [framework.tensor(x.astype(precision)) for x in (query, key, value)]
    for which in range(3):

        def output(x, which=which):
            changed = [x if i == which else t for i, t in enumerate(tensors)]
            return attend(*changed, mask)[0]

        array = (query, key, value)[which].astype(precision)
        gradient, result = framework.input_gradient(output, array)
        assert np.isfinite(gradient).all() and np.isfinite(result).all()
        assert (result[1, 0, 2] == 0).all()
        assert (result[0] != 0).any()


def in_precision(framework, array, precision):
    if framework is TORCH:
        return torch.tensor(array).to(getattr(torch, precision))
    return tf.cast(array, precision)


@both
@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_half_precision_is_right_where_scores_overflow_it(framework, precision):
    # 300 · 300 · √d_k is far above 65,504, where float16 ends
    arrays = [300 * random(1, 2, 4, 64, seed=seed) for seed in range(3)]
    mask = np.ones((1, 2, 4, 4), bool)
    mask[0, 0, 1] = False
    halves = [in_precision(framework, array, precision) for array in arrays]
    rounded = [framework.numpy(wide(half)) for half in halves]
    wanted, wanted_weights = by_the_formula(*rounded, mask)
    for name in ("scaled_dot_product_attention", "fused_attention"):
        output, weights = getattr(framework, name)(*halves, framework.tensor(mask))
        assert output.dtype == halves[0].dtype
        # three digits of float16, two of bfloat16
        output = framework.numpy(wide(output))
        np.testing.assert_allclose(output, wanted, rtol=1e-2, atol=1e-2)
        if weights is not None:
            weights = framework.numpy(wide(weights))
            np.testing.assert_allclose(weights, wanted_weights, atol=1e-2)


def wide(tensor):
    return tensor.float() if torch.is_tensor(tensor) else tf.cast(tensor, tf.float32)


@both
@given(size=sizes)
def test_keys_that_are_hidden_change_nothing(framework, size):
    query, key, value, mask = inputs({**size, "queries": 1})
    output, _ = framework.run(
        framework.scaled_dot_product_attention, query, key, value, mask
    )
    hidden = ~mask[..., 0, :, None]
    key, value = np.where(hidden, key + 9, key), np.where(hidden, -value, value)
    again, _ = framework.run(
        framework.scaled_dot_product_attention, query, key, value, mask
    )
    np.testing.assert_allclose(again, output, **CLOSE)


@both
@given(size=sizes)
def test_the_order_of_keys_is_nothing_the_order_of_queries_stays(framework, size):
    query, key, value, mask = inputs(size)
    attend = framework.scaled_dot_product_attention
    output, _ = framework.run(attend, query, key, value, mask)
    order = np.random.default_rng(size["seed"]).permutation(size["keys"])
    again, _ = framework.run(
        attend, query, key[..., order, :], value[..., order, :], mask[..., order]
    )
    np.testing.assert_allclose(again, output, **CLOSE)
    order = np.random.default_rng(size["seed"]).permutation(size["queries"])
    again, _ = framework.run(
        attend, query[..., order, :], key, value, mask[..., order, :]
    )
    np.testing.assert_allclose(again, output[..., order, :], **CLOSE)


@both
def test_one_mask_serves_all_heads_and_queries(framework):
    query, key, value = (random(2, 3, 4, 5, seed=i) for i in range(3))
    small = np.array([[[[True, True, False, True]]], [[[True, False, False, True]]]])
    whole = np.broadcast_to(small, (2, 3, 4, 4)).copy()
    attend = framework.scaled_dot_product_attention
    for one, other in zip(
        framework.run(attend, query, key, value, small),
        framework.run(attend, query, key, value, whole),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


WRONG = {
    "a mask for another number of keys": (
        {"attention_mask": np.ones((1, 1, 4, 5), bool)},
        ValueError,
        r"attention_mask.*\(1, 1, 4, 5\).*\(2, 3, 4, 6\)",
    ),
}


@both
@pytest.mark.parametrize("wrong", WRONG)
def test_attention_says_what_is_wrong(framework, wrong):
    change, error, words = WRONG[wrong]
    right = {
        "query": random(2, 3, 4, 5),
        "key": random(2, 3, 6, 5),
        "value": random(2, 3, 6, 8),
    }
    for name in ("scaled_dot_product_attention", "fused_attention"):
        with pytest.raises(error, match=words):
            framework.run(getattr(framework, name), **{**right, **change})


# One head


@both
def test_a_head_projects_and_attends(framework):
    head = dict(zip((TORCH, TENSORFLOW), twins("AttentionHead", 6, 4, 3), strict=True))
    query, memory = random(2, 3, 6), random(2, 5, 6, seed=1)
    mask = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], bool)[:, None, None]
    output, weights = framework.run(head[framework], query, memory, memory, mask)
    with torch.no_grad():
        layer = head[TORCH]
        projected = [
            project(torch.tensor(x)).numpy()[:, None]
            for project, x in (
                (layer.query, query),
                (layer.key, memory),
                (layer.value, memory),
            )
        ]
    wanted_output, wanted_weights = by_the_formula(*projected, mask)
    np.testing.assert_allclose(output, wanted_output[:, 0], **CLOSE)
    np.testing.assert_allclose(weights, wanted_weights[:, 0], **CLOSE)
    assert output.shape == (2, 3, 3) and weights.shape == (2, 3, 5)


@both
def test_a_head_has_values_as_long_as_keys_unless_told(framework):
    head = framework.AttentionHead(6, 4)
    x = random(1, 2, 6)
    assert framework.run(head, x, x, x)[0].shape == (1, 2, 4)


# Many heads


@both
@given(
    batch=st.integers(1, 3),
    length=st.integers(1, 5),
    heads=st.integers(1, 4),
    size=st.integers(1, 3),
)
def test_merging_undoes_splitting(framework, batch, length, heads, size):
    x = random(batch, length, heads * size)
    split = framework.run(framework.split_heads, x, heads)
    assert split.shape == (batch, heads, length, size)
    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        np.testing.assert_array_equal(split[:, head], x[:, :, columns])
    np.testing.assert_array_equal(framework.run(framework.merge_heads, split), x)


def library_attention(layer):
    """Return PyTorch's own layer with our weights (separate d_k and d_v: none)."""
    library = torch.nn.MultiheadAttention(
        layer.query.in_features, layer.num_heads, batch_first=True
    )
    copy_attention(library, layer)
    return library


@both
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(("queries", "keys"), [(4, 4), (3, 5), (1, 2), (5, 1)])
def test_many_heads_equal_pytorch_own(framework, need_weights, queries, keys):
    pair = twins("MultiHeadAttention", 12, 3)
    layer = pair[framework is TENSORFLOW]
    query, key, value = random(2, queries, 12), random(2, keys, 12), random(2, keys, 12)
    real = np.array([[True] * keys, [True] + [False] * (keys - 1)])
    output, weights = framework.run(
        layer, query, key, value, real[:, None, None], need_weights=need_weights
    )
    wanted_output, wanted_weights = library_attention(pair[0])(
        *(torch.tensor(array) for array in (query, key, value)),
        key_padding_mask=torch.tensor(~real),  # True = ignore
        average_attn_weights=False,
    )
    np.testing.assert_allclose(output, wanted_output.detach(), **CLOSE)
    if need_weights:
        np.testing.assert_allclose(weights, wanted_weights.detach(), **CLOSE)
    else:
        assert weights is None


@both
@pytest.mark.parametrize("need_weights", [True, False])
def test_gradients_equal_those_of_pytorch_own(framework, need_weights):
    pair = twins("MultiHeadAttention", 12, 3)
    library = library_attention(pair[0])
    x = random(2, 5, 12)

    def loss(layer, x):
        output, _ = layer(x, x, x, need_weights=need_weights)
        # gradients of a sum are sums of gradients: weigh the outputs differently
        return (output**3).sum() if framework is TORCH else keras.ops.sum(output**3)

    _, found = framework.gradients(pair[framework is TENSORFLOW], loss, x)
    tensor = torch.tensor(x)
    (library(tensor, tensor, tensor)[0] ** 3).sum().backward()
    for name in ("weight", "bias"):
        parts = [found[f"{part}.{name}"] for part in ("query", "key", "value")]
        wanted = getattr(library, f"in_proj_{name}").grad.numpy()
        largest = np.abs(wanted).max()
        np.testing.assert_allclose(np.concatenate(parts), wanted, atol=1e-4 * largest)


@both
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(("d_k", "d_v"), [(4, 4), (3, 5)])
def test_many_heads_equal_keras_own(framework, need_weights, d_k, d_v):
    pair = twins("MultiHeadAttention", 12, 2, d_k=d_k, d_v=d_v)
    query, memory = random(2, 3, 12), random(2, 5, 12, seed=1)
    library = keras.layers.MultiHeadAttention(2, d_k, d_v)
    library.build((2, 3, 12), (2, 5, 12), (2, 5, 12))
    ours = pair[1]
    for theirs, part, size in (
        (library._query_dense, ours.query, d_k),
        (library._key_dense, ours.key, d_k),
        (library._value_dense, ours.value, d_v),
    ):
        theirs.kernel.assign(keras.ops.reshape(part.kernel, (12, 2, size)))
        theirs.bias.assign(keras.ops.reshape(part.bias, (2, size)))
    projection = library._output_dense
    projection.kernel.assign(keras.ops.reshape(ours.projection.kernel, (2, d_v, 12)))
    projection.bias.assign(ours.projection.bias)
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], bool)[:, None, None]
    output, weights = framework.run(
        pair[framework is TENSORFLOW],
        query,
        memory,
        memory,
        mask,
        need_weights=need_weights,
    )
    wanted_output, wanted_weights = library(
        query,
        memory,
        attention_mask=np.broadcast_to(mask[:, 0], (2, 3, 5)),
        return_attention_scores=True,
    )
    np.testing.assert_allclose(output, wanted_output, **CLOSE)
    if need_weights:
        np.testing.assert_allclose(weights, wanted_weights, **CLOSE)


@both
@pytest.mark.parametrize(("d_v", "wanted"), [(None, 5), (2, 2)])
def test_many_heads_have_values_as_long_as_keys_unless_told(framework, d_v, wanted):
    heads = framework.MultiHeadAttention(12, 3, d_k=5, d_v=d_v)
    assert parameters_of(heads)["value.weight"].shape == (3 * wanted, 12)
    assert parameters_of(heads)["projection.weight"].shape == (12, 3 * wanted)


@both
def test_every_head_has_weights_of_its_own(framework):
    layer = framework.MultiHeadAttention(12, 3)
    x = random(1, 4, 12)
    _, weights = framework.run(layer, x, x, x)
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert np.abs(weights[0, one] - weights[0, other]).max() > 1e-3


@both
@in_both_modes
@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_of_weights_acts_in_training_only(framework, training, need_weights):
    framework.seed()
    layer = framework.MultiHeadAttention(12, 3, dropout=0.5)
    x = random(1, 6, 12)
    outputs = [
        framework.run(layer, x, x, x, need_weights=need_weights, training=training)[0]
        for _ in range(3)
    ]
    assert np.array_equal(outputs[0], outputs[1]) is not training
    assert np.array_equal(outputs[1], outputs[2]) is not training


@both
def test_no_dropout_unless_asked(framework):
    layer = framework.MultiHeadAttention(12, 3)
    x = random(1, 6, 12)
    evaluated = framework.run(layer, x, x, x)[0]
    trained = framework.run(layer, x, x, x, training=True)[0]
    np.testing.assert_array_equal(trained, evaluated)


@both
def test_dropout_keeps_the_mean(framework):
    framework.seed()
    layer = framework.MultiHeadAttention(12, 3, dropout=0.2)
    x = np.repeat(random(1, 6, 12), 600, 0)
    evaluated, _ = framework.run(layer, x[:1], x[:1], x[:1])
    trained, _ = framework.run(layer, x, x, x, training=True)
    # 600 draws: the mean is off by 1/24 of one draw's spread, seldom by five times that
    spread = np.std(trained, axis=0) / np.sqrt(len(trained))
    assert (spread > 0).all()
    assert (np.abs(np.mean(trained, axis=0) - evaluated) < 5 * spread + 1e-6).all()


@both
def test_keys_and_values_can_be_projected_once(framework):
    layer = framework.MultiHeadAttention(12, 3)
    query, memory = random(2, 3, 12), random(2, 5, 12, seed=1)
    tensor = framework.tensor(memory)
    cache = layer.project(tensor, tensor)
    output, weights = framework.run(layer, query, memory, memory)
    again, same = framework.run(layer, query, cache=cache)
    np.testing.assert_array_equal(again, output)
    np.testing.assert_array_equal(same, weights)


@both
def test_vectors_of_another_length_are_named(framework):
    attention = framework.MultiHeadAttention(12, 3)
    memory = random(2, 5, 12)
    right = {"query": random(2, 4, 12), "key": memory, "value": memory}
    for name, vectors in right.items():
        words = rf"{name} has shape .*, 10\): wanted .*12"
        with pytest.raises(ValueError, match=words):
            framework.run(attention, **{**right, name: vectors[..., :10]})


@both
def test_a_number_of_heads_that_does_not_divide_d_model_is_named(framework):
    with pytest.raises(ValueError, match="d_model is 10 and num_heads is 3"):
        framework.MultiHeadAttention(10, 3)


@both
def test_weights_begin_xavier_uniform_and_biases_0(framework):
    framework.seed()
    layer = framework.new_linear(60, 20)
    weight, bias = (
        (layer.weight, layer.bias) if framework is TORCH else (layer.kernel, layer.bias)
    )
    weight = framework.numpy(weight if framework is TORCH else weight.value)
    limit = math.sqrt(6 / (60 + 20))
    assert np.abs(weight).max() <= limit
    # 1,200 uniform numbers: their spread is within 5 % of limit / √3
    assert abs(weight.std() / (limit / math.sqrt(3)) - 1) < 0.05
    assert not np.any(framework.numpy(bias if framework is TORCH else bias.value))


@both
@settings(max_examples=20)
@given(seed=st.integers(0, 1000), training=st.booleans())
def test_hidden_positions_change_nothing_in_many_heads(framework, seed, training):
    layer = kept(framework, "MultiHeadAttention", 12, 3)
    rng = np.random.default_rng(seed)
    x = random(2, 5, 12, seed=seed)
    mask = rng.random((2, 1, 1, 5)) > 0.4
    other = random(2, 5, 12, seed=seed + 1)
    changed = np.where(mask[:, 0, 0, :, None], x, 5 * other)
    for need_weights in (True, False):
        one, other = (
            framework.run(
                layer,
                x,
                memory,
                memory,
                mask,
                need_weights=need_weights,
                training=training,
            )[0]
            for memory in (x, changed)
        )
        np.testing.assert_allclose(other, one, **CLOSE)
