"""Weights as the pictures draw them."""

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax over the last axis."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
