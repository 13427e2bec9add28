"""Embeddings: a table, and positions that each row counts for itself."""

import math
from functools import partial

import keras
import numpy as np
import pytest
import torch
from helpers import configs
from helpers.frameworks import TORCH, both, in_both_modes, kept
from hypothesis import given
from hypothesis import strategies as st

config = partial(configs.config, d_model=6, num_heads=1, max_len=9)


@both
@given(position=st.integers(0, 511), pair=st.integers(0, 15))
def test_sinusoids_are_the_papers(framework, position, pair):
    table = framework.numpy(framework.sinusoids(512, 32))
    angle = position / 10000 ** (2 * pair / 32)
    assert math.isclose(table[position, 2 * pair], math.sin(angle), abs_tol=1e-6)
    assert math.isclose(table[position, 2 * pair + 1], math.cos(angle), abs_tol=1e-6)


@both
def test_sinusoids_in_halves_are_the_same_numbers(framework):
    alternating = framework.numpy(framework.sinusoids(20, 8))
    halves = framework.numpy(framework.sinusoids(20, 8, interleaved=False))
    np.testing.assert_array_equal(halves[:, :4], alternating[:, 0::2])
    np.testing.assert_array_equal(halves[:, 4:], alternating[:, 1::2])


@both
def test_two_sinusoids_are_as_alike_as_they_are_near(framework):
    table = framework.numpy(framework.sinusoids(64, 32)).astype(float)
    products = table @ table.T
    for distance in range(64):
        along = np.diagonal(products, distance)
        np.testing.assert_allclose(along, along[0], atol=1e-5)


@both
@pytest.mark.parametrize("name", ["SinusoidalPositions", "LearnedPositions"])
@given(length=st.integers(1, 9), data=st.data())
def test_a_shorter_input_gets_the_same_positions(framework, name, length, data):
    start = data.draw(st.integers(0, 9 - length))
    positions = kept(framework, name, 6, 9)
    whole = framework.run(positions, np.zeros((1, 9), int))
    part = framework.run(positions, np.zeros((3, length), int), start=start)
    assert part.shape == (length, 6)
    np.testing.assert_array_equal(part, whole[start : start + length])


@both
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_beyond_the_last_position_is_an_error(framework, positions):
    embeddings = framework.Embeddings(config(positions=positions))
    assert framework.run(embeddings, np.ones((1, 9), int)).shape == (1, 9, 6)
    with pytest.raises(ValueError, match="ids has 10 tokens: wanted at most 9"):
        framework.run(embeddings, np.ones((1, 10), int))
    with pytest.raises(ValueError, match="ids has 10 tokens: wanted at most 9"):
        framework.run(embeddings, np.ones((1, 3), int), start=7)


@both
@in_both_modes
def test_a_vector_is_the_tokens_plus_the_positions(framework, training):
    embeddings = framework.Embeddings(config())
    ids = np.array([[4, 7, 4], [1, 1, 9]])
    found = framework.run(embeddings, ids, training=training)
    tokens = framework.run(embeddings.tokens, ids)
    positions = framework.numpy(framework.sinusoids(3, 6))
    np.testing.assert_allclose(found, math.sqrt(6) * tokens + positions, atol=1e-6)
    # each row of a batch is the same as the row alone
    for row in range(2):
        alone = framework.run(embeddings, ids[row : row + 1], training=training)
        np.testing.assert_array_equal(found[row], alone[0])


@both
def test_scaling_can_be_left_out(framework):
    embeddings = framework.Embeddings(config(scale_embeddings=False))
    ids = np.array([[4, 7]])
    positions = framework.numpy(framework.sinusoids(2, 6))
    np.testing.assert_allclose(
        framework.run(embeddings, ids),
        framework.run(embeddings.tokens, ids) + positions,
        atol=1e-6,
    )


