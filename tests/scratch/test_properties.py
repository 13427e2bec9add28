"""Properties of whole models, for any input, in training and evaluation."""

import math

import numpy as np
import pytest
from helpers.configs import (
    CLOSE,
    config,
    in_all_configs,
    in_all_configs_and_in_training,
)
from helpers.frameworks import both, in_both_modes, kept, random
from hypothesis import given, settings
from hypothesis import strategies as st

BOS = 1
few = settings(max_examples=3, derandomize=True)
rows = st.lists(st.integers(2, 10), min_size=1, max_size=5)
batches = st.lists(rows, min_size=1, max_size=3)


def padded(rows, width=0):
    """Return rows of ids as one array, filled up with 0."""
    width = max(width, *map(len, rows))
    return np.array([row + [0] * (width - len(row)) for row in rows])


# No argument is changed. What a test hands over as an array is copied on the way, so
# the tensors themselves are looked at, before and after.

FUNCTIONS = {
    "padding_mask": (np.array([[3, 0]]), 0),
    "scaled_dot_product_attention": (
        *(random(2, 3, 4, 5, seed=i) for i in range(3)),
        np.array([[[[True, True, False, True]]]]),
    ),
    "fused_attention": (
        *(random(2, 3, 4, 5, seed=i) for i in range(3)),
        np.array([[[[True, True, False, True]]]]),
    ),
    "split_heads": (random(2, 3, 12), 4),
    "merge_heads": (random(2, 3, 4, 5),),
    "shift_right": (np.array([[3, 4], [5, 0]]), BOS),
    "cross_entropy": (random(2, 3, 5), np.array([[1, 2, 0], [3, 0, 0]]), 0, 0.1),
    "left_padded": (
        np.array([[3, 4], [5, 0]]),
        np.array([[[[True, True]]], [[[True, False]]]]),
    ),
    "written_mask": (np.array([[[[True, False]]]]), 3),
}


@both
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_leaves_its_arguments_as_they_were(framework, name):
    inputs = framework.tensors(FUNCTIONS[name])
    framework.run(getattr(framework, name), *inputs)
    for after, before in zip(framework.numpy(inputs), FUNCTIONS[name], strict=True):
        np.testing.assert_array_equal(after, before)


# The future


@both
@in_all_configs_and_in_training
@few
@given(row=rows, source=rows, data=st.data())
def test_a_position_never_reads_what_it_is_to_predict(
    framework, training, settled, row, source, data
):
    model = kept(framework, "Transformer", settled)
    position = data.draw(st.integers(0, len(row) - 1))
    changed = [*row[:position], row[position] % 9 + 2, *row[position + 1 :]]
    shifted = framework.run(framework.shift_right, np.array([row, changed]), BOS)
    one, other = framework.run(
        model, np.array([source] * 2), shifted, training=training
    )
    until = position + 1
    np.testing.assert_allclose(other[:until], one[:until], **CLOSE)
    if until < len(row):
        assert np.abs(other[until] - one[until]).max() > 1e-4


@both
@in_all_configs_and_in_training
@few
@given(row=rows, more=rows)
def test_a_beginning_says_the_same_whatever_follows(
    framework, training, settled, row, more
):
    model = kept(framework, "CausalLanguageModel", settled)
    begun = framework.run(model, np.array([row]), training=training)
    whole = framework.run(model, np.array([row + more]), training=training)
    np.testing.assert_allclose(whole[:, : len(row)], begun, **CLOSE)


# Padding, and the other rows of a batch


@both
@in_both_modes
@few
@given(sources=batches, data=st.data(), wider=st.integers(0, 2))
def test_a_row_of_a_batch_is_the_row_alone(framework, training, sources, data, wider):
    """Lengths of 1, batches of 1, lengths of source and target that differ."""
    targets = [data.draw(rows) for _ in sources]
    model = kept(framework, "Transformer", config(target_vocab_size=13))
    together = framework.run(
        model,
        padded(sources, max(map(len, sources)) + wider),
        padded(targets),
        training=training,
    )
    assert together.shape == (len(sources), max(map(len, targets)), 13)
    for found, source, target in zip(together, sources, targets, strict=True):
        alone = framework.run(
            model, np.array([source]), np.array([target]), training=training
        )
        np.testing.assert_allclose(found[: len(target)], alone[0], **CLOSE)


