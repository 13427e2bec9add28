"""Extractive question answering: a head on an encoder."""

from scratch.checks import require_encoder
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_new_linear
from scratch.tensorflow.encoder import TFEncoder
from scratch.tensorflow.masks import tf_padding_mask

import keras
import tensorflow as tf


class TFSpanExtractor(keras.Model):
    """Extractive question answering: where an answer lies.

    Otherwise as `scratch.torch.SpanExtractor`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.config = config
        self.encoder = encoder or TFEncoder(config)
        require_encoder(self.encoder)
        self.ends = tf_new_linear(config.d_model, 2)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tuple[tf.Tensor, tf.Tensor]:
        if attention_mask is None:
            pad_id = self.config.pad_id
            attention_mask = tf_padding_mask(ids, pad_id)
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        logits = self.ends(hidden)  # (batch, length, 2)
        # by any query, in any head: (batch, length)
        seen = tf.reduce_any(attention_mask, (1, 2))
        lowest = logits.dtype.min
        logits = tf.where(seen[..., None], logits, lowest)
        return logits[..., 0], logits[..., 1]
