"""Grouped-query attention: heads that share their keys."""

from scratch.checks import (
    require_attention_mask,
    require_vectors,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import (
    tf_fused_attention,
    tf_new_linear,
    tf_scaled_dot_product_attention,
)
from scratch.tensorflow.kv_cache import tf_cached_length
from scratch.tensorflow.multi_head import (
    tf_merge_heads,
    tf_split_heads,
)
from scratch.tensorflow.rotary import (
    tf_frequencies,
    tf_rotate,
)

import keras
import tensorflow as tf


def tf_fold_groups(
    query: tf.Tensor,
    mask: tf.Tensor | None,
    num_kv_heads: int,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """Queries that share keys, one after the other.

    Otherwise as `scratch.torch.fold_groups`.
    """
    batch, heads, length, size = keras.ops.shape(query)
    group = heads // num_kv_heads
    rows = group * length
    shape = (batch, num_kv_heads, rows, size)
    query = tf.reshape(query, shape)
    if mask is None:
        return query, None
    many, _, _, keys = keras.ops.shape(mask)
    # one mask for all heads serves all groups, too
    shared = 1 if mask.shape[1] == 1 else num_kv_heads
    shape = (many, shared * group, length, keys)
    mask = tf.broadcast_to(mask, shape)
    shape = (many, shared, rows, keys)
    return query, tf.reshape(mask, shape)


class TFGroupedQueryAttention(keras.layers.Layer):
    """Multi-head attention, where heads may share keys.

    Otherwise as `scratch.torch.GroupedQueryAttention`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        rotary: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.d_model = d_model = config.d_model
        self.num_heads = heads = config.num_heads
        self.num_kv_heads = config.num_kv_heads or heads
        d_k = config.d_k or d_model // heads
        d_v = config.d_v or d_k
        kv, bias = self.num_kv_heads, config.qkv_bias
        if bias is None:
            bias = config.bias
        self.query = tf_new_linear(d_model, heads * d_k, bias)
        self.key = tf_new_linear(d_model, kv * d_k, bias)
        self.value = tf_new_linear(d_model, kv * d_v, bias)
        self.projection = tf_new_linear(
            heads * d_v, d_model, config.bias
        )
        identity = keras.layers.Identity()
        self.query_norm = self.key_norm = identity
        if config.qk_norm:
            eps = config.layer_norm_eps
            norm = keras.layers.RMSNormalization
            self.query_norm = norm(epsilon=eps)
            self.query_norm.build((None, d_k))
            self.key_norm = norm(epsilon=eps)
            self.key_norm.build((None, d_k))
        self.dropout = keras.layers.Dropout(config.dropout)
        # no variable: half precision would round the angles
        self.frequency = None
        if rotary and config.positions == "rotary":
            self.frequency = tf_frequencies(
                d_k, config.rotary_base, config.rotary_scaling
            )

    def turned(
        self, x: tf.Tensor, start: int | tf.Tensor
    ) -> tf.Tensor:
        """Rotate queries or keys, if positions are rotary:
        (batch, heads, length, d_k), from position start on.
        """
        if self.frequency is None:
            return x
        if tf.is_tensor(start) and start.shape.rank:
            start = start[:, None]  # one for all heads
        return tf_rotate(x, self.frequency, start)

    def project(
        self,
        key: tf.Tensor,
        value: tf.Tensor,
        start: int | tf.Tensor = 0,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Keys and values for a cache, as MultiHeadAttention,
        but of num_kv_heads heads.
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = tf_split_heads(self.key(key), self.num_kv_heads)
        value = tf_split_heads(
            self.value(value), self.num_kv_heads
        )
        key = self.turned(self.key_norm(key), start)
        return key, value

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
        cache = cache or self.project(key, value)
        key, value = cache[:2]
        require_attention_mask(attention_mask, query, key)
        batch, heads, length, _ = keras.ops.shape(query)
        if start is None:
            start = tf_cached_length(cache) - length
        query = self.turned(self.query_norm(query), start)
        query, attention_mask = tf_fold_groups(
            query, attention_mask, self.num_kv_heads
        )
        dropout = self.dropout if training else None
        attend = tf_fused_attention
        if need_weights:
            attend = tf_scaled_dot_product_attention
        output, weights = attend(
            query, key, value, attention_mask, dropout
        )
        # unfold: (batch, heads, queries, d_v or keys)
        shape = (batch, heads, length, -1)
        output = tf.reshape(output, shape)
        if weights is not None:
            weights = tf.reshape(weights, shape)
        return self.projection(
            tf_merge_heads(output)
        ), weights
