"""What each position makes of what it has gathered."""

from functools import partial

from scratch.arguments import (
    require_choice,
    require_fraction,
    require_positive,
)
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
    """Two linear maps, with a bend between them.

    d_model: length of the vectors that come in and go out;
    d_ff: length of the inner vector; activation: "relu",
    "gelu", "gelu_tanh" or "silu"; dropout of the inner one.
    Call: x (batch, length, d_model). Each position is
    treated alone.
    Returns: (batch, length, d_model).
    Raises: ValueError for an activation that is unknown.
    Source: Vaswani et al. 2017, section 3.3.
    """

    def __init__(
        self, d_model, d_ff, activation="relu", dropout=0.0
    ):
        super().__init__()
        require_choice(
            "activation", activation, TF_ACTIVATIONS
        )
        require_positive("d_ff", d_ff)
        require_fraction("dropout", dropout)
        self.activation = TF_ACTIVATIONS[activation]
        self.expand = tf_new_linear(d_model, d_ff)
        self.contract = tf_new_linear(d_ff, d_model)
        self.dropout = keras.layers.Dropout(dropout)

    def call(self, x):
        # FFN(x) = activation(x W₁ + b₁) W₂ + b₂
        inner = self.activation(self.expand(x))
        return self.contract(self.dropout(inner))


def tf_feed_forward_from(config):
    """The feed-forward layer that a config asks for.

    config: a TransformerConfig.
    Returns: TFFeedForward.
    """
    return TFFeedForward(
        config.d_model,
        config.d_ff,
        config.activation,
        config.dropout,
    )
