"""Training: decoder inputs, loss, learning rates, loop."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from scratch.checks import (
    require_at_least,
    require_built,
    require_fraction,
    require_ids,
    require_known,
    require_some,
    require_step,
    require_strategy,
    require_targets,
    require_trainable,
    require_wide_layers,
)

import keras
import tensorflow as tf
from tqdm.auto import tqdm


def tf_shift_right(ids: tf.Tensor, bos_id: int) -> tf.Tensor:
    """Decoder inputs: the targets, one position later.

    Otherwise as `scratch.torch.shift_right`.
    """
    require_ids("ids", ids)
    require_at_least("bos_id", bos_id, 0)
    ids = tf.cast(ids, tf.int64)
    first = tf.zeros_like(ids[:, :1]) + bos_id
    return tf.concat([first, ids[:, :-1]], 1)


def tf_cross_entropy(
    logits: tf.Tensor,
    targets: tf.Tensor,
    pad_id: int | None,
    label_smoothing: float = 0.0,
) -> tf.Tensor:
    """Cross-entropy between logits and target ids, averaged
    over the tokens that count.

    Otherwise as `scratch.torch.cross_entropy`.
    """
    require_targets("targets", targets, logits, pad_id)
    require_fraction("label_smoothing", label_smoothing)
    targets = tf.cast(targets, tf.int64)
    size = logits.shape[-1]
    require_known("targets", targets, size, pad_id)
    logits = tf.cast(logits, tf.float32)
    pad_id = -1 if pad_id is None else pad_id
    log_p = tf.nn.log_softmax(logits, -1)  # (…, vocab_size)
    real = targets != pad_id  # (…)
    index = tf.where(real, targets, 0)
    # loss = −log p(target)
    axes = len(targets.shape)
    loss = -tf.gather(log_p, index, batch_dims=axes)
    if label_smoothing:
        vocab = tf.range(size)
        allowed = vocab != pad_id  # (vocab_size)
        # loss = −(1 − ε) log p(target) − ε mean(log p)
        total = tf.where(allowed, log_p, 0.0)
        total = tf.reduce_sum(total, -1)
        count = tf.cast(allowed, tf.float32)
        spread = -total / tf.reduce_sum(count)
        loss = loss + label_smoothing * (spread - loss)
    loss = tf.where(real, loss, 0.0)
    count = tf.reduce_sum(tf.cast(real, tf.float32))
    return tf.reduce_sum(loss) / tf.maximum(count, 1.0)


def tf_noam_schedule(
    step: int, d_model: int, warmup: int
) -> float:
    """The paper's learning rate schedule: linear warm-up,
    then decay with the inverse square root of the step.

    Otherwise as `scratch.torch.noam_schedule`.
    """
    require_at_least("step", step, 1)
    require_at_least("d_model", d_model, 1)
    require_at_least("warmup", warmup, 1)
    # rate = d_model^−0.5 · min(step^−0.5, step · warmup^−1.5)
    slope = min(step**-0.5, step * warmup**-1.5)
    return d_model**-0.5 * slope


def tf_cosine_schedule(
    step: int, peak: float, warmup: int, last_step: int
) -> float:
    """A learning rate schedule: linear warm-up, then cosine
    decay to 0.

    Otherwise as `scratch.torch.cosine_schedule`.
    """
    require_at_least("step", step, 1)
    require_at_least("warmup", warmup, 0)
    require_at_least("last_step", last_step, warmup + 1)
    if step < warmup:
        return peak * step / warmup
    done = (step - warmup) / (last_step - warmup)
    return peak * (1 + math.cos(math.pi * min(done, 1))) / 2


def tf_fit(
    model: keras.Layer,
    batches: Iterable[tuple[Any, ...]],
    loss: Callable[..., tf.Tensor],
    learning_rate: float | Callable[[int], float],
    clip: float = 1.0,
    weight_decay: float = 0.01,
    device: str | None = None,
) -> list[float]:
    """Train a model: one step of AdamW for each batch.

    Otherwise as `scratch.torch.fit`.
    """
    variables = model.trainable_variables
    require_trainable("model", variables, clip, weight_decay)
    strategy = tf.distribute.get_strategy()
    require_strategy(strategy, variables)
    require_wide_layers(model)
    optimizer = keras.optimizers.AdamW(
        beta_1=0.9,
        beta_2=0.98,
        epsilon=1e-9,
        weight_decay=weight_decay,
    )
    optimizer.build(variables)
    # with dropout, which is for training only
    in_training = partial(model, training=True)

    @tf.function(reduce_retracing=True)
    def update(*batch):
        with tf.GradientTape() as tape:
            value = loss(in_training, *batch)
        require_built(variables, model)
        gradients = tape.gradient(value, variables)
        # A table's gradient may come as loose rows. Made
        # dense, the rows of a repeated token are added up.
        pairs = [
            (tf.convert_to_tensor(gradient), variable)
            for gradient, variable in zip(
                gradients, variables, strict=True
            )
            if gradient is not None
        ]
        gradients, used = zip(*pairs, strict=True)
        gradients, _ = tf.clip_by_global_norm(gradients, clip)
        optimizer.apply_gradients(
            zip(gradients, used, strict=True)
        )
        return value

    losses = []
    progress = tqdm(batches, desc="training", unit="step")
    for step, batch in enumerate(progress, start=1):
        rate = learning_rate
        if callable(rate):
            rate = rate(step)
        require_step(rate, batch)
        optimizer.learning_rate.assign(rate)
        batch = [
            tf.convert_to_tensor(array) for array in batch
        ]
        with tf.device(device):
            value = strategy.run(update, batch)
        losses.append(float(value))
        progress.set_postfix(
            loss=f"{losses[-1]:.3f}", refresh=False
        )
    require_some("batches", losses)
    return losses
