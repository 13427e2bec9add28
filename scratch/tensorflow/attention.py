"""Scaled dot-product attention, one head, fused kernels."""

import math

from scratch.checks import (
    require_at_least,
    require_attention_mask,
    require_vectors,
)

import keras
import tensorflow as tf


def tf_scaled_dot_product_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    attention_mask: tf.Tensor | None = None,
    dropout: keras.layers.Layer | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """Scaled dot-product attention: softmax(QKᵀ / √d_k) V.

    Otherwise as `scratch.torch.scaled_dot_product_attention`.
    """
    require_attention_mask(attention_mask, query, key)
    d_k = query.shape[-1]
    # float16 overflows above 65,504: float32 at least
    wide = keras.backend.result_type(query.dtype, "float32")
    query, key = tf.cast(query, wide), tf.cast(key, wide)
    # scores = Q Kᵀ / √d_k
    query = query / math.sqrt(d_k)
    scores = tf.matmul(query, key, transpose_b=True)
    if attention_mask is not None:
        # not -inf: a row of -inf would become NaN
        lowest = scores.dtype.min
        scores = tf.where(attention_mask, scores, lowest)
    # weights = softmax(scores), over the keys
    weights = tf.nn.softmax(scores, axis=-1)
    if attention_mask is not None:
        # nothing to attend to: 0, not 1 / keys
        weights = tf.where(attention_mask, weights, 0.0)
    weights = tf.cast(weights, value.dtype)
    # output = weights V
    dropped = weights if dropout is None else dropout(weights)
    return dropped @ value, weights


def tf_new_linear(
    d_in: int, d_out: int, bias: bool = True
) -> keras.layers.Dense:
    """Linear layer: Xavier uniform weights, biases of 0.

    Otherwise as `scratch.torch.new_linear`.
    """
    require_at_least("d_out", d_out, 1)
    layer = keras.layers.Dense(d_out, use_bias=bias)
    layer.build((None, d_in))
    return layer


class TFAttentionHead(keras.layers.Layer):
    """Attention head: three projections, then attention.

    Otherwise as `scratch.torch.AttentionHead`.
    """

    def __init__(
        self,
        d_model: int,
        d_k: int,
        d_v: int | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        d_v = d_k if d_v is None else d_v
        self.d_model = d_model
        self.query = tf_new_linear(d_model, d_k)
        self.key = tf_new_linear(d_model, d_k)
        self.value = tf_new_linear(d_model, d_v)

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor,
        value: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        require_vectors("query", query, self.d_model)
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        # an axis for the head, which masks have too
        query = tf.expand_dims(self.query(query), 1)
        key = tf.expand_dims(self.key(key), 1)
        value = tf.expand_dims(self.value(value), 1)
        output, weights = tf_scaled_dot_product_attention(
            query, key, value, attention_mask
        )
        return tf.squeeze(output, 1), tf.squeeze(weights, 1)


def tf_fused_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    attention_mask: tf.Tensor | None = None,
    dropout: keras.layers.Layer | None = None,
) -> tuple[tf.Tensor, None]:
    """Scaled dot-product attention without the weights.

    Otherwise as `scratch.torch.fused_attention`.
    """
    require_attention_mask(attention_mask, query, key)
    if dropout is not None:
        # Keras' function has no dropout
        output, _ = tf_scaled_dot_product_attention(
            query, key, value, attention_mask, dropout
        )
        return output, None
    # float16 overflows above 65,504: float32 at least
    wide = keras.backend.result_type(query.dtype, "float32")
    output = keras.ops.dot_product_attention(
        tf.transpose(tf.cast(query, wide), (0, 2, 1, 3)),
        tf.transpose(tf.cast(key, wide), (0, 2, 1, 3)),
        tf.transpose(tf.cast(value, wide), (0, 2, 1, 3)),
        mask=attention_mask,
    )
    output = tf.cast(output, value.dtype)
    output = tf.transpose(output, (0, 2, 1, 3))
    if attention_mask is not None:
        # Keras gives 1 / keys to a row without keys
        seen = tf.reduce_any(
            attention_mask, -1, keepdims=True
        )
        output = tf.where(seen, output, 0.0)
    return output, None
