"""Sliding window attention: a mask, and a shorter cache."""

from scratch.checks import require_mask
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
        attention_mask: tf.Tensor | None,
    ) -> tf.Tensor | None:
        """Mask of the keys that each query's window reaches,
        combined with attention_mask.

        Otherwise as `scratch.torch.SlidingWindow.mask`.
        """
        queries = keras.ops.shape(x)[1]
        count = keras.ops.shape(cache[0])[2]
        require_mask(
            "attention_mask",
            attention_mask,
            (
                x.shape[0],
                None,
                queries,
                tf_cached_length(cache),
            ),
        )
        key = tf.range(count)
        query = key[count - queries :]
        near = key[None, :] > query[:, None] - self.size
        if attention_mask is None:
            return near[None, None]
        return near & attention_mask[..., -count:]

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