@both
def test_segments_are_added_and_0_if_left_out(framework):
    embeddings = framework.Embeddings(config(num_segments=2))
    ids, zeros = np.array([[4, 7, 4]]), np.array([[0, 0, 0]])
    mixed = np.array([[0, 1, 1]])
    without = framework.run(embeddings, ids)
    np.testing.assert_array_equal(framework.run(embeddings, ids, zeros), without)
    table = framework.run(embeddings.segments, np.array([0, 1]))
    np.testing.assert_allclose(
        framework.run(embeddings, ids, mixed) - without,
        [[0 * table[0], table[1] - table[0], table[1] - table[0]]],
        atol=1e-6,
    )


@both
def test_norm_of_the_embeddings(framework):
    embeddings = framework.Embeddings(config(norm_embeddings=True))
    found = framework.run(embeddings, np.array([[4, 7, 4]]))
    np.testing.assert_allclose(found.mean(-1), 0, atol=1e-6)
    np.testing.assert_allclose(found.std(-1), 1, atol=1e-3)


@both
@in_both_modes
def test_dropout_of_embeddings_acts_in_training_only(framework, training):
    framework.seed()
    embeddings = framework.Embeddings(config(dropout=0.5))
    ids = np.array([[4, 7, 4]])
    one, other = (framework.run(embeddings, ids, training=training) for _ in range(2))
    assert np.array_equal(one, other) is not training


@both
def test_a_table_begins_with_vectors_of_length_1(framework):
    framework.seed()
    table = framework.new_embedding(2000, 64)
    vectors = framework.run(table, np.arange(2000))
    # 128,000 normal numbers: 2 % is seven times the error of their spread
    assert abs(vectors.std() * math.sqrt(64) - 1) < 0.02
    assert abs(vectors.mean()) < 0.01


@both
@pytest.mark.parametrize(
    ("ids", "segment_ids", "error", "words"),
    [
        (np.array([[1.0]]), None, TypeError, "ids holds.*float.*integers"),
        (np.array([[1]]), np.array([[0]]), ValueError, "segment_ids.*num_segments=0"),
    ],
)
def test_embeddings_say_what_is_wrong(framework, ids, segment_ids, error, words):
    embeddings = framework.Embeddings(config())
    with pytest.raises(error, match=words):
        framework.run(embeddings, ids, segment_ids=segment_ids)


@both
def test_a_model_of_bfloat16_computes_in_bfloat16(framework, bfloat16):
    model = framework.Encoder(config())
    hidden, _ = model(framework.tensor(np.array([[4, 7, 4]])))
    assert "bfloat16" in str(hidden.dtype)


@pytest.fixture
def bfloat16():
    """For one test, both frameworks create bfloat16 tensors by default."""
    torch.set_default_dtype(torch.bfloat16)
    keras.config.set_dtype_policy("bfloat16")
    yield
    torch.set_default_dtype(torch.float32)
    keras.config.set_dtype_policy("float32")


@pytest.mark.slow("computed positions that are saved as weights")
@both
def test_computed_positions_are_not_saved(framework, tmp_path):
    """Weights can be loaded into a model with a larger or smaller max_len."""
    short, long = (
        framework.Transformer(config(max_len=length)) for length in (64, 128)
    )
    ids = np.array([[3, 4, 5, 6]])
    for source, target in ((short, long), (long, short)):
        if str(framework) == "torch":
            target.load_state_dict(source.state_dict())
        else:
            source.save_weights(tmp_path / "model.weights.h5")
            target.load_weights(tmp_path / "model.weights.h5")
        np.testing.assert_array_equal(
            framework.run(target, ids, ids), framework.run(source, ids, ids)
        )


def test_all_that_pytorch_saves_is_weights():
    kinds = {
        "learned": {},
        "sinusoidal": {"max_len": 9},
        "rotary": {"num_kv_heads": 1, "qk_norm": True, "norm": "rms"},
    }
    for positions, fields in kinds.items():
        settled = config(**{"d_k": 4, "positions": positions, **fields})
        for name in ("Transformer", "CausalLanguageModel"):
            model = getattr(TORCH, name)(settled)
            weights = dict(model.named_parameters(remove_duplicate=False))
            assert model.state_dict().keys() == weights.keys()
