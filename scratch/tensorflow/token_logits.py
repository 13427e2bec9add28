"""Logits of all tokens: the last layer of a model."""

from scratch.config import TransformerConfig
from scratch.tensorflow.embeddings import tf_new_embedding

import keras
import tensorflow as tf


class TFTokenLogits(keras.layers.Layer):
    """Logits: dot products with the token embeddings.

    Otherwise as `scratch.torch.TokenLogits`.
    """

    def __init__(
        self,
        config: TransformerConfig,
        tokens: keras.layers.Embedding | None,
        **kwargs,
    ):
        super().__init__(**kwargs)
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

    def call(self, x: tf.Tensor) -> tf.Tensor:
        # logits = x Eᵀ + b
        table = self.tokens.embeddings
        logits = tf.tensordot(x, table, [[-1], [-1]])
        if self.bias is not None:
            logits = logits + self.bias
        return logits
