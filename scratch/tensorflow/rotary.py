"""Rotary positions (RoPE): queries and keys are rotated."""

import math

from scratch.checks import require_even

import keras
import tensorflow as tf


def tf_frequencies(
    d_k: int,
    base: float = 10_000.0,
    scaling: tuple | None = None,
) -> tf.Tensor:
    """Angles by which rotary positions turn, per position.

    Otherwise as `scratch.torch.frequencies`.
    """
    require_even("d_k", d_k, "a rotation turns pairs")
    even = tf.range(0, d_k, 2, dtype=tf.float64)
    angle = base ** (-even / d_k)
    if scaling is not None:
        factor, low, high, length = scaling
        turns = angle * length / (2 * math.pi)
        kept = (turns - low) / (high - low)
        kept = tf.clip_by_value(kept, 0, 1)
        angle = angle * (kept + (1 - kept) / factor)
    angles = tf.concat([-angle, angle], 0)  # (d_k,)
    # float32, whatever the weights are
    return tf.cast(angles, tf.float32)


def tf_rotate(
    x: tf.Tensor,
    frequency: tf.Tensor,
    start: int | tf.Tensor = 0,
) -> tf.Tensor:
    """Rotary positions: turn each vector by its position.

    Otherwise as `scratch.torch.rotate`.
    """
    length, d_k = keras.ops.shape(x)[-2:]
    place = tf.range(length) + start
    place = tf.cast(place, frequency.dtype)
    angle = place[..., None] * frequency  # (…, length, d_k)
    cos = tf.cast(tf.cos(angle), x.dtype)
    sin = tf.cast(tf.sin(angle), x.dtype)
    # (a, b) -> (a cos − b sin, b cos + a sin)
    swapped = tf.roll(x, d_k // 2, -1)  # (a, b) -> (b, a)
    return x * cos + swapped * sin
