"""Classify texts, or their tokens: a head on an encoder."""

from scratch.checks import require_encoder
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_new_linear
from scratch.tensorflow.encoder import TFEncoder

import keras
import tensorflow as tf


class TFSequenceClassifier(keras.Model):
    """A classifier of whole sequences.

    Otherwise as `scratch.torch.SequenceClassifier`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        num_classes: int,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.encoder = encoder or TFEncoder(config)
        require_encoder(self.encoder)
        self.dropout = keras.layers.Dropout(config.dropout)
        self.classifier = tf_new_linear(
            config.d_model, num_classes
        )

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        pooled = self.encoder.pool(hidden)  # (batch, d_model)
        return self.classifier(self.dropout(pooled))


class TFTokenClassifier(TFSequenceClassifier):
    """A classifier of each token, for names in a text.

    Otherwise as `scratch.torch.TokenClassifier`.
    """

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        return self.classifier(self.dropout(hidden))
