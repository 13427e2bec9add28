"""Decoder: causal layers that may read a memory."""

from scratch.checks import (
    require_ids,
    require_length,
    require_mask,
    require_mask_for,
    require_memory,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.add_and_norm import TFAddAndNorm
from scratch.tensorflow.choices import (
    tf_attention_from,
    tf_feed_forward_from,
    tf_layer_norm_from,
    tf_window_from,
)
from scratch.tensorflow.embeddings import TFEmbeddings
from scratch.tensorflow.kv_cache import (
    tf_cached_length,
    tf_extended,
)
from scratch.tensorflow.masks import tf_causal_mask

import keras
import tensorflow as tf


def tf_decoder_mask(
    x: tf.Tensor,
    cache: tuple,
    attention_mask: tf.Tensor | None = None,
) -> tf.Tensor | None:
    """Causal mask, combined with attention_mask.

    Otherwise as `scratch.torch.decoder_mask`.
    """
    queries = keras.ops.shape(x)[1]
    keys = tf_cached_length(cache)
    require_mask(
        "attention_mask",
        attention_mask,
        (x.shape[0], None, queries, keys),
    )
    if x.shape[1] == 1:
        # a single query is the newest: nothing is later
        return attention_mask
    mask = tf_causal_mask(queries, keys)
    if attention_mask is None:
        return mask
    return mask & attention_mask


def tf_left_padding(
    ids: tf.Tensor, attention_mask: tf.Tensor
) -> tf.Tensor:
    """Number of keys at the left of each row that no query
    may attend to.

    Otherwise as `scratch.torch.left_padding`.
    """
    require_ids("ids", ids)
    require_mask(
        "attention_mask",
        attention_mask,
        (ids.shape[0], None, ids.shape[1], None),
    )
    # (batch, keys): whether any query may attend to a key
    read = tf.reduce_any(attention_mask, (1, 2))
    before = tf.cumsum(tf.cast(read, tf.int32), 1) == 0
    before = tf.cast(before, tf.int32)
    return tf.reduce_sum(before, 1, keepdims=True)


class TFDecoderLayer(keras.layers.Layer):
    """Self-attention, cross-attention, then feed-forward.

    Otherwise as `scratch.torch.DecoderLayer`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        cross_attention: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.window = tf_window_from(config)
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
        start: int | tf.Tensor | None = None,
    ) -> tuple:
        require_memory(memory, cache, self.cross_attention)
        y = self.self_attention_norm.before(x)
        attention = self.self_attention
        held = tf_extended(cache, attention, y, start)
        mask = tf_decoder_mask(x, held, attention_mask)
        if self.window is not None:
            mask = self.window.mask(x, held, mask)
        y, self_weights = attention(
            y,
            attention_mask=mask,
            need_weights=need_weights,
            cache=held,
            start=start,
        )
        x = self.self_attention_norm.after(x, y)

        read, cross_weights = (), None
        if self.cross_attention is not None:
            y = self.cross_attention_norm.before(x)
            # the memory never changes: project it once
            if cache:
                read = cache[-2:]
            else:
                project = self.cross_attention.project
                read = project(memory, memory)
            require_mask_for(
                "memory_mask", memory_mask, x, read[0]
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
        if self.window is not None:
            held = self.window.cut(held)
        return x, weights, (*held, *read)


class TFDecoder(keras.layers.Layer):
    """Decoder: embeddings, then a stack of layers.

    Otherwise as `scratch.torch.Decoder`.
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
            TFDecoderLayer(layer, cross_attention)
            for layer in config.for_layers()
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
        start = tf_cached_length(cache[0]) if cache else 0
        if attention_mask is not None:
            padding = tf_left_padding(ids, attention_mask)
            positions = self.embeddings.positions
            if positions is not None:
                require_length(
                    "ids",
                    start + keras.ops.shape(ids)[1],
                    positions.max_len,
                )
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
                start=start,
            )
            all_weights.append(weights)
            new_cache.extend(later)
        if self.norm is not None:
            x = self.norm(x)
        if cache is None:
            return x, all_weights
        return x, all_weights, new_cache
