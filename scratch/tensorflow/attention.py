"""Who looks at whom: masks, attention, many heads."""

import math

from scratch.arguments import (
    head_size,
    require_attention,
    require_fraction,
    require_ids,
    require_lengths,
    require_positive,
    require_vectors,
)

import keras
import tensorflow as tf


def tf_padding_mask(ids, pad_id=0):
    """Hide the padding: True where an id is no padding.

    ids (batch, length), integers; pad_id: the id of padding,
    None if there is none.
    Returns: boolean, (batch, 1, 1, length).
    Raises: TypeError if ids are no integers.
    """
    require_ids("ids", ids)
    if pad_id is None:
        mask = tf.ones_like(ids, dtype=tf.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def tf_causal_mask(length, key_length=None):
    """Hide the future: True for a key not after its query.

    length: number of queries; key_length: number of keys,
    the same if left out. The last query meets the last key,
    so that one mask serves cached decoding too.
    Returns: boolean, (1, 1, length, key_length).
    Raises: ValueError if there are fewer keys than queries.
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
    query, key, value, attention_mask=None, dropout=None
):
    """Mix the values, by how well keys answer each query.

    query (…, queries, d_k), key (…, keys, d_k), value
    (…, keys, d_v); attention_mask, boolean, True = may
    attend, broadcasts to (…, queries, keys); dropout: a
    layer for the weights. A query that may attend to nothing
    gets weights and an output of 0.
    Returns: output (…, queries, d_v), and weights before
    dropout (…, queries, keys).
    Raises: TypeError for a mask that is not boolean;
    ValueError for shapes that do not fit.
    Source: Vaswani et al. 2017, section 3.2.1.
    """
    require_attention(query, key, value, attention_mask)
    d_k = query.shape[-1]
    # scores = Q Kᵀ / √d_k; dividing first keeps them in
    # the range of half precision
    query = query / math.sqrt(d_k)
    scores = tf.matmul(query, key, transpose_b=True)
    if attention_mask is not None:
        # not -inf: a row of -inf would become NaN
        lowest = scores.dtype.min
        scores = tf.where(attention_mask, scores, lowest)
    # weights = softmax(scores), over the keys
    weights = tf.nn.softmax(scores, axis=-1)
    if attention_mask is not None:
        # a row that may see nothing: 0, not 1 / keys
        weights = tf.where(attention_mask, weights, 0.0)
    # output = weights V
    dropped = weights if dropout is None else dropout(weights)
    return dropped @ value, weights


def tf_new_linear(d_in, d_out):
    """A linear map from vectors of d_in to vectors of d_out.

    Weights are Xavier uniform, biases 0.
    Source: Glorot and Bengio 2010, section 4.2.1.
    """
    layer = keras.layers.Dense(d_out)
    layer.build((None, d_in))
    return layer


class TFAttentionHead(keras.layers.Layer):
    """One head: project, then attend.

    d_model: length of the vectors that come in; d_k, of a
    query and a key; d_v, of a value, d_k if left out.
    Call: query (batch, queries, d_model), key and value
    (batch, keys, d_model); attention_mask, boolean, True =
    may attend, broadcasts to (batch, 1, queries, keys).
    Returns: output (batch, queries, d_v), weights
    (batch, queries, keys).
    Raises: as tf_scaled_dot_product_attention.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, d_model, d_k, d_v=None):
        super().__init__()
        d_v = d_k if d_v is None else d_v
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        self.query = tf_new_linear(d_model, d_k)
        self.key = tf_new_linear(d_model, d_k)
        self.value = tf_new_linear(d_model, d_v)

    def call(self, query, key, value, attention_mask=None):
        # an axis for the head, which masks have too
        query = tf.expand_dims(self.query(query), 1)
        key = tf.expand_dims(self.key(key), 1)
        value = tf.expand_dims(self.value(value), 1)
        output, weights = tf_scaled_dot_product_attention(
            query, key, value, attention_mask
        )
        return tf.squeeze(output, 1), tf.squeeze(weights, 1)


