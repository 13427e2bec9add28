"""The decoder: one token after another."""

from scratch.arguments import require_memory
from scratch.tensorflow.attention import (
    tf_attention_from,
    tf_causal_mask,
    tf_padding_mask,
)
from scratch.tensorflow.embeddings import (
    TFEmbeddings,
    tf_layer_norm_from,
)
from scratch.tensorflow.encoder import TFAddAndNorm
from scratch.tensorflow.feed_forward import (
    tf_feed_forward_from,
)

import keras
import tensorflow as tf


def tf_decoder_mask(x, keys, attention_mask=None):
    """Hide the future, and what attention_mask hides.

    x (batch, queries, d_model); keys (batch, heads, keys,
    d_k), the last of which belong to x; attention_mask,
    boolean, broadcasts to (batch, heads, queries, keys).
    Returns: a mask, or None where nothing needs hiding.
    Source: Vaswani et al. 2017, section 3.1.
    """
    if x.shape[1] == 1:
        # a single query is the last: it has no future
        return attention_mask
    queries = keras.ops.shape(x)[1]
    mask = tf_causal_mask(queries, keras.ops.shape(keys)[2])
    if attention_mask is None:
        return mask
    return mask & attention_mask


class TFDecoderLayer(keras.layers.Layer):
    """Self-attention, cross-attention, then feed-forward.

    config: a TransformerConfig; cross_attention=False leaves
    the middle one out.
    Call: x (batch, length, d_model); memory (batch, source
    length, d_model); attention_mask and memory_mask, boolean,
    True = may attend, broadcast to (batch, heads, length,
    keys). Always causal. need_weights=False is faster.
    cache: keys and values of the positions before x, and of
    the memory: () at first, then what the last call returned.
    Returns: x, (self weights, cross weights), each (batch,
    heads, length, keys); with a cache, the new cache, too.
    Raises: ValueError for a memory missing or out of place.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config, cross_attention=True):
        super().__init__()
        self.self_attention = tf_attention_from(config)
        self.self_attention_norm = TFAddAndNorm(config)
        self.cross_attention = None
        if cross_attention:
            attention = tf_attention_from(config)
            self.cross_attention = attention
            self.cross_attention_norm = TFAddAndNorm(config)
        self.feed_forward = tf_feed_forward_from(config)
        self.feed_forward_norm = TFAddAndNorm(config)

    def call(
        self,
        x,
        memory=None,
        attention_mask=None,
        memory_mask=None,
        need_weights=True,
        cache=None,
    ):
        require_memory(memory, cache, self.cross_attention)
        y = self.self_attention_norm.before(x)
        keys, values = self.self_attention.project(y, y)
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
            # the memory stays the same: project it once
            if cache:
                read = cache[2:]
            else:
                project = self.cross_attention.project
                read = project(memory, memory)
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


class TFDecoder(keras.layers.Layer):
    """Write a sequence: what may come next, at every token.

    config: a TransformerConfig; embeddings: those to share,
    new ones if left out; cross_attention=False: a decoder
    that reads no memory.
    Call: ids (batch, length); memory (batch, source length,
    d_model); attention_mask and memory_mask, boolean, True =
    may attend, broadcast to (batch, heads, length, keys); the
    first hides config.pad_id if left out and without a cache,
    except in the first column, where some models begin with
    it. Always causal. need_weights=False is faster. cache: ()
    at first, then what the last call returned; ids are then
    the new ones. padding (batch, 1): how many positions at
    the left of each row to hide, and to leave uncounted.
    Returns: hidden (batch, length, d_model), and a list of
    (self weights, cross weights), one a layer; with a cache,
    the new cache, too.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self, config, embeddings=None, cross_attention=True
    ):
        super().__init__()
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
            # no layer has normed the last sum
            self.norm = tf_layer_norm_from(config)

    def call(
        self,
        ids,
        memory=None,
        attention_mask=None,
        memory_mask=None,
        need_weights=True,
        cache=None,
        padding=None,
    ):
        start = 0
        if cache:
            start = keras.ops.shape(cache[0][0])[2]
        if padding is not None:
            length = keras.ops.shape(ids)[1]
            real = tf.range(start + length) >= padding
            real = real[:, None, None]  # (batch, 1, 1, keys)
            if attention_mask is not None:
                real = real & attention_mask
            attention_mask = real
            start = start - padding  # (batch, 1)
        x = self.embeddings(ids, start=start)
        if attention_mask is None and cache is None:
            first = tf.range(keras.ops.shape(ids)[1]) == 0
            real = tf_padding_mask(ids, self.config.pad_id)
            attention_mask = real | first
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
