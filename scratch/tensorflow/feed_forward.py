"""The position-wise feed-forward layer, its activations."""

from functools import partial

from scratch.checks import require_choice
from scratch.tensorflow.attention import tf_new_linear

import keras
import tensorflow as tf

TF_ACTIVATIONS = {
    "relu": tf.nn.relu,
    "gelu": tf.nn.gelu,
    "gelu_tanh": partial(tf.nn.gelu, approximate=True),
    "silu": tf.nn.silu,
}


class TFFeedForward(keras.layers.Layer):
    """Feed-forward layer: linear, activation, linear.

    Otherwise as `scratch.torch.FeedForward`.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        activation: str = "relu",
        dropout: float = 0.0,
        bias: bool = True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        require_choice(
            "activation", activation, TF_ACTIVATIONS
        )
        self.activation = TF_ACTIVATIONS[activation]
        self.expand = tf_new_linear(d_model, d_ff, bias)
        self.contract = tf_new_linear(d_ff, d_model, bias)
        self.dropout = keras.layers.Dropout(dropout)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        # FFN(x) = activation(x W₁ + b₁) W₂ + b₂
        inner = self.activation(self.expand(x))
        return self.contract(self.dropout(inner))
