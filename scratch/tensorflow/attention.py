"""Masks, dot-product attention and multi-head attention."""

import math

from scratch.arguments import (
    head_size,
    require_attention,
    require_even,
    require_fraction,
    require_ids,
    require_lengths,
    require_positive,
    require_vectors,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.inputs import tf_as_ids, tf_as_mask
from scratch.tensorflow.saving import saveable

import keras
import tensorflow as tf


def tf_padding_mask(
    ids: tf.Tensor, pad_id: int | None = 0
) -> tf.Tensor:
    """Padding mask: True where an id is not padding.

    Args:
        ids: integers, shape (batch, length).
        pad_id: the id of padding; None if there is none.

    Returns:
        Booleans, shape (batch, 1, 1, length).

    Raises:
        TypeError, ValueError: if ids are of another kind.

    Example:
        [[5, 8, 0]] -> [[[[True, True, False]]]]
    """
    require_ids("ids", ids)
    ids = tf_as_ids(ids)
    if pad_id is None:
        mask = tf.ones_like(ids, dtype=tf.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def tf_causal_mask(
    length: int, key_length: int | None = None
) -> tf.Tensor:
    """Causal mask: True for keys not after a query.

    The last query is aligned with the last key, so the mask
    also serves cached decoding.

    Args:
        length: number of queries.
        key_length: number of keys; None for as many.

    Returns:
        Booleans, shape (1, 1, length, key_length). Layers
        move a mask to the device of their inputs.

    Raises:
        ValueError: if there are fewer keys than queries.

    Example:
        2, 3 -> [[[[True, True, False], [True, True, True]]]]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if key_length is None:
        key_length = length
    require_lengths(length, key_length)
    key = tf.range(key_length)
    query = key[key_length - length :]
    mask = key[None, :] <= query[:, None]
    return mask[None, None]  # (1, 1, length, key_length)


def tf_scaled_dot_product_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    attention_mask: tf.Tensor | None = None,
    dropout: keras.layers.Layer | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """Scaled dot-product attention: softmax(QKᵀ / √d_k) V.

    A query that may attend to nothing gets weights and an
    output of 0. Scores of half precision are computed in
    float32, where they cannot overflow.

    Args:
        query: shape (…, queries, d_k).
        key: shape (…, keys, d_k).
        value: shape (…, keys, d_v).
        attention_mask: booleans, True = may attend, with as
            many axes as query: (…, queries, keys), where any
            size may be 1. A tensor or NumPy array.
        dropout: a dropout layer for the weights, or None.

    Returns:
        The output, shape (…, queries, d_v), and the weights
        before dropout, shape (…, queries, keys).

    Raises:
        TypeError, ValueError: if shapes or mask do not fit.

    Source: Vaswani et al. 2017, section 3.2.1.
    """
    require_attention(query, key, value, attention_mask)
    d_k = query.shape[-1]
    # half precision ends at 65,504: float32 at least
    wide = keras.backend.result_type(query.dtype, "float32")
    query, key = tf.cast(query, wide), tf.cast(key, wide)
    # scores = Q Kᵀ / √d_k
    query = query / math.sqrt(d_k)
    scores = tf.matmul(query, key, transpose_b=True)
    if attention_mask is not None:
        attention_mask = tf_as_mask(attention_mask, query)
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

    Args:
        d_in: length of the vectors that come in.
        d_out: length of the vectors that come out.
        bias: False for none.

    Source: Glorot and Bengio 2010, section 4.2.1.
    """
    d_in = require_positive("d_in", d_in)
    d_out = require_positive("d_out", d_out)
    layer = keras.layers.Dense(d_out, use_bias=bias)
    layer.build((None, d_in))
    return layer


@saveable
class TFAttentionHead(keras.layers.Layer):
    """Attention head: three projections, then attention.

    Args:
        d_model: length of the vectors that come in.
        d_k: length of a query and of a key.
        d_v: length of a value; None for d_k.

    Call:
        query: shape (batch, queries, d_model).
        key, value: shape (batch, keys, d_model).
        attention_mask: booleans, True = may attend, shape
            (batch, 1, queries, keys), any size may be 1.

    Returns:
        The output, shape (batch, queries, d_v), and the
        weights, shape (batch, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Vaswani et al. 2017, section 3.2.2.
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
        self.d_model = require_positive("d_model", d_model)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
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

    PyTorch computes it by a fused kernel, which never stores
    the weights: that saves memory and, for long sequences,
    time. TensorFlow has no such kernel; Keras takes the same
    steps as the written-out function, in about the same time.

    Args:
        query, key, value, attention_mask, dropout: as in
            tf_scaled_dot_product_attention, with the axes
            (batch, heads) before those named there.

    Returns:
        The output, shape (batch, heads, queries, d_v), and
        None.

    Raises:
        TypeError, ValueError: if shapes or mask do not fit.

    Source: Dao et al. 2022, section 3.1.
    """
    require_attention(query, key, value, attention_mask)
    if dropout is not None:
        # Keras' function has no dropout
        output, _ = tf_scaled_dot_product_attention(
            query, key, value, attention_mask, dropout
        )
        return output, None
    # half precision ends at 65,504: float32 at least
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


def tf_split_heads(x: tf.Tensor, num_heads: int) -> tf.Tensor:
    """Split vectors into heads, on an axis of their own.

    Args:
        x: shape (batch, length, num_heads · size).
        num_heads: number of heads.

    Returns:
        Shape (batch, num_heads, length, size).
    """
    batch, length, width = keras.ops.shape(x)
    size = width // num_heads
    x = tf.reshape(x, (batch, length, num_heads, size))
    return tf.transpose(x, (0, 2, 1, 3))  # (batch, heads, …)


def tf_merge_heads(x: tf.Tensor) -> tf.Tensor:
    """Merge the heads again: the inverse of split_heads.

    Args:
        x: shape (batch, heads, length, size).

    Returns:
        Shape (batch, length, heads · size).
    """
    batch, heads, length, size = keras.ops.shape(x)
    x = tf.transpose(x, (0, 2, 1, 3))
    return tf.reshape(x, (batch, length, heads * size))


@saveable
class TFMultiHeadAttention(keras.layers.Layer):
    """Multi-head attention: several heads in one layer.

    Args:
        d_model: length of the vectors that come in and out.
        num_heads: number of heads.
        dropout: fraction of the weights that is dropped.
        d_k: length of a head's queries and keys; None for
            d_model / num_heads.
        d_v: length of a head's values; None for d_k.

    Call:
        query: shape (batch, queries, d_model).
        key, value: shape (batch, keys, d_model).
        attention_mask: booleans, True = may attend, shape
            (batch, heads, queries, keys), any size may be 1.
        need_weights: False returns None for the weights, and
            lets PyTorch use its fused kernel.
        cache: what `project` returned, instead of key and
            value.

    Returns:
        The output, shape (batch, queries, d_model), and the
        weights, shape (batch, heads, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Vaswani et al. 2017, section 3.2.2.
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
            d_k = head_size(d_model, num_heads)
        d_v = d_k if d_v is None else d_v
        num_heads = require_positive("num_heads", num_heads)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        require_fraction("dropout", dropout)
        self.d_model = require_positive("d_model", d_model)
        self.num_heads = num_heads
        self.query = tf_new_linear(d_model, num_heads * d_k)
        self.key = tf_new_linear(d_model, num_heads * d_k)
        self.value = tf_new_linear(d_model, num_heads * d_v)
        self.projection = tf_new_linear(
            num_heads * d_v, d_model
        )
        self.dropout = keras.layers.Dropout(dropout)

    def project(
        self, key: tf.Tensor, value: tf.Tensor, start: int = 0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Keys and values of all heads, for a cache.

        Args:
            key, value: shape (batch, keys, d_model).
            start: the first key's position, which counts for
                rotary positions alone.

        Returns:
            Keys, shape (batch, heads, keys, d_k), and values,
            shape (batch, heads, keys, d_v).
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


def tf_frequencies(
    d_k: int, base: float = 10_000.0
) -> tf.Tensor:
    """Angles by which rotary positions turn, per position.

    The first half of a vector and the second are the two
    coordinates of d_k / 2 points. Each point turns by its own
    angle; the minus sign is that of the sine in a rotation.

    Args:
        d_k: length of a query and of a key, even.
        base: the slowest point turns once in almost 2π · base
            positions.

    Returns:
        Shape (d_k,): the angles, first negative.

    Raises:
        ValueError: if d_k is odd.

    Example:
        4, 10000 -> [-1, -0.01, 1, 0.01]

    Source: Su et al. 2021, section 3.2.2, with the pairs of
    the published Llama.
    """
    d_k = require_even("d_k", d_k, "a rotation turns pairs")
    even = tf.range(0, d_k, 2, dtype=tf.float64)
    angle = base ** (-even / d_k)
    dtype = keras.config.floatx()
    angles = tf.concat([-angle, angle], 0)  # (d_k,)
    return tf.cast(angles, dtype)


def tf_rotate(
    x: tf.Tensor, frequency: tf.Tensor, start: int = 0
) -> tf.Tensor:
    """Rotary positions: turn each vector by its position.

    The dot product of two such vectors depends on how far
    they are apart, and not on where they are.

    Args:
        x: queries or keys, shape (…, length, d_k).
        frequency: from tf_frequencies, shape (d_k,).
        start: the position of the first vector.

    Returns:
        Shape (…, length, d_k).

    Source: Su et al. 2021, equation 34.
    """
    length, d_k = keras.ops.shape(x)[-2:]
    place = tf.range(start, start + length)
    place = tf.cast(place, frequency.dtype)
    angle = place[:, None] * frequency  # (length, d_k)
    cos = tf.cast(tf.cos(angle), x.dtype)
    sin = tf.cast(tf.sin(angle), x.dtype)
    # (a, b) -> (a cos − b sin, b cos + a sin)
    swapped = tf.roll(x, d_k // 2, -1)  # (a, b) -> (b, a)
    return x * cos + swapped * sin


def tf_fold_groups(
    query: tf.Tensor,
    mask: tf.Tensor | None,
    num_kv_heads: int,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """Queries that share keys, one after the other.

    Attention treats each query alone. So heads with the same
    keys are like one head with more queries, and no key has
    to be copied.

    Args:
        query: shape (batch, heads, queries, d_k).
        mask: attention mask, shape (batch, heads, queries,
            keys), any size may be 1; None for none.
        num_kv_heads: heads of keys; it divides heads.

    Returns:
        The queries, shape (batch, num_kv_heads, group ·
        queries, d_k), and a mask that fits them.
    """
    batch, heads, length, size = keras.ops.shape(query)
    group = heads // num_kv_heads
    rows = group * length
    shape = (batch, num_kv_heads, rows, size)
    query = tf.reshape(query, shape)
    if mask is None:
        return query, None
    mask = tf_as_mask(mask, query)
    if mask.shape[1] == 1:
        if mask.shape[2] != 1:
            mask = tf.tile(mask, (1, 1, group, 1))
        return query, mask
    many, _, _, keys = keras.ops.shape(mask)
    shape = (many, heads, length, keys)
    mask = tf.broadcast_to(mask, shape)
    shape = (many, num_kv_heads, rows, keys)
    return query, tf.reshape(mask, shape)


@saveable
class TFGroupedQueryAttention(keras.layers.Layer):
    """Multi-head attention, where heads may share keys.

    Query head j reads the keys and values of head
    j // (num_heads / num_kv_heads). With num_kv_heads =
    num_heads this is MultiHeadAttention, with rotary
    positions if config.positions says so.

    Args:
        config: its d_model, num_heads, num_kv_heads, d_k,
            d_v, bias, qkv_bias, dropout; positions and
            rotary_base.
        rotary: False for no positions, as in cross-attention.

    Call:
        As MultiHeadAttention. Queries are the last of the
        keys where they have positions.

    Returns:
        The output, shape (batch, queries, d_model), and the
        weights, shape (batch, heads, queries, keys).

    Raises:
        TypeError, ValueError: if an argument does not fit.

    Source: Ainslie et al. 2023, section 2.2.
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
        d_k = config.d_k or head_size(d_model, heads)
        d_v = config.d_v or d_k
        bias = qkv_bias = config.bias
        if config.qkv_bias is not None:
            qkv_bias = config.qkv_bias
        shared = self.num_kv_heads
        self.query = tf_new_linear(
            d_model, heads * d_k, qkv_bias
        )
        self.key = tf_new_linear(
            d_model, shared * d_k, qkv_bias
        )
        self.value = tf_new_linear(
            d_model, shared * d_v, qkv_bias
        )
        self.projection = tf_new_linear(
            heads * d_v, d_model, bias
        )
        self.dropout = keras.layers.Dropout(config.dropout)
        # no buffer: half precision would round the angles
        self.frequency = None
        if rotary and config.positions == "rotary":
            base = config.rotary_base
            self.frequency = tf_frequencies(d_k, base)

    def turned(self, x: tf.Tensor, start: int) -> tf.Tensor:
        """Rotate queries or keys if positions are rotary.

        Args:
            x: shape (batch, heads, length, d_k).
            start: the position of the first vector.

        Returns:
            The same shape.
        """
        if self.frequency is None:
            return x
        return tf_rotate(x, self.frequency, start)

    def project(
        self, key: tf.Tensor, value: tf.Tensor, start: int = 0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Keys and values, for a cache.

        Args:
            key, value: shape (batch, keys, d_model).
            start: the first key's position.

        Returns:
            Keys, shape (batch, num_kv_heads, keys, d_k), and
            values, shape (batch, num_kv_heads, keys, d_v).
        """
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = tf_split_heads(self.key(key), self.num_kv_heads)
        value = tf_split_heads(
            self.value(value), self.num_kv_heads
        )
        return self.turned(key, start), value

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor | None = None,
        value: tf.Tensor | None = None,
        attention_mask: tf.Tensor | None = None,
        need_weights: bool = True,
        cache: tuple[tf.Tensor, tf.Tensor] | None = None,
        training: bool | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        require_vectors("query", query, self.d_model)
        query = tf_split_heads(
            self.query(query), self.num_heads
        )
        key, value = cache or self.project(key, value)
        batch, heads, length, _ = keras.ops.shape(query)
        start = keras.ops.shape(key)[2] - length
        query = self.turned(query, start)
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


def tf_attention_from(
    config: TransformerConfig, rotary: bool = True
) -> TFMultiHeadAttention | TFGroupedQueryAttention:
    """Multi-head attention, built from a config.

    Args:
        config: sizes and choices of the layer.
        rotary: False for no positions, as in cross-attention.
    """
    plain = config.bias and config.qkv_bias in (None, True)
    if config.positions == "rotary" or not (
        plain and config.num_kv_heads is None
    ):
        return TFGroupedQueryAttention(config, rotary)
    return TFMultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )
