"""The encoder: layers that look around, then think."""

from scratch.tensorflow.attention import (
    tf_attention_from,
    tf_new_linear,
    tf_padding_mask,
)
from scratch.tensorflow.embeddings import (
    TFEmbeddings,
    tf_layer_norm_from,
)
from scratch.tensorflow.feed_forward import (
    tf_feed_forward_from,
)

import keras
import tensorflow as tf


class TFAddAndNorm(keras.layers.Layer):
    """The residual connection around a sublayer, and a norm.

    Post-LN, as in the paper: norm(x + sublayer(x)).
    Pre-LN, if config.norm_first: x + sublayer(norm(x)).
    `before(x)` is what the sublayer takes; `after(x, output)`
    adds the sublayer's output, after dropout, to the x that
    `before` was given. All are (batch, length, d_model).
    Source: Vaswani et al. 2017, section 3.1; pre-LN: Xiong
    et al. 2020, section 3.
    """

    def __init__(self, config):
        super().__init__()
        self.norm_first = config.norm_first
        self.norm = tf_layer_norm_from(config)
        self.dropout = keras.layers.Dropout(config.dropout)
        self.built = True  # Keras asks: it may not be called

    def before(self, x):
        return self.norm(x) if self.norm_first else x

    def after(self, x, output):
        x = x + self.dropout(output)
        return x if self.norm_first else self.norm(x)


class TFEncoderLayer(keras.layers.Layer):
    """Self-attention, then feed-forward, at every position.

    config: a TransformerConfig.
    Call: x (batch, length, d_model); attention_mask, boolean,
    True = may attend, broadcasts to (batch, heads, length,
    length); need_weights=False is faster.
    Returns: x (batch, length, d_model), weights (batch,
    heads, length, length), None if not needed.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.self_attention = tf_attention_from(config)
        self.self_attention_norm = TFAddAndNorm(config)
        self.feed_forward = tf_feed_forward_from(config)
        self.feed_forward_norm = TFAddAndNorm(config)

    def call(self, x, attention_mask=None, need_weights=True):
        y = self.self_attention_norm.before(x)
        y, weights = self.self_attention(
            y, y, y, attention_mask, need_weights=need_weights
        )
        x = self.self_attention_norm.after(x, y)

        y = self.feed_forward_norm.before(x)
        y = self.feed_forward(y)
        x = self.feed_forward_norm.after(x, y)
        return x, weights


class TFPooler(keras.layers.Layer):
    """One vector for a whole sequence: its first token's.

    config: a TransformerConfig; its pooler is "tanh", "relu".
    Call: hidden (batch, length, d_model).
    Returns: (batch, d_model).
    Source: Devlin et al. 2019, section 3, and its code.
    """

    def __init__(self, config):
        super().__init__()
        d_model = config.d_model
        self.dense = tf_new_linear(d_model, d_model)
        relu = config.pooler == "relu"
        self.activation = tf.nn.relu if relu else tf.tanh
        self.built = True  # Keras asks: it may not be called

    def call(self, hidden):
        first = hidden[:, 0]  # (batch, d_model)
        return self.activation(self.dense(first))


class TFEncoder(keras.layers.Layer):
    """Read a sequence: embeddings, then layer after layer.

    config: a TransformerConfig.
    Call: ids (batch, length); attention_mask, boolean, True =
    may attend, broadcasts to (batch, heads, length, length),
    hides config.pad_id if left out; segment_ids (batch,
    length); need_weights=False is faster.
    Returns: hidden (batch, length, d_model), and a list of
    weights (batch, heads, length, length), one a layer.
    Raises: as TFEmbeddings and TFMultiHeadAttention.
    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = TFEmbeddings(config)
        self.layers = [
            TFEncoderLayer(config)
            for _ in range(config.num_layers)
        ]
        self.norm = self.pooler = None
        if config.norm_first:
            # no layer has normed the last sum
            self.norm = tf_layer_norm_from(config)
        if config.pooler is not None:
            self.pooler = TFPooler(config)

    def call(
        self,
        ids,
        attention_mask=None,
        segment_ids=None,
        need_weights=True,
    ):
        x = self.embeddings(ids, segment_ids)
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = tf_padding_mask(ids, pad_id)
        all_weights = []
        for layer in self.layers:
            x, weights = layer(
                x, attention_mask, need_weights=need_weights
            )
            all_weights.append(weights)
        if self.norm is not None:
            x = self.norm(x)
        return x, all_weights  # x (batch, length, d_model)

    def pool(self, hidden):
        if self.pooler is None:
            return hidden[:, 0]  # (batch, d_model)
        return self.pooler(hidden)  # (batch, d_model)
