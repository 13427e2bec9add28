"""Embeddings: tokens and positions."""

from scratch.checks import (
    require_at_least,
    require_even,
    require_ids,
    require_known,
    require_length,
    require_segments,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.choices import tf_layer_norm_from

import keras
import tensorflow as tf


def tf_new_embedding(
    size: int, d_model: int
) -> keras.layers.Embedding:
    """Embedding table with entries of variance 1/d_model.

    Otherwise as `scratch.torch.new_embedding`.
    """
    normal = keras.initializers.RandomNormal(
        stddev=d_model**-0.5
    )
    table = keras.layers.Embedding(size, d_model, normal)
    table.build()
    return table


def tf_sinusoids(
    max_len: int, d_model: int, interleaved: bool = True
) -> tf.Tensor:
    """Sinusoidal position encoding, one row per position.

    Otherwise as `scratch.torch.sinusoids`.
    """
    require_even(
        "d_model", d_model, "sines and cosines are pairs"
    )
    # double precision: far positions have large angles
    double = tf.float64
    position = tf.range(max_len, dtype=double)[:, None]
    even = tf.range(0, d_model, 2, dtype=double)
    # angle = position / 10000^(2i / d_model)
    angle = position / 10000 ** (even / d_model)
    pair = [tf.sin(angle), tf.cos(angle)]
    if interleaved:
        table = tf.stack(pair, -1)
        table = tf.reshape(table, (max_len, d_model))
    else:
        table = tf.concat(pair, -1)
    # (max_len, d_model)
    return tf.cast(table, tf.float32)


class TFSinusoidalPositions(keras.layers.Layer):
    """Sinusoidal positions as a layer without weights.

    Otherwise as `scratch.torch.SinusoidalPositions`.
    """

    def __init__(
        self,
        d_model: int,
        max_len: int,
        interleaved: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.max_len = max_len
        self.table = tf_sinusoids(
            max_len, d_model, interleaved
        )

    def call(
        self, ids: tf.Tensor, start: int | tf.Tensor = 0
    ) -> tf.Tensor:
        length = keras.ops.shape(ids)[1]
        require_length("ids", start + length, self.max_len)
        place = tf.range(length) + start
        place = tf.maximum(place, 0)  # left padding: row 0
        x = tf.gather(self.table, place)
        return tf.cast(x, self.compute_dtype)


class TFLearnedPositions(keras.layers.Layer):
    """Learned position embeddings, one row per position.

    Otherwise as `scratch.torch.LearnedPositions`.
    """

    def __init__(self, d_model: int, max_len: int, **kwargs):
        super().__init__(**kwargs)
        self.max_len = max_len
        self.table = tf_new_embedding(max_len, d_model)

    def call(
        self, ids: tf.Tensor, start: int | tf.Tensor = 0
    ) -> tf.Tensor:
        length = keras.ops.shape(ids)[1]
        require_length("ids", start + length, self.max_len)
        place = tf.range(length) + start
        place = tf.maximum(place, 0)  # left padding: row 0
        return self.table(place)  # (…, length, d_model)


class TFTokenPositions(TFLearnedPositions):
    """Learned positions that count tokens, not padding.

    Otherwise as `scratch.torch.TokenPositions`.
    """

    def __init__(
        self,
        d_model: int,
        max_len: int,
        pad_id: int,
        **kwargs,
    ):
        super().__init__(d_model, max_len, **kwargs)
        self.pad_id = pad_id

    def call(
        self, ids: tf.Tensor, start: int | tf.Tensor = 0
    ) -> tf.Tensor:
        require_length(
            "ids",
            start + keras.ops.shape(ids)[1],
            self.max_len,
        )
        real = tf.cast(ids != self.pad_id, tf.int32)
        place = tf.cumsum(real, 1) - 1 + start
        # padding before all tokens: row 0
        return self.table(tf.maximum(place, 0))


def tf_positions_from(
    config: TransformerConfig,
) -> TFSinusoidalPositions | TFLearnedPositions | None:
    """Position layer of the kind that a config asks for.

    Otherwise as `scratch.torch.positions_from`.
    """
    if config.positions == "rotary":
        return None
    d_model, max_len = config.d_model, config.max_len
    if not config.count_padding:
        pad_id = config.pad_id
        return TFTokenPositions(d_model, max_len, pad_id)
    if config.positions == "learned":
        return TFLearnedPositions(d_model, max_len)
    interleaved = config.interleaved
    return TFSinusoidalPositions(
        d_model, max_len, interleaved
    )


class TFEmbeddings(keras.layers.Layer):
    """Sum of token, position and segment embeddings.

    Otherwise as `scratch.torch.Embeddings`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        require_at_least("vocab_size", config.vocab_size, 1)
        d_model = config.d_model
        scale = config.scale_embeddings
        self.scale = d_model**0.5 if scale else 1.0
        self.tokens = tf_new_embedding(
            config.vocab_size, d_model
        )
        self.positions = tf_positions_from(config)
        self.segments = self.norm = None
        if config.num_segments:
            count = config.num_segments
            self.segments = tf_new_embedding(count, d_model)
        if config.norm_embeddings:
            self.norm = tf_layer_norm_from(config)
        self.dropout = keras.layers.Dropout(config.dropout)

    def call(
        self,
        ids: tf.Tensor,
        segment_ids: tf.Tensor | None = None,
        start: int | tf.Tensor = 0,
    ) -> tf.Tensor:
        require_ids("ids", ids)
        require_segments(segment_ids, self.segments, ids)
        ids = tf.cast(ids, tf.int64)
        require_known("ids", ids, self.tokens.input_dim)
        # x = √d_model · token + position (+ segment)
        x = self.tokens(ids) * self.scale
        if self.positions is not None:
            x = x + self.positions(ids, start=start)
        if self.segments is not None:
            if segment_ids is None:
                segment_ids = tf.zeros_like(ids)
            segment_ids = tf.cast(segment_ids, tf.int64)
            require_known(
                "segment_ids",
                segment_ids,
                self.segments.input_dim,
            )
            x = x + self.segments(segment_ids)
        if self.norm is not None:
            x = self.norm(x)
        return self.dropout(x)  # (batch, length, d_model)
