"""The encoder equals the library's, layer by layer, and never reads padding."""

import numpy as np
import pytest
import torch
from helpers.configs import (
    CLOSE,
    CONFIGS,
    config,
    in_all_configs,
    in_all_configs_and_in_training,
)
from helpers.frameworks import both, in_both_modes, kept, random
from helpers.library_layers import copy_layer, library_stack
from hypothesis import given, settings
from hypothesis import strategies as st


@both
@in_all_configs_and_in_training
def test_a_layer_equals_pytorch_own(framework, training, settled):
    layer = kept(framework, "EncoderLayer", settled)
    library = torch.nn.TransformerEncoderLayer(
        12,
        3,
        20,
        0.0,
        settled.activation,
        settled.layer_norm_eps,
        batch_first=True,
        norm_first=settled.norm_first,
    )
    copy_layer(library, kept(None, "EncoderLayer", settled))
    x = random(2, 5, 12)
    real = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], bool)
    found, weights = framework.run(layer, x, real[:, None, None], training=training)
    wanted = library(torch.tensor(x), src_key_padding_mask=torch.tensor(~real))
    np.testing.assert_allclose(found, wanted.detach(), **CLOSE)
    assert weights.shape == (2, 3, 5, 5)


@both
@in_all_configs
def test_the_stack_equals_pytorch_own(framework, settled):
    encoder = kept(framework, "Encoder", settled)
    ours = kept(None, "Encoder", settled)
    ids = np.array([[5, 3, 9, 1, 0], [2, 2, 0, 0, 0]])
    hidden, weights = framework.run(encoder, ids)
    wanted = library_stack("Encoder", ours, settled)(
        ours.embeddings(torch.tensor(ids)), src_key_padding_mask=torch.tensor(ids == 0)
    )
    np.testing.assert_allclose(hidden, wanted.detach(), **CLOSE)
    assert [one.shape for one in weights] == [(2, 3, 5, 5)] * 2


ids_rows = st.lists(st.integers(1, 10), min_size=1, max_size=6)


@pytest.mark.slow("padding that an encoder alone reads")
@both
@in_all_configs_and_in_training
@settings(max_examples=4)
@given(row=ids_rows, padding=st.integers(1, 4))
def test_wider_padding_changes_nothing(framework, training, settled, row, padding):
    encoder = kept(framework, "Encoder", settled)
    narrow, weights = framework.run(encoder, np.array([row]), training=training)
    ids = np.array([row + [0] * padding, [1] * (len(row) + padding)])
    wide, wide_weights = framework.run(encoder, ids, training=training)
    real = slice(0, len(row))
    np.testing.assert_allclose(wide[:1, real], narrow, **CLOSE)
    for one, other in zip(weights, wide_weights, strict=True):
        np.testing.assert_allclose(other[:1, :, real, real], one, **CLOSE)
        # in every layer, not just the first, padding gets no weight
        assert (other[0, :, :, len(row) :] == 0).all()


@both
@in_both_modes
@settings(max_examples=4)
@given(row=ids_rows, other=ids_rows)
def test_tokens_that_a_mask_hides_change_nothing(framework, training, row, other):
    encoder = kept(framework, "Encoder", CONFIGS["post-LN"])
    length = len(row) + len(other)
    mask = (np.arange(length) < len(row))[None, None, None]
    one, another = (
        framework.run(encoder, np.array([row + end]), mask, training=training)[0]
        for end in (other, [1] * len(other))
    )
    np.testing.assert_allclose(another[:, : len(row)], one[:, : len(row)], **CLOSE)


@both
@in_all_configs_and_in_training
@settings(max_examples=4)
@given(order=st.permutations(range(5)))
def test_without_positions_order_is_nothing(framework, training, settled, order):
    layer = kept(framework, "EncoderLayer", settled)
    x = random(2, 5, 12)
    straight, _ = framework.run(layer, x, training=training)
    shuffled, _ = framework.run(layer, x[:, order], training=training)
    np.testing.assert_allclose(shuffled, straight[:, order], **CLOSE)


@both
def test_with_positions_order_counts(framework):
    encoder = kept(framework, "Encoder", CONFIGS["post-LN"])
    one, other = (
        framework.run(encoder, np.array([row]))[0] for row in ([3, 4, 5], [4, 3, 5])
    )
    assert np.abs(one[0, 2] - other[0, 2]).max() > 1e-3


@both
@in_all_configs
def test_without_weights_the_same_comes_out(framework, settled):
    encoder = kept(framework, "Encoder", settled)
    ids = np.array([[5, 3, 9, 1, 0], [2, 2, 0, 0, 0]])
    with_weights, _ = framework.run(encoder, ids)
    without, nothing = framework.run(encoder, ids, need_weights=False)
    np.testing.assert_allclose(without, with_weights, **CLOSE)
    assert nothing == [None, None]


@both
@in_both_modes
def test_a_row_of_nothing_but_padding_is_finite(framework, training):
    encoder = kept(framework, "Encoder", CONFIGS["post-LN"])
    ids = np.array([[0, 0, 0], [1, 2, 3]])
    hidden, weights = framework.run(encoder, ids, training=training)
    assert np.isfinite(hidden).all()
    assert (weights[0][0] == 0).all()


@both
def test_pooling_takes_the_first_token(framework):
    hidden = random(2, 3, 12)
    plain = kept(framework, "Encoder", config())
    tensor = framework.tensor(hidden)
    np.testing.assert_array_equal(framework.numpy(plain.pool(tensor)), hidden[:, 0])
    for name, activation in (
        ("tanh", np.tanh),
        ("relu", lambda x: np.maximum(x, 0)),
    ):
        pooled = kept(framework, "Encoder", config(pooler=name))
        dense = framework.run(pooled.pooler.dense, hidden[:, 0])
        np.testing.assert_allclose(
            framework.numpy(pooled.pool(tensor)), activation(dense), atol=1e-6
        )
