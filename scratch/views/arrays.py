"""Attention weights and tokens of either framework, checked, as plain NumPy."""

import numpy as np


def as_array(value, name):
    """Return a tensor of either framework, or an array, as float64.

    Args:
        value: a torch or TensorFlow tensor, a NumPy array, or nested lists of numbers.
        name: what to call the argument in an error.

    Raises:
        TypeError: `value` is None or holds no numbers.
    """
    if value is None:
        raise TypeError(
            f"{name} is None. Attention called with need_weights=False returns no "
            f"weights: call it with need_weights=True."
        )
    if hasattr(value, "detach"):  # torch, whose half precisions NumPy may not know
        value = value.detach().cpu().double()
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} must be a tensor or an array of numbers, not "
            f"{type(value).__name__} ({error})."
        ) from error


def as_layers(value, name="weights"):
    """Return one (heads, rows, columns) array for each layer.

    Args:
        value: one layer or a list of layers, each (batch, heads, rows, columns) with a
            batch of 1, (heads, rows, columns), or, for one head, (rows, columns).
        name: what to call the argument in an error.

    Raises:
        TypeError: a layer is None, or a pair of weights as decoder layers return it.
        ValueError: the batch is not 1, the axes are not those above, or two layers
            differ in shape.
    """
    if not isinstance(value, list | tuple):
        return [_as_layer(value, name)]
    if not value:
        raise ValueError(f"{name} is empty: give the weights of at least one layer.")
    if isinstance(value[0], list | tuple) and hasattr(value[0][0], "shape"):
        raise TypeError(
            f"{name}[0] is a {type(value[0]).__name__} of {len(value[0])}. Decoder "
            f"layers return pairs, (self, cross): choose one of the two, as in "
            f"[cross for _, cross in weights]."
        )
    if isinstance(value[0], list | tuple | int | float):
        return [_as_layer(value, name)]  # nested lists of numbers: one layer
    layers = [_as_layer(layer, f"{name}[{i}]") for i, layer in enumerate(value)]
    for i, layer in enumerate(layers):
        if layer.shape != layers[0].shape:
            raise ValueError(
                f"{name}[{i}] has shape {layer.shape} and {name}[0] "
                f"{layers[0].shape}: all layers must have the same shape."
            )
    return layers


def _as_layer(value, name):
    array = as_array(value, name)
    if array.ndim == 4:
        if array.shape[0] != 1:
            raise ValueError(
                f"{name} holds a batch of {array.shape[0]}: a view shows one text. "
                f"Choose it, as in weights[:1] for the first."
            )
        return array[0]
    if array.ndim == 3:
        return array
    if array.ndim == 2:
        return array[None]
    raise ValueError(
        f"{name} has shape {array.shape}: wanted (batch, heads, queries, keys) with a "
        f"batch of 1, (heads, queries, keys) or (queries, keys)."
    )


def as_tokens(tokens, length, name="tokens", axis="queries"):
    """Return the tokens as a list of strings, one for each of `length` positions."""
    if isinstance(tokens, str) or not hasattr(tokens, "__len__"):
        raise TypeError(
            f"{name} must be a list of strings, one a position, not "
            f"{type(tokens).__name__}."
        )
    if len(tokens) != length:
        raise ValueError(
            f"{name} has {len(tokens)} entries and the weights have {length} {axis}: "
            f"wanted one token for each."
        )
    return [str(token) for token in tokens]


def choose(wanted, count, name):
    """Return the indices wanted, or all `count` of them where `wanted` is None.

    Args:
        wanted: an index, a list of indices, or None. Negative ones count from the end.
        count: how many there are.
        name: "layers" or "heads", for the error.
    """
    if wanted is None:
        return list(range(count))
    indices = [wanted] if isinstance(wanted, int | np.integer) else list(wanted)
    if not indices:
        raise ValueError(f"{name} is empty: choose at least one of the {count}.")
    for index in indices:
        if not isinstance(index, int | np.integer) or not -count <= index < count:
            raise ValueError(
                f"{name} asks for {index!r}: there are {count}, from 0 to {count - 1}."
            )
    return [int(index) % count for index in indices]
