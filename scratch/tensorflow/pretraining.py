"""What an encoder learns from text alone."""

from scratch.checks import (
    require_choice,
    require_encoder,
    require_known,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_new_linear
from scratch.tensorflow.choices import tf_layer_norm_from
from scratch.tensorflow.encoder import TFEncoder
from scratch.tensorflow.feed_forward import TF_ACTIVATIONS
from scratch.tensorflow.token_logits import TFTokenLogits

import keras
import tensorflow as tf


class TFMaskedLanguageModel(keras.Model):
    """A masked language model: it fills in hidden tokens.

    Otherwise as `scratch.torch.MaskedLanguageModel`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.encoder = encoder or TFEncoder(config)
        require_encoder(self.encoder)
        d_model = config.d_model
        self.transform = tf_new_linear(d_model, d_model)
        require_choice(
            "activation", config.activation, TF_ACTIVATIONS
        )
        self.activation = TF_ACTIVATIONS[config.activation]
        self.norm = tf_layer_norm_from(config)
        tokens = self.encoder.embeddings.tokens
        self.logits = TFTokenLogits(config, tokens)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
        places: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        if places is not None:
            require_known("places", places, hidden.shape[1])
            places = tf.cast(places, tf.int64)
            # (batch, count, d_model)
            hidden = tf.gather(hidden, places, batch_dims=1)
        x = self.activation(self.transform(hidden))
        return self.logits(self.norm(x))


class TFNextSentence(keras.Model):
    """Next-sentence prediction: whether B follows A.

    Otherwise as `scratch.torch.NextSentence`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        encoder: TFEncoder | None = None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.encoder = encoder or TFEncoder(config)
        require_encoder(self.encoder)
        self.classifier = tf_new_linear(config.d_model, 2)

    def call(
        self,
        ids: tf.Tensor,
        attention_mask: tf.Tensor | None = None,
        segment_ids: tf.Tensor | None = None,
    ) -> tf.Tensor:
        hidden = self.encoder.hidden_states(
            ids, attention_mask, segment_ids
        )
        return self.classifier(self.encoder.pool(hidden))
