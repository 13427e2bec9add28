"""Decoder: causal layers that may read a memory."""

from scratch.arguments import (
    require_decoder_mask,
    require_ids,
    require_length,
    require_mask,
    require_memory,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_causal_mask
from scratch.tensorflow.embeddings import (
    TFEmbeddings,
    tf_layer_norm_from,
)
from scratch.tensorflow.encoder import TFAddAndNorm
from scratch.tensorflow.inputs import tf_as_mask
from scratch.tensorflow.saving import saveable
from scratch.tensorflow.todays_decoder import (
    tf_attention_from,
    tf_feed_forward_from,
)

import keras
import tensorflow as tf


def tf_decoder_mask(
    x: tf.Tensor,
    keys: tf.Tensor,
    attention_mask: tf.Tensor | None = None,
) -> tf.Tensor | None:
    """Causal mask, combined with attention_mask.

    Args:
        x: the queries' vectors, (batch, queries, d_model).
        keys: (batch, heads, keys, d_k), the last of which
            belong to x.
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, queries, keys).

    Returns:
        A mask of the same kind, or None if all is visible.

    Source: Vaswani et al. 2017, section 3.1.
    """
    name = "attention_mask"
    require_decoder_mask(name, attention_mask, x, keys)
    if x.shape[1] == 1:
        # a single query is the newest: nothing is later
        return attention_mask
    queries = keras.ops.shape(x)[1]
    mask = tf_causal_mask(queries, keras.ops.shape(keys)[2])
    if attention_mask is None:
        return mask
    attention_mask = tf_as_mask(attention_mask, x)
    return mask & attention_mask


def tf_left_padding(
    ids: tf.Tensor, attention_mask: tf.Tensor
) -> tf.Tensor:
    """Number of keys at the left of each row that no query
    may attend to.

    Args:
        ids: integers, (batch, queries).
        attention_mask: boolean, True = may attend, (batch,
            heads, queries, keys), any size may be 1.

    Returns:
        Integers, (batch or 1, 1).

    Raises:
        TypeError, ValueError: for another kind of mask.

    Example:
        [[[[False, True, True]]]] -> [[1]]
    """
    require_ids("ids", ids)
    shape = ids.shape[0], None, ids.shape[1], None
    require_mask("attention_mask", attention_mask, shape)
    # (batch, keys): whether any query may attend to a key
    read = tf.reduce_any(attention_mask, (1, 2))
    before = tf.cumsum(tf.cast(read, tf.int32), 1) == 0
    before = tf.cast(before, tf.int32)
    return tf.reduce_sum(before, 1, keepdims=True)


@saveable
class TFDecoderLayer(keras.layers.Layer):
    """Self-attention, cross-attention, then feed-forward.

    Self-attention is always causal.

    Args:
        config: sizes and choices of the layer.
        cross_attention: False for a layer without memory.

    Call:
        x: (batch, length, d_model).
        memory: the encoder's output, (batch, source length,
            d_model).
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, keys).
        memory_mask: the same for the memory, broadcasts to
            (batch, heads, length, source length).
        need_weights: False takes the fused kernel.
        cache: keys and values of the positions before x, and
            of the memory: () at first, then what the last
            call returned; None for no cache.

    Returns:
        x, (batch, length, d_model); a pair of weights, self
        and cross, each (batch, heads, length, keys) or None;
        with a cache, the new cache, too.

    Raises:
        ValueError: if a memory is missing or out of place.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        cross_attention: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.self_attention = tf_attention_from(config)
        self.self_attention_norm = TFAddAndNorm(config)
        self.cross_attention = None
        if cross_attention:
            attention = tf_attention_from(
                config, rotary=False
            )
            self.cross_attention = attention
            self.cross_attention_norm = TFAddAndNorm(config)
        self.feed_forward = tf_feed_forward_from(config)
        self.feed_forward_norm = TFAddAndNorm(config)

    def call(
        self,
        x: tf.Tensor,
        memory: tf.Tensor | None = None,
        attention_mask: tf.Tensor | None = None,
        memory_mask: tf.Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple:
        require_memory(memory, cache, self.cross_attention)
        y = self.self_attention_norm.before(x)
        start = keras.ops.shape(cache[0])[2] if cache else 0
        project = self.self_attention.project
        keys, values = project(y, y, start)
        if cache:
            keys = tf.concat([cache[0], keys], 2)
            values = tf.concat([cache[1], values], 2)
        mask = tf_decoder_mask(x, keys, attention_mask)
        y, self_weights = self.self_attention(
            y,
            attention_mask=mask,
            need_weights=need_weights,
            cache=(keys, values),
        )
        x = self.self_attention_norm.after(x, y)

        read, cross_weights = (), None
        if self.cross_attention is not None:
            y = self.cross_attention_norm.before(x)
            # the memory never changes: project it once
            if cache:
                read = cache[2:]
            else:
                project = self.cross_attention.project
                read = project(memory, memory)
            name = "memory_mask"
            require_decoder_mask(
                name, memory_mask, x, read[0]
            )
            y, cross_weights = self.cross_attention(
                y,
                attention_mask=memory_mask,
                need_weights=need_weights,
                cache=read,
            )
            x = self.cross_attention_norm.after(x, y)

        y = self.feed_forward_norm.before(x)
        y = self.feed_forward(y)
        x = self.feed_forward_norm.after(x, y)
        weights = self_weights, cross_weights
        if cache is None:
            return x, weights
        return x, weights, (keys, values, *read)


@saveable
class TFDecoder(keras.layers.Layer):
    """Decoder: embeddings, then a stack of layers.

    Always causal.

    Args:
        config: sizes and choices of the model.
        embeddings: those to share, new ones if left out.
        cross_attention: False for a decoder without memory.

    Call:
        ids: integers, (batch, length).
        memory: the encoder's output, (batch, source length,
            d_model).
        attention_mask: boolean, True = may attend,
            broadcasts to (batch, heads, length, keys). No id
            is hidden unless it says so. Keys at the left of a
            row that no query may attend to are padding:
            positions count from the first that one may.
        memory_mask, need_weights: as in TFDecoderLayer.
        cache: () at first, then what the last call returned;
            ids are then the new ones; None for no cache.

    Returns:
        The hidden states, (batch, length, d_model); a list
        of the layers' pairs of weights, self and cross; with
        a cache, the new cache, too.

    Raises:
        TypeError, ValueError: as TFEncoder, or for a memory
            that is missing or out of place.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: TFEmbeddings | None = None,
        cross_attention: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        config = config.for_decoder()
        self.config = config
        if embeddings is None:
            embeddings = TFEmbeddings(config)
        self.embeddings = embeddings
        self.layers = [
            TFDecoderLayer(config, cross_attention)
            for _ in range(config.num_layers)
        ]
        self.norm = None
        if config.norm_first:
            # pre-LN leaves the last layer's sum unnormalized
            self.norm = tf_layer_norm_from(config)

    def call(
        self,
        ids: tf.Tensor,
        memory: tf.Tensor | None = None,
        attention_mask: tf.Tensor | None = None,
        memory_mask: tf.Tensor | None = None,
        need_weights: bool = True,
        cache: list | tuple | None = None,
    ) -> tuple:
        start = 0
        if cache:
            start = keras.ops.shape(cache[0][0])[2]
        positions = self.embeddings.positions
        if (
            positions is not None
            and attention_mask is not None
        ):
            length = start + keras.ops.shape(ids)[1]
            require_length("ids", length, positions.max_len)
            padding = tf_left_padding(ids, attention_mask)
            # a row's positions count from its first token
            start = start - padding  # (batch, 1)
        x = self.embeddings(ids, start=start)
        all_weights, new_cache = [], []
        caches = cache or [cache] * len(self.layers)
        for layer, earlier in zip(
            self.layers, caches, strict=True
        ):
            x, weights, *later = layer(
                x,
                memory,
                attention_mask,
                memory_mask=memory_mask,
                need_weights=need_weights,
                cache=earlier,
            )
            all_weights.append(weights)
            new_cache.extend(later)
        if self.norm is not None:
            x = self.norm(x)
        if cache is None:
            return x, all_weights
        return x, all_weights, new_cache
