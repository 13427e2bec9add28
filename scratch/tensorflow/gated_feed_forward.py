"""The gated feed-forward layer, SwiGLU."""

from scratch.config import TransformerConfig
from scratch.tensorflow.attention import tf_new_linear

import keras
import tensorflow as tf


class TFGatedFeedForward(keras.layers.Layer):
    """Gated feed-forward layer: SwiGLU.

    Otherwise as `scratch.torch.GatedFeedForward`.
    """

    def __init__(self, config: TransformerConfig, **kwargs):
        super().__init__(**kwargs)
        d_model, d_ff = config.d_model, config.d_ff
        self.gate = tf_new_linear(d_model, d_ff, config.bias)
        self.expand = tf_new_linear(
            d_model, d_ff, config.bias
        )
        self.contract = tf_new_linear(
            d_ff, d_model, config.bias
        )
        self.dropout = keras.layers.Dropout(config.dropout)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        # FFN(x) = (SiLU(x W) ⊙ x V) W₂
        inner = tf.nn.silu(self.gate(x)) * self.expand(x)
        return self.contract(self.dropout(inner))
