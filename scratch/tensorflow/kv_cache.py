"""The KV cache: keys and values of earlier positions."""

import keras


def tf_dropped(cache: tuple | None) -> tuple:
    """What is left of the keys that a window has dropped.

    Otherwise as `scratch.torch.dropped`.
    """
    # all other tensors come in pairs: keys and their values
    return cache[2:3] if cache and len(cache) % 2 else ()


def tf_cached_length(cache: tuple | None) -> int:
    """Number of positions that a layer's cache has seen."""
    parts = *(cache or ())[:1], *tf_dropped(cache)
    return sum(keras.ops.shape(part)[2] for part in parts)
