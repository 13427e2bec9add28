"""Fine-tuning: a rate for each layer, low-rank changes."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from scratch.checks import (
    require_built,
    require_encoder,
    require_lora,
    require_low_rank,
    require_rates,
    require_some,
    require_step,
    require_strategy,
    require_trainable,
    require_wide_layers,
)
from scratch.config import TransformerConfig
from scratch.tensorflow.attention import (
    tf_new_linear,
    tf_padding_mask,
)
from scratch.tensorflow.encoder import TFEncoder

import keras
import tensorflow as tf
from tqdm.auto import tqdm


def tf_layer_rates(
    model: keras.Layer, decay: float = 1.0, head: float = 1.0
) -> list[tuple[float, list[tf.Tensor]]]:
    """Shares of the learning rate, from the embeddings up.

    Otherwise as `scratch.torch.layer_rates`.
    """
    encoder = model.encoder
    groups = [(0.0, encoder.embeddings.trainable_variables)]
    top = len(encoder.layers) - 1
    for place, layer in enumerate(encoder.layers):
        share = decay ** (top - place)
        groups.append((share, layer.trainable_variables))
    placed = {id(w) for _, group in groups for w in group}
    rest = [
        weight
        for weight in model.trainable_variables
        if id(weight) not in placed
    ]
    return [*groups, (head, rest)]


def tf_fine_tune(
    model: keras.Layer,
    batches: Iterable[tuple[Any, ...]],
    loss: Callable[..., tf.Tensor],
    rates: list[tuple[float, list[tf.Tensor]]],
    learning_rate: Callable[[int], float],
    clip: float = 1.0,
    weight_decay: float = 0.01,
) -> list[float]:
    """Train a model with a rate for each group of weights.

    Otherwise as `scratch.torch.fine_tune`.
    """
    require_rates(rates)
    require_wide_layers(model)
    variables = model.trainable_variables
    require_strategy(tf.distribute.get_strategy(), variables)
    rates = [
        (share, [w for w in group if w.trainable])
        for share, group in rates
        if share
    ]
    weights = [w.value for _, group in rates for w in group]
    require_trainable("rates", weights, clip, weight_decay)
    # a Keras optimizer has one rate: one for each group
    parts = []
    for share, group in rates:
        optimizer = keras.optimizers.AdamW(
            beta_1=0.9,
            beta_2=0.98,
            epsilon=1e-9,
            weight_decay=weight_decay,
        )
        optimizer.build(group)
        parts.append((optimizer, share, group))
    # with dropout, which is for training only
    in_training = partial(model, training=True)

    @tf.function(reduce_retracing=True)
    def update(*batch):
        with tf.GradientTape(
            watch_accessed_variables=False
        ) as tape:
            tape.watch(weights)
            value = loss(in_training, *batch)
        require_built(variables, model)
        # None where a weight has no part in the loss
        gradients = [
            None if g is None else tf.convert_to_tensor(g)
            for g in tape.gradient(value, weights)
        ]
        gradients, _ = tf.clip_by_global_norm(gradients, clip)
        gradients = iter(gradients)
        for optimizer, _, group in parts:
            own = [(next(gradients), w) for w in group]
            own = [(g, w) for g, w in own if g is not None]
            if own:
                optimizer.apply_gradients(own)
        return value

    losses = []
    progress = tqdm(batches, desc="training", unit="step")
    for step, batch in enumerate(progress, start=1):
        rate = learning_rate(step)
        require_step(rate, batch)
        for optimizer, share, _ in parts:
            optimizer.learning_rate.assign(share * rate)
        batch = [
            tf.convert_to_tensor(array) for array in batch
        ]
        losses.append(float(update(*batch)))
    require_some("batches", losses)
    return losses


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
