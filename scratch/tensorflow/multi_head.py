"""Multi-head attention: several heads in one layer."""

from scratch.checks import require_heads, require_vectors
from scratch.tensorflow.attention import (
    tf_fused_attention,
    tf_new_linear,
    tf_scaled_dot_product_attention,
)

import keras
import tensorflow as tf


def tf_split_heads(x: tf.Tensor, num_heads: int) -> tf.Tensor:
    """Split vectors into heads, on an axis of their own.

    Otherwise as `scratch.torch.split_heads`.
    """
    batch, length, width = keras.ops.shape(x)
    size = width // num_heads
    x = tf.reshape(x, (batch, length, num_heads, size))
    return tf.transpose(x, (0, 2, 1, 3))  # (batch, heads, …)


def tf_merge_heads(x: tf.Tensor) -> tf.Tensor:
    """Merge the heads again: the inverse of split_heads.

    Otherwise as `scratch.torch.merge_heads`.
    """
    batch, heads, length, size = keras.ops.shape(x)
    x = tf.transpose(x, (0, 2, 1, 3))
    return tf.reshape(x, (batch, length, heads * size))


class TFMultiHeadAttention(keras.layers.Layer):
    """Multi-head attention: several heads in one layer.

    Otherwise as `scratch.torch.MultiHeadAttention`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        d_k: int | None = None,
        d_v: int | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if d_k is None:
            require_heads(d_model, num_heads)
            d_k = d_model // num_heads
        d_v = d_k if d_v is None else d_v
        self.d_model = d_model
        self.num_heads = num_heads
        self.query = tf_new_linear(d_model, num_heads * d_k)
        self.key = tf_new_linear(d_model, num_heads * d_k)
        self.value = tf_new_linear(d_model, num_heads * d_v)
        self.projection = tf_new_linear(
            num_heads * d_v, d_model
        )
        self.dropout = keras.layers.Dropout(dropout)

    def project(
        self,
        key: tf.Tensor,
        value: tf.Tensor,
        start: int | tf.Tensor = 0,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Keys and values of all heads, for a cache.

        Otherwise as
        `scratch.torch.MultiHeadAttention.project`.
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = tf_split_heads(self.key(key), self.num_heads)
        value = tf_split_heads(
            self.value(value), self.num_heads
        )
        return key, value  # (batch, heads, keys, d_k or d_v)

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor | None = None,
        value: tf.Tensor | None = None,
        attention_mask: tf.Tensor | None = None,
        need_weights: bool = True,
        cache: tuple[tf.Tensor, tf.Tensor] | None = None,
        start: int | tf.Tensor | None = None,
        training: bool | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        require_vectors("query", query, self.d_model)
        query = tf_split_heads(
            self.query(query), self.num_heads
        )
        key, value = cache or self.project(key, value)
        dropout = self.dropout if training else None
        attend = tf_fused_attention
        if need_weights:
            attend = tf_scaled_dot_product_attention
        output, weights = attend(
            query, key, value, attention_mask, dropout
        )
        return self.projection(
            tf_merge_heads(output)
        ), weights
