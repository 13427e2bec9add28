"""LoRA: low-rank changes to frozen linear layers."""

from scratch.checks import (
    require_encoder,
    require_lora,
    require_low_rank,
)

import keras
import tensorflow as tf


class TFLoRA(keras.layers.Layer):
    """A linear layer, and a low-rank change to it.

    Otherwise as `scratch.torch.LoRA`.
    """

    def __init__(
        self,
        base: keras.layers.Dense,
        rank: int,
        alpha: float,
        **kwargs,
    ):
        super().__init__(**kwargs)
        require_low_rank("base", base, rank, alpha)
        d_in, d_out = base.kernel.shape
        self.base = base
        same = {"use_bias": False, "dtype": base.dtype_policy}
        self.down = keras.layers.Dense(rank, **same)
        self.up = keras.layers.Dense(
            d_out, kernel_initializer="zeros", **same
        )
        self.down.build((None, d_in))
        self.up.build((None, rank))
        self.scale = alpha / rank

    def call(self, x: tf.Tensor) -> tf.Tensor:
        # y = W x + b + (α / r) B A x
        change = self.up(self.down(x))
        return self.base(x) + self.scale * change

    def merged(self) -> keras.layers.Dense:
        """The base layer, with the change added to it."""
        change = self.down.kernel @ self.up.kernel
        # W' = W + (α / r) B A
        self.base.kernel.assign_add(self.scale * change)
        return self.base


def tf_add_lora(
    encoder: keras.Layer,
    rank: int,
    alpha: float,
    names: tuple[str, ...] = ("query", "value"),
) -> list[tf.Tensor]:
    """Add LoRA to the attention layers of an encoder.

    Otherwise as `scratch.torch.add_lora`.
    """
    require_lora(encoder, rank, alpha, names)
    added = []
    for layer in encoder.layers:
        attention = layer.self_attention
        for name in names:
            base = getattr(attention, name)
            lora = TFLoRA(base, rank, alpha)
            setattr(attention, name, lora)
            added += [lora.down.kernel, lora.up.kernel]
        # Keras also keeps a list of what a layer owns
        attention._layers[:] = [
            part
            for part in vars(attention).values()
            if isinstance(part, keras.Layer)
        ]
    return added


def tf_merge_lora(encoder: keras.Layer) -> None:
    """Add the changes to the weights, and remove LoRA.

    Otherwise as `scratch.torch.merge_lora`.
    """
    require_encoder(encoder, "embeddings")
    for layer in encoder.layers:
        attention = layer.self_attention
        for name, part in list(vars(attention).items()):
            if isinstance(part, TFLoRA):
                setattr(attention, name, part.merged())
        # Keras also keeps a list of what a layer owns
        attention._layers[:] = [
            part
            for part in vars(attention).values()
            if isinstance(part, keras.Layer)
        ]
