"""The encoder: self-attention and feed-forward layers."""

from scratch.checks import require_embeddings
from scratch.config import TransformerConfig
from scratch.tensorflow.add_and_norm import TFAddAndNorm
from scratch.tensorflow.attention import tf_new_linear
from scratch.tensorflow.choices import (
    tf_attention_from,
    tf_feed_forward_from,
    tf_layer_norm_from,
)
from scratch.tensorflow.embeddings import TFEmbeddings
from scratch.tensorflow.masks import tf_padding_mask

import keras
import tensorflow as tf


class TFEncoderLayer(keras.layers.Layer):
    """An encoder layer: self-attention, then feed-forward.

    Otherwise as `scratch.torch.EncoderLayer`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        self.self_attention = tf_attention_from(config)
        self.self_attention_norm = TFAddAndNorm(config)
        self.feed_forward = tf_feed_forward_from(config)
        self.feed_forward_norm = TFAddAndNorm(config)

    def call(
        self,
        x: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
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
    """BERT's pooler: a dense layer on the first token.

    Otherwise as `scratch.torch.Pooler`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        d_model = config.d_model
        self.dense = tf_new_linear(d_model, d_model)
        relu = config.pooler == "relu"
        self.activation = tf.nn.relu if relu else tf.tanh

    def call(self, hidden: tf.Tensor) -> tf.Tensor:
        first = hidden[:, 0]  # (batch, d_model)
        return self.activation(self.dense(first))


class TFEncoder(keras.layers.Layer):
    """The encoder: embeddings, then a stack of layers.

    Otherwise as `scratch.torch.Encoder`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        embeddings: keras.layers.Layer | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        require_embeddings(config, embeddings)
        self.config = config
        if embeddings is None:
            embeddings = TFEmbeddings(config)
        self.embeddings = embeddings
        self.layers = [
            TFEncoderLayer(config)
            for _ in range(config.num_layers)
        ]
        self.norm = self.pooler = None
        if config.norm_first:
            # pre-LN leaves the last layer's sum unnormalized
            self.norm = tf_layer_norm_from(config)
        if config.pooler is not None:
            self.pooler = TFPooler(config)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[tf.Tensor, list[tf.Tensor | None]]:
        x = self.embeddings(ids, segment_ids)
        pad_id = self.config.pad_id
        if attention_mask is None and pad_id is not None:
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

    def hidden_states(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """The hidden states alone, without the weights.

        Otherwise as `scratch.torch.Encoder.hidden_states`.
        """
        hidden, _ = self(
            ids,
            attention_mask,
            segment_ids,
            need_weights=False,
        )
        return hidden

    def pool(self, hidden: tf.Tensor) -> tf.Tensor:
        """A vector for each sequence: its first token's.

        Otherwise as `scratch.torch.Encoder.pool`.
        """
        if self.pooler is None:
            return hidden[:, 0]  # (batch, d_model)
        return self.pooler(hidden)  # (batch, d_model)
