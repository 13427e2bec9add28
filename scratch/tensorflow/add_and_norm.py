"""Residual connections, with a norm before or after."""

from scratch.config import TransformerConfig
from scratch.tensorflow.choices import tf_layer_norm_from

import keras
import tensorflow as tf


class TFAddAndNorm(keras.layers.Layer):
    """A residual connection around a sublayer, and a norm.

    Otherwise as `scratch.torch.AddAndNorm`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        self.norm_first = config.norm_first
        self.norm = tf_layer_norm_from(config)
        self.dropout = keras.layers.Dropout(config.dropout)
        self.built = True  # there is no call that builds it

    def before(self, x: tf.Tensor) -> tf.Tensor:
        """The sublayer's input.

        Otherwise as `scratch.torch.AddAndNorm.before`.
        """
        return self.norm(x) if self.norm_first else x

    def after(
        self, x: tf.Tensor, output: tf.Tensor
    ) -> tf.Tensor:
        """The sum of x and the sublayer's output.

        Otherwise as `scratch.torch.AddAndNorm.after`.
        """
        x = x + self.dropout(output)
        return x if self.norm_first else self.norm(x)
