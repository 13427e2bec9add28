"""The decoder never sees the future, and reads the memory."""

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
from helpers.frameworks import TENSORFLOW, both, in_both_modes, kept, random
from helpers.library_layers import copy_layer, library_stack
from hypothesis import given, settings
from hypothesis import strategies as st

MEMORY = random(2, 4, 12, seed=7)
REAL = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], bool)
IDS = np.array([[5, 3, 9, 1, 4], [2, 2, 7, 0, 0]])


def own_future(length):
    """Return PyTorch's causal mask: True = ignore."""
    return torch.ones(length, length, dtype=torch.bool).triu(1)


@both
@in_all_configs_and_in_training
def test_a_layer_equals_pytorch_own(framework, training, settled):
    """Our layer is causal without a mask."""
    layer = kept(framework, "DecoderLayer", settled)
    library = torch.nn.TransformerDecoderLayer(
        12,
        3,
        20,
        0.0,
        settled.activation,
        settled.layer_norm_eps,
        batch_first=True,
        norm_first=settled.norm_first,
    )
    copy_layer(library, kept(None, "DecoderLayer", settled))
    x = random(2, 5, 12)
    found, weights = framework.run(
        layer, x, MEMORY, memory_mask=REAL[:, None, None], training=training
    )
    wanted = library(
        torch.tensor(x),
        torch.tensor(MEMORY),
        tgt_mask=own_future(5),
        memory_key_padding_mask=torch.tensor(~REAL),
    )
    np.testing.assert_allclose(found, wanted.detach(), **CLOSE)
    assert [one.shape for one in weights] == [(2, 3, 5, 5), (2, 3, 5, 4)]


@both
@in_all_configs
def test_the_stack_equals_pytorch_own(framework, settled):
    decoder = kept(framework, "Decoder", settled)
    ours = kept(None, "Decoder", settled)
    hidden, weights = framework.run(
        decoder, IDS, MEMORY, memory_mask=REAL[:, None, None]
    )
    wanted = library_stack("Decoder", ours, settled)(
        ours.embeddings(torch.tensor(IDS)),
        torch.tensor(MEMORY),
        tgt_mask=own_future(5),
        memory_key_padding_mask=torch.tensor(~REAL),
    )
    np.testing.assert_allclose(hidden, wanted.detach(), **CLOSE)
    assert len(weights) == 2 and len(weights[0]) == 2


def rows(fewest, most):
    return st.lists(st.integers(1, 10), min_size=fewest, max_size=most)


@both
@in_all_configs_and_in_training
@settings(max_examples=3)
@given(row=rows(6, 6))
def test_future_tokens_change_nothing_before_them(framework, training, settled, row):
    """One batch: the row, and below it the row with another token at each position."""
    ids = np.array([row] * len(row))
    for position in range(1, len(row)):
        ids[position, position] = row[position] % 10 + 1
    decoder = kept(framework, "Decoder", settled)
    memory = np.repeat(MEMORY[:1], len(row), 0)
    found, maps = framework.run(decoder, ids, memory, training=training)
    for position in range(1, len(row)):
        one, other = found[0], found[position]
        np.testing.assert_allclose(other[:position], one[:position], **CLOSE)
        # the token itself does see itself
        assert np.abs(other[position] - one[position]).max() > 1e-4
    for self_weights, _ in maps:
        assert (np.triu(self_weights, 1) == 0).all()
        np.testing.assert_allclose(self_weights.sum(-1), 1, atol=1e-5)


@both
@in_both_modes
def test_a_mask_of_ones_does_not_show_the_future(framework, training):
    layer = kept(framework, "DecoderLayer", CONFIGS["post-LN"])
    x = random(1, 5, 12)
    mask = np.ones((1, 1, 5, 5), bool)
    _, (weights, _) = framework.run(
        layer, x, MEMORY[:1], attention_mask=mask, training=training
    )
    assert (np.triu(weights, 1) == 0).all()


@both
@pytest.mark.parametrize("num_kv_heads", [None, 2])
def test_each_head_may_have_masks_of_its_own(framework, num_kv_heads):
    """Both where each head has its own keys and where heads share them."""
    settled = config(num_heads=4, num_kv_heads=num_kv_heads)
    layer = kept(framework, "DecoderLayer", settled)
    own, read = (random(2, 4, 5, keys, seed=keys) > 0 for keys in (5, 4))
    _, weights = framework.run(
        layer, random(2, 5, 12), MEMORY, attention_mask=own, memory_mask=read
    )
    for found, mask in zip(weights, (np.tril(own), read), strict=True):
        np.testing.assert_array_equal(found > 0, mask)


@pytest.mark.slow("padding that a decoder alone reads")
@both
@in_both_modes
@settings(max_examples=4)
@given(row=rows(2, 6), padding=st.integers(1, 3))
def test_wider_padding_changes_nothing(framework, training, row, padding):
    decoder = kept(framework, "Decoder", CONFIGS["post-LN"])
    narrow, _ = framework.run(decoder, np.array([row]), MEMORY[:1], training=training)
    wide, weights = framework.run(
        decoder, np.array([row + [0] * padding]), MEMORY[:1], training=training
    )
    np.testing.assert_allclose(wide[:, : len(row)], narrow, **CLOSE)
    for self_weights, _ in weights:
        assert (self_weights[..., : len(row), len(row) :] == 0).all()


