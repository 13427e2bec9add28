"""Fine-tuning: a learning rate for each layer."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from scratch.checks import (
    require_built,
    require_rates,
    require_some,
    require_step,
    require_strategy,
    require_trainable,
    require_wide_layers,
)

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