@both
@in_both_modes
@few
@given(sources=batches, data=st.data())
def test_wider_padding_changes_neither_loss_nor_gradients(
    framework, training, sources, data
):
    targets = [data.draw(rows) for _ in sources]
    model = kept(framework, "Transformer", config(num_layers=1))

    def loss(model, source, target):
        logits = model(source, framework.shift_right(target, BOS))
        return framework.cross_entropy(logits, target, 0, 0.1)

    (one, gradients), (other, others) = (
        framework.gradients(
            model, loss, padded(sources, a), padded(targets, b), training=training
        )
        for a, b in ((0, 0), (7, 8))
    )
    assert math.isclose(one, other, abs_tol=1e-5)
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    for path, gradient in gradients.items():
        np.testing.assert_allclose(
            others[path], gradient, atol=1e-4 * largest, err_msg=path
        )


# Attention in whole models


@both
@in_both_modes
@few
@given(sources=batches, empty=st.booleans(), data=st.data())
def test_weights_sum_to_1_or_to_0_in_every_layer(
    framework, training, sources, empty, data
):
    """Dropout is on: the weights that come out are those before it."""
    sources = [*sources, []] if empty else sources
    targets = [data.draw(rows) for _ in sources]
    source, target = padded(sources), padded(targets)
    settled = config(dropout=0.3)
    encoder = kept(framework, "Encoder", settled)
    decoder = kept(framework, "Decoder", settled)
    memory, maps = framework.run(encoder, source, training=training)
    real = (source != 0)[:, None, None]
    _, decoder_maps = framework.run(
        decoder, target, memory, memory_mask=real, training=training
    )
    crossed = [cross for _, cross in decoder_maps]
    for weights in [*maps, *crossed]:
        sums = np.broadcast_to(real.any(-1), weights.shape[:-1])
        np.testing.assert_allclose(weights.sum(-1), sums, atol=1e-5)
        assert (weights[~np.broadcast_to(real, weights.shape)] == 0).all()
    for weights, _ in decoder_maps:
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)


@both
@in_all_configs_and_in_training
@few
@given(seed=st.integers(0, 99), length=st.integers(1, 4))
def test_another_memory_gives_another_output(
    framework, training, settled, seed, length
):
    """Cross-attention reads the memory, not the target a second time."""
    layer = kept(framework, "DecoderLayer", settled)
    x = np.repeat(random(1, length, 12, seed=seed), 2, 0)
    memories = random(2, length, 12, seed=seed + 1)
    (one, other), _ = framework.run(layer, x, memories, training=training)
    assert np.abs(other - one).max(-1).min() > 1e-4


@both
@in_both_modes
@few
@given(order=st.permutations(range(5)), seed=st.integers(0, 99))
def test_cross_attention_takes_the_memory_in_any_order(
    framework, training, order, seed
):
    layer = kept(framework, "DecoderLayer", config())
    x, memory = random(2, 3, 12, seed=seed), random(2, 5, 12, seed=seed + 1)
    mask = random(2, 1, 1, 5, seed=seed + 2) > -0.5
    straight, _ = framework.run(layer, x, memory, memory_mask=mask, training=training)
    shuffled, _ = framework.run(
        layer, x, memory[:, order], memory_mask=mask[..., order], training=training
    )
    np.testing.assert_allclose(shuffled, straight, **CLOSE)


# Beginning and going on


@both
@in_all_configs
@few
@given(row=rows, data=st.data())
def test_cached_logits_equal_uncached(framework, settled, row, data):
    """Whether the tokens come one by one or several at once."""
    model = kept(framework, "CausalLanguageModel", settled)
    whole = framework.run(model, np.array([row]))
    cache, begin = (), 0
    while begin < len(row):
        end = data.draw(st.integers(begin + 1, len(row)))
        logits, cache = framework.run(
            model.next_logits, np.array([row[begin:end]]), cache=cache
        )
        np.testing.assert_allclose(logits, whole[:, end - 1], **CLOSE)
        begin = end
