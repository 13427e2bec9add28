"""The line that ends each of the book's comparisons is true."""

from scratch.agreement import agree

import numpy as np
import pytest
import tensorflow as tf
import torch


def test_equal_results_of_two_frameworks_agree(capsys):
    one = torch.tensor([1.0, 2.0], requires_grad=True)
    assert agree("output", one, tf.constant([1.0, 2.0 + 1e-6]))
    assert capsys.readouterr().out == "output: max difference < 1e-5: True\n"


def test_bfloat16_is_compared_in_both_frameworks():
    one = torch.tensor([1.0, 2.5], dtype=torch.bfloat16)
    assert agree("output", one, tf.constant([1.0, 2.5], tf.bfloat16))


@pytest.mark.parametrize(
    ("tolerance", "printed"), [(1e-4, "1e-4"), (2.5e-4, "2.5e-4"), (1e-10, "1e-10")]
)
def test_a_difference_is_reported_and_returned(tolerance, printed, capsys):
    assert not agree("gradient", np.array([1.0, 2.0]), [1.0, 2.1], tolerance)
    wanted = f"gradient: max difference < {printed}: False\n"
    assert capsys.readouterr().out == wanted


def test_nan_never_agrees():
    assert not agree("output", [np.nan], [np.nan])


@pytest.mark.filterwarnings("error")
def test_only_equal_infinities_agree():
    assert agree("logits", [1.0, -np.inf], [1.0, -np.inf])
    assert not agree("logits", [1.0, -np.inf], [1.0, np.inf])
    assert not agree("logits", -np.inf, 0.0)


def test_shapes_that_would_broadcast_are_refused():
    with pytest.raises(ValueError, match=r"other has shape \(2,\): wanted \(2, 1\)"):
        agree("output", [[1.0], [1.0]], [1.0, 1.0])


def test_sparse_gradients_are_summed_before_they_are_compared():
    sparse = tf.IndexedSlices(tf.ones((2, 1)), tf.constant([1, 1]), tf.constant([3, 1]))
    assert agree("gradient", sparse, [[0.0], [2.0], [0.0]])