@both
@in_both_modes
def test_no_token_is_hidden_for_its_id(framework, training):
    """Padding may be a real token, too: Marian begins with it, a chat ends turns."""
    decoder = kept(framework, "Decoder", CONFIGS["post-LN"])
    ids = np.array([[0, 5, 0, 0, 3], [4, 0, 2, 1, 0]])
    _, weights = framework.run(decoder, ids, MEMORY, training=training)
    visible = np.tril(np.ones((5, 5), bool))
    for own, _ in weights:
        np.testing.assert_array_equal(own > 0, np.broadcast_to(visible, own.shape))


@pytest.mark.slow("positions that count padding on the left")
@both
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_positions_count_from_the_first_key_that_may_be_read(framework, positions):
    """With and without an axis of queries in the mask, with a cache and without."""
    settled = config(positions=positions, max_len=8)
    decoder = kept(framework, "Decoder", settled)
    row = np.array([[4, 0, 7, 2, 9]])
    alone, _ = framework.run(decoder, row, MEMORY[:1])
    ids = np.concatenate([[[3, 3, 3]], row], 1)
    keys = (np.arange(8) >= 3)[None, None, None]
    for mask in keys, keys & np.tril(np.ones((8, 8), bool)):
        found, _ = framework.run(decoder, ids, MEMORY[:1], attention_mask=mask)
        np.testing.assert_allclose(found[:, 3:], alone, **CLOSE)
    _, _, cache = framework.run(
        decoder, ids[:, :5], MEMORY[:1], attention_mask=keys[..., :5], cache=()
    )
    found, _, _ = framework.run(
        decoder, ids[:, 5:], MEMORY[:1], attention_mask=keys, cache=cache
    )
    np.testing.assert_allclose(found, alone[:, 2:], **CLOSE)


@both
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_a_mask_that_does_not_fit_is_named(framework, positions):
    decoder = kept(framework, "Decoder", config(positions=positions, max_len=8))
    for shape in (2, 5), (3, 1, 1, 5), (2, 1, 4, 5), (2, 1, 1, 4), (2, 2, 1, 5):
        with pytest.raises(ValueError, match=r"attention_mask has shape .*: wanted"):
            framework.run(decoder, IDS, MEMORY, attention_mask=np.ones(shape, bool))
    with pytest.raises(TypeError, match="attention_mask holds float"):
        framework.run(decoder, IDS, MEMORY, attention_mask=np.ones((2, 1, 1, 5)))


@both
def test_too_many_tokens_are_named_beside_a_mask(framework):
    decoder = kept(framework, "Decoder", config(max_len=4))
    with pytest.raises(ValueError, match="ids has 5 tokens: wanted at most 4"):
        framework.run(decoder, IDS, MEMORY, attention_mask=np.ones((1, 1, 1, 5), bool))


@both
@in_both_modes
def test_the_memory_is_read_where_its_mask_allows(framework, training):
    decoder = kept(framework, "Decoder", CONFIGS["post-LN"])
    mask = REAL[1:, None, None]
    outputs = []
    for place in (None, 1, 3):
        memory = MEMORY[1:].copy()
        if place is not None:
            memory[0, place] = -memory[0, place]
        outputs.append(
            framework.run(
                decoder, IDS[:1], memory, memory_mask=mask, training=training
            )[0]
        )
    assert np.abs(outputs[1] - outputs[0]).max() > 1e-3
    np.testing.assert_allclose(outputs[2], outputs[0], **CLOSE)


@both
@in_all_configs
def test_without_weights_the_same_comes_out(framework, settled):
    decoder = kept(framework, "Decoder", settled)
    mask = REAL[:, None, None]
    with_weights, _ = framework.run(decoder, IDS, MEMORY, memory_mask=mask)
    without, nothing = framework.run(
        decoder, IDS, MEMORY, memory_mask=mask, need_weights=False
    )
    np.testing.assert_allclose(without, with_weights, **CLOSE)
    assert nothing == [(None, None)] * 2


@both
@in_all_configs
def test_a_decoder_alone_reads_no_memory(framework, settled):
    layer = framework.DecoderLayer(settled, cross_attention=False)
    x = random(2, 5, 12)
    _, (self_weights, cross_weights) = framework.run(layer, x)
    assert self_weights.shape == (2, 3, 5, 5)
    assert cross_weights is None
    with pytest.raises(ValueError, match="memory is given: wanted none"):
        framework.run(layer, x, MEMORY)


@both
def test_a_memory_that_is_missing_is_named(framework):
    decoder = kept(framework, "Decoder", CONFIGS["post-LN"])
    with pytest.raises(ValueError, match=r"memory is None: wanted.*\(batch, length"):
        framework.run(decoder, IDS)


@both
def test_the_target_has_its_own_vocabulary_and_depth(framework):
    decoder = framework.Decoder(
        config(vocab_size=3, target_vocab_size=11, num_decoder_layers=1)
    )
    hidden, weights = framework.run(decoder, IDS, MEMORY)
    assert hidden.shape == (2, 5, 12) and len(weights) == 1


@both
def test_half_precision_stays_finite_where_nothing_may_be_seen(framework):
    """The memory of an empty source, and a target row that is all padding."""
    import keras

    if framework is TENSORFLOW:
        keras.config.set_dtype_policy("float16")
    try:
        decoder = framework.Decoder(config(max_len=8))
    finally:
        keras.config.set_dtype_policy("float32")
    if framework is not TENSORFLOW:
        decoder.half()
    hidden, weights = framework.run(
        decoder,
        np.array([[0, 0, 0], [1, 2, 0]]),
        random(2, 4, 12).astype(np.float16),
        memory_mask=np.zeros((2, 1, 1, 4), bool),
    )
    assert np.isfinite(hidden).all()
    assert (weights[0][1] == 0).all()
