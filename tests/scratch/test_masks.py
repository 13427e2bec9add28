"""Masks are boolean, True = may attend; one for padding, one for the future."""

import numpy as np
import pytest
from helpers.frameworks import both
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

ids_arrays = arrays(
    np.int64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.integers(0, 4),
)


@both
@given(ids=ids_arrays, pad_id=st.integers(0, 5))
def test_padding_mask_is_true_where_an_id_is_no_padding(framework, ids, pad_id):
    mask = framework.run(framework.padding_mask, ids, pad_id=pad_id)
    assert mask.dtype == bool
    assert mask.shape == (len(ids), 1, 1, ids.shape[1])
    np.testing.assert_array_equal(mask[:, 0, 0], ids != pad_id)


@both
def test_without_a_padding_id_nothing_is_padding(framework):
    ids = np.array([[0, 1, 2]])
    assert framework.run(framework.padding_mask, ids, pad_id=None).all()


@both
@given(length=st.integers(1, 9), earlier=st.integers(0, 5))
def test_causal_mask_shows_a_query_what_is_not_after_it(framework, length, earlier):
    key_length = length + earlier
    mask = framework.run(framework.causal_mask, length, key_length)
    assert mask.dtype == bool
    assert mask.shape == (1, 1, length, key_length)
    for query in range(length):
        for key in range(key_length):
            assert mask[0, 0, query, key] == (key <= query + earlier)


@both
def test_causal_mask_is_square_if_only_one_length_is_given(framework):
    mask = framework.run(framework.causal_mask, 3)
    np.testing.assert_array_equal(mask[0, 0], np.tril(np.ones((3, 3), bool)))


@both
def test_masks_combine(framework):
    ids = framework.tensor(np.array([[5, 6, 0]]))
    padding = framework.padding_mask(ids, 0)
    mask = framework.numpy(padding & framework.causal_mask(3))
    np.testing.assert_array_equal(
        mask[0, 0], [[True, False, False], [True, True, False], [True, True, False]]
    )


NO_IDS = [
    (np.array([[1.0, 0.0]]), TypeError, "ids holds float64: wanted a tensor of int"),
    (np.array([[True, False]]), TypeError, "ids holds bool: wanted a tensor of int"),
    (np.array([1, 0]), ValueError, r"ids has shape \(2,\): wanted \(batch, length\)"),
]


@both
def test_padding_mask_says_what_is_wrong(framework):
    for ids, error, words in NO_IDS:
        with pytest.raises(error, match=words):
            framework.run(framework.padding_mask, ids)


NO_LENGTHS = [
    ((3, 2), ValueError, "key_length is 2: wanted at least 3"),
    ((2.0,), TypeError, None),  # by the framework
    ((np.float64(2),), TypeError, None),
]


@both
def test_causal_mask_says_what_is_wrong(framework):
    for lengths, error, words in NO_LENGTHS:
        with pytest.raises(error, match=words):
            framework.causal_mask(*lengths)
