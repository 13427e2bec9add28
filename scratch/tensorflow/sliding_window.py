"""Sliding window attention: a mask, and a shorter cache."""

from scratch.checks import require_mask

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


def tf_within_window(
    x: tf.Tensor,
    cache: tuple,
    attention_mask: tf.Tensor | None,
    window: int | None,
) -> tf.Tensor | None:
    """Mask of the keys that each query's window reaches,
    combined with attention_mask.

    Otherwise as `scratch.torch.within_window`.
    """
    if window is None:
        return attention_mask
    queries = keras.ops.shape(x)[1]
    count = keras.ops.shape(cache[0])[2]
    require_mask(
        "attention_mask",
        attention_mask,
        (x.shape[0], None, queries, tf_cached_length(cache)),
    )
    key = tf.range(count)
    query = key[count - queries :]
    near = key[None, :] > query[:, None] - window
    if attention_mask is None:
        return near[None, None]
    return near & attention_mask[..., -count:]


def tf_newest(cache: tuple, window: int | None) -> tuple:
    """A layer's cache, cut to the keys that the window of the
    next query reaches.

    Otherwise as `scratch.torch.newest`.
    """
    if window is None:
        return cache
    keys, values = cache[:2]
    count = keras.ops.shape(keys)[2]
    start = tf.maximum(0, count - window + 1)
    keys, values = keys[:, :, start:], values[:, :, start:]
    batch, heads, count = keras.ops.shape(keys)[:3]
    gone = tf_cached_length(cache) - count
    gone = tf.zeros((batch, heads, gone, 0), keys.dtype)
    return keys, values, gone
