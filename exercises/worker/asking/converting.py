"""Carry values from NumPy to a framework and back."""

import copy
from decimal import Decimal
from fractions import Fraction

import numpy as np


def to_framework(value, framework):
    if isinstance(value, np.ndarray):
        if framework == "torch":
            import torch

            return torch.from_numpy(value.copy())
        if framework == "tensorflow":
            import tensorflow as tf

            whole = np.issubdtype(value.dtype, np.integer)
            return tf.constant(value, tf.int32 if whole else None)
    if isinstance(value, list | tuple):
        return type(value)(to_framework(item, framework) for item in value)
    return copy.deepcopy(value)


def to_numpy(value):
    """Return (value with NumPy for tensors, the libraries the tensors came from).

    The result shares no list, dictionary or array with the value.
    """
    made_of = set()

    def convert(item):
        root = type(item).__module__.partition(".")[0]
        if isinstance(item, np.str_):
            return str(item)
        if isinstance(item, Fraction | Decimal):
            return float(item)
        if isinstance(item, range):
            return list(item)
        if isinstance(item, np.ndarray | np.generic):
            made_of.add("numpy")
            return np.array(item)
        if root == "torch" and hasattr(item, "detach"):
            made_of.add("torch")
            # NumPy has no bfloat16.
            item = item.float() if "bfloat16" in str(item.dtype) else item
            return item.detach().cpu().numpy().copy()
        if root in ("tensorflow", "keras") and hasattr(item, "numpy"):
            made_of.add("tensorflow")
            return np.array(item.numpy())
        if root == "tensorflow" and hasattr(item, "as_list"):  # a TensorShape
            return item.as_list()
        if isinstance(item, tuple | list):
            return (tuple if isinstance(item, tuple) else list)(map(convert, item))
        if isinstance(item, dict):
            return {key: convert(inner) for key, inner in item.items()}
        return item

    return convert(value), tuple(sorted(made_of))


def equal(before, after):
    if isinstance(before, np.ndarray):
        return np.shape(before) == np.shape(after) and bool(
            np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
        )
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(map(equal, before, after))
    return type(before) is type(after) and before == after
