"""Say whether two frameworks, or two layers, came to the same numbers."""

import numpy as np


def agree(name, one, other, tolerance=1e-5):
    """Print, in one line, whether two results are equal up to rounding.

    The line says whether the difference is small, never how small it is: its digits
    change from processor to processor, and the chapters' outputs are compared.

    Args:
        name: what is compared, the beginning of the line.
        one, other: tensors of either framework, NumPy arrays or numbers, of one shape.
            Sparse TensorFlow gradients are made dense.
        tolerance: the largest absolute difference that counts as equal.

    Returns:
        True if no element differs by as much as the tolerance. NaN never agrees.

    Raises:
        ValueError: the shapes differ.
    """
    one, other = _as_array(one), _as_array(other)
    if one.shape != other.shape:
        raise ValueError(
            f"other must have the shape of one, {one.shape}, got {other.shape}"
        )
    # Not "difference >= tolerance is False": NaN would pass.
    equal = bool(np.abs(one - other).max(initial=0.0) < tolerance)
    print(f"{name}: max difference < {tolerance:.0e}: {equal}".replace("e-0", "e-"))
    return equal


def _as_array(value):
    if hasattr(value, "detach"):  # a torch tensor, perhaps with a gradient to come
        value = value.detach().cpu()
    elif hasattr(value, "indices"):  # TensorFlow's sparse gradient of a look-up
        import tensorflow as tf

        value = tf.convert_to_tensor(value)
    return np.asarray(value, dtype=np.float64)
