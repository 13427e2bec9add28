"""Whether two frameworks, or two layers, compute the same numbers."""

from typing import Any

import numpy as np


def agree(name: str, one: Any, other: Any, tolerance: float = 1e-5) -> bool:
    """Print, in one line, whether two results are equal up to rounding.

    The line says whether the difference is small, never how small it is: its digits
    change from processor to processor, and the chapters' outputs are compared.

    Args:
        name: what is compared, the beginning of the line.
        one: a tensor of either framework, of any precision, a NumPy array or a number.
            A sparse gradient of TensorFlow is made dense.
        other: the same, of the same shape.
        tolerance: the largest absolute difference that counts as equal.

    Returns:
        True if every element differs by less than the tolerance. NaN never agrees.

    Raises:
        ValueError: if the shapes differ.

    Example:
        "output", [1.0], [1.0] -> output: max difference < 1e-5: True
    """
    one, other = _as_array(one), _as_array(other)
    if one.shape != other.shape:
        raise ValueError(
            f"other has shape {other.shape}: wanted {one.shape}, the shape of one"
        )
    unequal = one != other  # infinity minus itself would be NaN
    difference = np.abs(one[unequal] - other[unequal]).max(initial=0.0)
    # Not "difference >= tolerance is False": NaN would pass.
    equal = bool(difference < tolerance)
    limit = np.format_float_scientific(tolerance, trim="-", exp_digits=1)
    print(f"{name}: max difference < {limit}: {equal}")
    return equal


def _as_array(value):
    """Return a tensor's values in double precision."""
    if hasattr(value, "detach"):  # a torch tensor, perhaps with a gradient to come
        value = value.detach().cpu().double()  # NumPy has no bfloat16
    elif hasattr(value, "indices"):  # TensorFlow's sparse gradient of a look-up
        import tensorflow as tf

        value = tf.convert_to_tensor(value)
    return np.asarray(value, dtype=np.float64)
