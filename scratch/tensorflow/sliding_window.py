"""Sliding window attention: a mask, and a shorter cache."""

from scratch.tensorflow.kv_cache import tf_cached_length

import keras
import tensorflow as tf


class TFSlidingWindow:
    """Sliding window: a query attends to the nearest keys.

    Otherwise as `scratch.torch.SlidingWindow`.
    """

    def __init__(self, size: int):
        self.size = size

    def mask(
        self,
        x: tf.Tensor,
        cache: tuple,
        mask: tf.Tensor | None,
    ) -> tf.Tensor | None:
        """A decoder's mask, less the keys that the window of
        each query does not reach.

        Otherwise as `scratch.torch.SlidingWindow.mask`.
        """
        if mask is None:
            # a single query reaches all that `cut` has left
            return None
        queries = keras.ops.shape(x)[1]
        count = keras.ops.shape(cache[0])[2]
        key = tf.range(count)
        query = key[count - queries :]
        near = key[None, :] > query[:, None] - self.size
        return near & mask[..., -count:]

    def cut(self, cache: tuple) -> tuple:
        """A layer's cache, cut to the keys that the window of
        the next query reaches.

        Otherwise as `scratch.torch.SlidingWindow.cut`.
        """
        keys, values = cache[:2]
        count = keras.ops.shape(keys)[2]
        start = tf.maximum(0, count - self.size + 1)
        keys = keys[:, :, start:]
        values = values[:, :, start:]
        batch, heads, count = keras.ops.shape(keys)[:3]
        gone = tf_cached_length(cache) - count
        gone = tf.zeros((batch, heads, gone, 0), keys.dtype)
        return keys, values, gone