def tf_fused_attention(
    query, key, value, attention_mask=None, dropout=None
):
    """tf_scaled_dot_product_attention in a single step.

    The framework's own kernel, where it has one for the
    machine, never stores the weights: none are returned.
    Arguments: as tf_scaled_dot_product_attention, with axes
    (batch, heads, length, size).
    Returns: output (batch, heads, queries, d_v), and None.
    Source: Dao et al. 2022, section 3.1.
    """
    require_attention(query, key, value, attention_mask)
    if dropout is not None:
        # the kernel has no dropout
        output, _ = tf_scaled_dot_product_attention(
            query, key, value, attention_mask, dropout
        )
        return output, None
    output = keras.ops.dot_product_attention(
        tf.transpose(query, (0, 2, 1, 3)),
        tf.transpose(key, (0, 2, 1, 3)),
        tf.transpose(value, (0, 2, 1, 3)),
        mask=attention_mask,
    )
    output = tf.transpose(output, (0, 2, 1, 3))
    if attention_mask is not None:
        # the kernel gives 1 / keys to a row without keys
        seen = tf.reduce_any(
            attention_mask, -1, keepdims=True
        )
        output = tf.where(seen, output, 0.0)
    return output, None


def tf_split_heads(x, num_heads):
    """Cut vectors into heads, and put the heads in front.

    x (batch, length, num_heads · size).
    Returns: (batch, num_heads, length, size).
    """
    batch, length, width = keras.ops.shape(x)
    size = width // num_heads
    x = tf.reshape(x, (batch, length, num_heads, size))
    return tf.transpose(x, (0, 2, 1, 3))  # (batch, heads, …)


def tf_merge_heads(x):
    """Undo tf_split_heads: lay the heads side by side.

    x (batch, heads, length, size).
    Returns: (batch, length, heads · size).
    """
    batch, heads, length, size = keras.ops.shape(x)
    x = tf.transpose(x, (0, 2, 1, 3))
    return tf.reshape(x, (batch, length, heads * size))


class TFMultiHeadAttention(keras.layers.Layer):
    """Attend with several heads at once.

    num_heads heads; d_k numbers in a query or key (d_model /
    num_heads if left out), d_v in a value (d_k if left out);
    dropout of the weights.
    Call: query (batch, queries, d_model), key and value
    (batch, keys, d_model); attention_mask, boolean, True =
    may attend, broadcasts to (batch, heads, queries, keys);
    cache: what `project` gave, instead of key and value.
    Returns: output (batch, queries, d_model), weights
    (batch, heads, queries, keys): None, from the fused
    kernel, if need_weights is False.
    Raises: ValueError if d_k is left out and num_heads does
    not divide d_model, or for vectors of another length.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        d_model,
        num_heads,
        dropout=0.0,
        d_k=None,
        d_v=None,
    ):
        super().__init__()
        if d_k is None:
            d_k = head_size(d_model, num_heads)
        d_v = d_k if d_v is None else d_v
        require_positive("num_heads", num_heads)
        require_positive("d_k", d_k)
        require_positive("d_v", d_v)
        require_fraction("dropout", dropout)
        self.d_model = d_model
        self.num_heads = num_heads
        self.query = tf_new_linear(d_model, num_heads * d_k)
        self.key = tf_new_linear(d_model, num_heads * d_k)
        self.value = tf_new_linear(d_model, num_heads * d_v)
        self.projection = tf_new_linear(
            num_heads * d_v, d_model
        )
        self.dropout = keras.layers.Dropout(dropout)

    def project(self, key, value):
        require_vectors("key", key, self.d_model)
        require_vectors("value", value, self.d_model)
        key = tf_split_heads(self.key(key), self.num_heads)
        value = tf_split_heads(
            self.value(value), self.num_heads
        )
        return key, value  # (batch, heads, keys, d_k or d_v)

    def call(
        self,
        query,
        key=None,
        value=None,
        attention_mask=None,
        need_weights=True,
        cache=None,
        training=None,
    ):
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


def tf_attention_from(config):
    """The attention that a config asks for.

    config: a TransformerConfig.
    Returns: TFMultiHeadAttention.
    """
    return TFMultiHeadAttention(
        config.d_model,
        config.num_heads,
        config.dropout,
        config.d_k,
        config.d_v,
    )
