"""KV cache: the keys and values of earlier positions.

Otherwise as `scratch.torch.kv_cache`.
"""

import keras
import tensorflow as tf


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


def tf_extended(
    cache: tuple | None,
    attention: keras.layers.Layer,
    x: tf.Tensor,
    start: int | tf.Tensor | None = None,
) -> tuple:
    """A layer's cache, with keys and values of x added.

    Otherwise as `scratch.torch.extended`.
    """
    if start is None:
        start = tf_cached_length(cache)
    keys, values = attention.project(x, x, start)
    if cache:
        keys = tf.concat([cache[0], keys], 2)
        values = tf.concat([cache[1], values], 2)
    return keys, values, *tf_dropped(cache)


def tf_reordered(cache: list, rows: tf.Tensor) -> list:
    """The cache, with its parent's rows for each beam.

    Otherwise as `scratch.torch.reordered`.
    """
    return [
        (
            tf.gather(keys, rows),
            tf.gather(values, rows),
            *memory,
        )
        for keys, values, *memory in cache
    ]
