"""Attention weights and tokens of either framework, checked, as plain NumPy."""

from scratch.checks import require_texts

import numpy as np


def as_array(value, name):
    """Return a tensor of either framework, an array or nested lists as float64."""
    if value is None:
        raise TypeError(
            f"{name} is None: wanted attention weights, which attention returns "
            f"unless it is called with need_weights=False"
        )
    try:
        if hasattr(value, "detach"):  # PyTorch, whose bfloat16 NumPy does not know
            value = value.detach().cpu().double()
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, NotImplementedError) as error:
        # The last: a tensor without values, traced or on PyTorch's meta device.
        raise TypeError(
            f"{name} is a {type(value).__name__}: wanted a tensor or an array that "
            f"holds numbers"
        ) from error


def as_layers(value, name="weights"):
    """Return one (heads, rows, columns) array for each layer, all of one shape."""
    if not isinstance(value, list | tuple):
        return [_as_layer(value, name)]
    if not value:
        raise ValueError(f"{name} is empty: wanted at least one layer")
    if isinstance(value[0], list | tuple) and hasattr((*value[0], 0)[0], "shape"):
        raise TypeError(
            f"{name}[0] is a {type(value[0]).__name__} of {len(value[0])}: wanted one "
            f"of the pair (self, cross), as in [cross for _, cross in weights]"
        )
    if isinstance(value[0], list | tuple | int | float):
        return [_as_layer(value, name)]  # nested lists of numbers: one layer
    layers = [_as_layer(layer, f"{name}[{i}]") for i, layer in enumerate(value)]
    for i, layer in enumerate(layers):
        if layer.shape != layers[0].shape:
            raise ValueError(
                f"{name}[{i}] has shape {layer.shape}: wanted {layers[0].shape}, the "
                f"shape of {name}[0]"
            )
    return layers


def _as_layer(value, name):
    array = as_array(value, name)
    if array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: wanted no axis of length 0")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity: wanted finite numbers")
    if array.ndim == 4 and array.shape[0] != 1:
        raise ValueError(
            f"{name} holds a batch of {array.shape[0]}: wanted one sequence, as in "
            f"weights[:1]"
        )
    if not 2 <= array.ndim <= 4:
        raise ValueError(
            f"{name} has shape {array.shape}: wanted (1, heads, queries, keys), "
            f"(heads, queries, keys) or (queries, keys)"
        )
    return array.reshape(-1, *array.shape[-2:])


def as_tokens(tokens, length, name="tokens", axis="queries"):
    """Return the tokens as a list of strings, one for each of `length` positions."""
    if isinstance(tokens, str) or not hasattr(tokens, "__len__"):
        raise TypeError(
            f"{name} is a {type(tokens).__name__}: wanted a list of strings, one for "
            f"each position"
        )
    if len(tokens) != length:
        raise ValueError(
            f"{name} has {len(tokens)} entries: wanted {length}, one for each of the "
            f"{axis}"
        )
    tokens = [str(token) for token in tokens]
    require_texts(name, tokens)
    return tokens


def as_indices(wanted, count, name):
    """Return the indices wanted, counted from 0; all `count` for None."""
    if wanted is None:
        return list(range(count))
    indices = [wanted] if isinstance(wanted, int | np.integer) else list(wanted)
    for index in indices:
        if not isinstance(index, int | np.integer) or not -count <= index < count:
            raise ValueError(
                f"{name} holds {index!r}: wanted indices from 0 to {count - 1}"
            )
    if not indices:
        raise ValueError(f"{name} is empty: wanted at least one of {count}")
    return [int(index) % count for index in indices]
