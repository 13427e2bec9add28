"""Tokens become vectors, and vectors tokens again."""

from scratch.arguments import (
    require_ids,
    require_length,
    require_segments,
)

import keras
import tensorflow as tf


def tf_new_embedding(size, d_model):
    """A table of `size` vectors of length d_model.

    Its numbers have mean 0 and variance 1 / d_model, so that
    a vector has length 1 or so, and logits that are computed
    with the table start out small.
    Source: Vaswani et al. 2017, section 3.4.
    """
    normal = keras.initializers.RandomNormal(
        stddev=d_model**-0.5
    )
    table = keras.layers.Embedding(size, d_model, normal)
    table.build()
    return table


def tf_layer_norm_from(config):
    """Layer norm over vectors of length d_model.

    config: a TransformerConfig; its layer_norm_eps is added
    to the variance, inside the root.
    Source: Ba et al. 2016, section 3.
    """
    eps = config.layer_norm_eps
    norm = keras.layers.LayerNormalization(epsilon=eps)
    norm.build((None, config.d_model))
    return norm


def tf_sinusoids(max_len, d_model, interleaved=True):
    """One row of sines and cosines for each position.

    max_len: number of positions; d_model: an even number.
    interleaved: sine and cosine alternate; otherwise all
    sines come first, then all cosines.
    Returns: (max_len, d_model), values from -1 to 1.
    Source: Vaswani et al. 2017, section 3.5.
    """
    # in double precision: far positions are large angles
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
    return tf.cast(table, tf.float32)  # (max_len, d_model)


class TFSinusoidalPositions(keras.layers.Layer):
    """Say where a token stands by fixed sines and cosines.

    d_model, max_len, interleaved: as in `tf_sinusoids`.
    Call: ids (batch, length), of which only the length
    counts; start, the position of the first of them, an int
    or one for each row, (batch, 1).
    Returns: (length, d_model), or (batch, length, d_model).
    Raises: ValueError beyond max_len.
    Source: Vaswani et al. 2017, section 3.5.
    """

    def __init__(self, d_model, max_len, interleaved=True):
        super().__init__()
        self.max_len = max_len
        table = tf_sinusoids(max_len, d_model, interleaved)
        self.table = tf.cast(table, self.compute_dtype)

    def call(self, ids, start=0):
        length = keras.ops.shape(ids)[1]
        require_length("ids", start + length, self.max_len)
        place = start + tf.range(length)
        place = tf.maximum(place, 0)  # padding is before 0
        return tf.gather(self.table, place)


class TFLearnedPositions(keras.layers.Layer):
    """Say where a token stands by a vector that is learned.

    d_model: its length; max_len: number of positions.
    Call: ids (batch, length), of which only the length
    counts; start, the position of the first of them, an int
    or one for each row, (batch, 1).
    Returns: (length, d_model), or (batch, length, d_model).
    Raises: ValueError beyond max_len.
    Source: Gehring et al. 2017, section 3.1.
    """

    def __init__(self, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        self.table = tf_new_embedding(max_len, d_model)

    def call(self, ids, start=0):
        length = keras.ops.shape(ids)[1]
        require_length("ids", start + length, self.max_len)
        place = start + tf.range(length)
        place = tf.maximum(place, 0)  # padding is before 0
        return self.table(place)  # (…, length, d_model)


def tf_positions_from(config):
    """The positions that a config asks for.

    config: a TransformerConfig.
    Returns: TFSinusoidalPositions or TFLearnedPositions.
    """
    d_model, max_len = config.d_model, config.max_len
    if config.positions == "learned":
        return TFLearnedPositions(d_model, max_len)
    interleaved = config.interleaved
    return TFSinusoidalPositions(
        d_model, max_len, interleaved
    )


class TFEmbeddings(keras.layers.Layer):
    """Turn ids into vectors that know their position.

    config: a TransformerConfig.
    Call: ids (batch, length), integers; segment_ids, the
    same, 0 if left out; start, the first id's position, an
    int or one for each row, (batch, 1).
    Returns: (batch, length, d_model).
    Raises: TypeError if ids are no integers; ValueError
    beyond max_len, or for segments that the config lacks.
    Source: Vaswani et al. 2017, section 3.4; segments and
    norm: Devlin et al. 2019, section 3.
    """

    def __init__(self, config):
        super().__init__()
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

    def call(self, ids, segment_ids=None, start=0):
        require_ids("ids", ids)
        require_segments(segment_ids, self.segments)
        # x = √d_model · token + position (+ segment)
        x = self.tokens(ids) * self.scale
        x = x + self.positions(ids, start=start)
        if self.segments is not None:
            if segment_ids is None:
                segment_ids = tf.zeros_like(ids)
            x = x + self.segments(segment_ids)
        if self.norm is not None:
            x = self.norm(x)
        return self.dropout(x)  # (batch, length, d_model)


class TFTokenLogits(keras.layers.Layer):
    """Score every token of the vocabulary.

    config: a TransformerConfig; tokens: the embeddings to
    score with if config.tie_output, otherwise the layer has
    its own; config.output_bias adds a bias.
    Call: x (…, d_model).
    Returns: logits (…, vocab_size).
    Source: Vaswani et al. 2017, section 3.4.
    """

    def __init__(self, config, tokens):
        super().__init__()
        size, d_model = config.vocab_size, config.d_model
        self.tokens = tokens
        if not config.tie_output:
            self.tokens = tf_new_embedding(size, d_model)
        self.bias = None
        if config.output_bias:
            self.bias = self.add_weight(
                shape=(size,),
                initializer="zeros",
                name="bias",
            )

    def call(self, x):
        # logits = x Eᵀ + b
        table = self.tokens.embeddings
        logits = tf.tensordot(x, table, [[-1], [-1]])
        if self.bias is not None:
            logits = logits + self.bias
        return logits
