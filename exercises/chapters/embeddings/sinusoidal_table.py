"""Build sinusoids for any positions, all sines first."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([1]), 4
    yield np.array([0, 3]), 4
    yield np.array([[2, 9, 4]]), 6
    yield draw.integers(0, 40, size=(2, 5)), 8
    yield np.array([100, 7]), 10
    yield np.array([600, 3]), 4
    yield draw.integers(0, 40, size=(2, 1, 3)), 4


def long_cases(draw):
    # With two numbers the angle is the position, exact in single precision. A multiple
    # of 355 is near one of π, so the cosine is right even as a sine shifted by π/2.
    yield np.array([3, 355 * draw.integers(366, 370)]), 2


def reference(positions, d_model):
    hands = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    angles = positions[..., None] * hands
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


EXERCISE = Exercise(
    title="Sines first, then cosines",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Many published models, such as Marian, don't alternate sines and cosines. The **first
half** of each row contains all sines and the second half all cosines, with the
frequencies $\omega_i$ of equation (2.3).

Compute such rows for **given** positions, integers from 0 on in a tensor of any shape:
a model that continues a text at position 9 needs row 9, not row 0.
""",
    solution={
        "torch": '''
def waves(positions, d_model):
    """Return (..., d_model): sines, then cosines.

    positions (...), integers; d_model is even.
    """
    i = torch.arange(d_model // 2)
    omega = 10000 ** (-2 * i / d_model)
    angle = positions[..., None] * omega
    return torch.cat([torch.sin(angle), torch.cos(angle)], -1)
''',
        "tensorflow": '''
def waves(positions, d_model):
    """Return (..., d_model): sines, then cosines.

    positions (...), integers; d_model is even.
    """
    i = tf.range(d_model // 2, dtype=tf.float32)
    omega = 10000 ** (-2 * i / d_model)
    angle = tf.cast(positions, tf.float32)[..., None] * omega
    return tf.concat([tf.sin(angle), tf.cos(angle)], -1)
''',
    },
    why=r"""
There are `d_model / 2` hands, and hand $i$ turns by $10000^{-2i/d_\text{model}}$ from
one position to the next. A model that is trained from the start can use either order of
the numbers. A model whose weights are loaded needs the order it was trained with,
because each column of its matrices belongs to one of these numbers.
""",
    hints=(
        "The clock has `d_model / 2` hands. Compute their frequencies first.",
        r"The angle of hand $i$ is the position times $\omega_i$, so the angles need "
        "one axis more than `positions` has.",
        "`positions[..., None] * omega` gives all angles. Take their sines and cosines "
        "and concatenate them along the last axis.",
    ),
    mistakes="""
The halves have changed places: sines come first.
- [torch.sin(angle), torch.cos(angle)]
+ [torch.cos(angle), torch.sin(angle)]
- [tf.sin(angle), tf.cos(angle)]
+ [tf.cos(angle), tf.sin(angle)]

Sines and cosines alternate in yours, as in the paper. Here all sines come first.
- torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+ torch.stack([torch.sin(angle), torch.cos(angle)], -1).flatten(-2)
- tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+ tf.reshape(tf.stack([tf.sin(angle), tf.cos(angle)], -1), (*positions.shape, d_model))

Your frequencies fall twice as fast: is the 2 in the exponent there twice?
- -2 * i / d_model
+ -4 * i / d_model

Your frequencies fall half as fast. The exponent is `-2i / d`.
- -2 * i / d_model
+ -i / d_model

You number the positions yourself, from 0. They are given: a model may begin anywhere.
-     angle = positions[..., None]
+     positions = torch.arange(positions.shape[-1]) + 0 * positions
+     angle = positions[..., None]
-     angle = tf.cast(positions
+     positions = tf.range(positions.shape[-1]) + 0 * positions
+     angle = tf.cast(positions

You count 0, 1, 2 and so on, and never use the values in `positions`.
- angle = positions[..., None]
+ angle = torch.arange(positions.shape[-1])[..., None]
- angle = tf.cast(positions
+ angle = tf.cast(tf.range(positions.shape[-1])

You number the entries of `positions` yourself. Use the values that they hold.
@torch
-     angle = positions[..., None]
+     positions = torch.arange(positions.numel()).reshape(positions.shape)
+     angle = positions[..., None]
@tensorflow
-     angle = tf.cast(positions
+     positions = tf.reshape(tf.range(tf.size(positions)), positions.shape)
+     angle = tf.cast(positions

Your table has a fixed number of rows, and a position may be larger. Compute the rows
that are asked for.
@torch
-     angle = positions[..., None] * omega
-     return torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+     angle = torch.arange(5000)[:, None] * omega
+     table = torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+     return table[positions]
@tensorflow
-     angle = tf.cast(positions, tf.float32)[..., None] * omega
-     return tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+     angle = tf.range(5000.0)[:, None] * omega
+     table = tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+     return tf.gather(table, positions)

Every hand turns backwards: check the signs.
- angle = positions
+ angle = -positions
- angle = tf.cast
+ angle = -tf.cast

All hands turn at the same speed.
- -2 * i / d_model
+ 0 * i / d_model

The hands speed up from one to the next. The first should be the fastest.
- 10000 ** (-2 * i / d_model)
+ 10000 ** (2 * i / d_model - 1)

Your frequencies fall too fast: the last hand already reaches 1/10000. You divide by
`half - 1`; the formula divides by `half`.
- -2 * i / d_model
+ -i / (d_model // 2 - 1)

The frequencies grow from hand to hand: the exponent has the wrong sign.
- -2 * i / d_model
+ 2 * i / d_model

The base of the frequencies is 10000. Yours is 1000.
- 10000 **
+ 1000 **

The base of the frequencies is 10000. Yours is e.
- 10000 **
+ math.e **

You count the hands from 1. The first is hand 0, which turns by one radian.
- -2 * i / d_model
+ -2 * (i + 1) / d_model

You count the positions from 1. They are given: use them as they are.
- positions[..., None]
+ (positions + 1)[..., None]
- tf.cast(positions,
+ tf.cast(positions + 1,

Each column has a frequency of its own in yours. There are `d_model / 2` hands, and each
has a sine and a cosine.
- torch.arange(d_model // 2)
+ torch.arange(d_model)
- -2 * i / d_model
+ -i / d_model
- torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+ torch.where(i < d_model // 2, torch.sin(angle), torch.cos(angle))
- tf.range(d_model // 2,
+ tf.range(d_model,
- tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+ tf.where(i < d_model // 2, tf.sin(angle), tf.cos(angle))

Each hand has a sine and a cosine of the same angle. Your cosines have frequencies of
their own, with 2i + 1 in the exponent.
- torch.cos(angle)
+ torch.cos(angle / 10000 ** (1 / d_model))
- tf.cos(angle)
+ tf.cos(angle / 10000 ** (1 / d_model))

Each hand has a sine and a cosine of the same angle. Your cosines go on with the
frequencies where the sines stop.
- torch.cos(angle)
+ torch.cos(angle / 10000)
- tf.cos(angle)
+ tf.cos(angle / 10000)

Your new axis is always the second one. After several axes of positions it has to be the
last: `[..., None]`.
- [..., None]
+ [:, None]

Concatenate along the last axis: yours puts the cosines into rows of their own.
- torch.cos(angle)], -1)
+ torch.cos(angle)], 0)
- tf.cos(angle)], -1)
+ tf.cos(angle)], 0)

You add the cosines to the sines. They are numbers of their own: concatenate them.
- torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+ torch.sin(angle) + torch.cos(angle)
- tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+ tf.sin(angle) + tf.cos(angle)

You divide by the frequencies. Multiply each position by them.
- positions[..., None] * omega
+ positions[..., None] / omega
- tf.float32)[..., None] * omega
+ tf.float32)[..., None] / omega

The cosines have the wrong sign.
- torch.cos(angle)
+ -torch.cos(angle)
- tf.cos(angle)
+ -tf.cos(angle)

The sines have the wrong sign, and so do the cosines.
- torch.cat([torch.sin(angle), torch.cos(angle)], -1)
+ -torch.cat([torch.sin(angle), torch.cos(angle)], -1)
- tf.concat([tf.sin(angle), tf.cos(angle)], -1)
+ -tf.concat([tf.sin(angle), tf.cos(angle)], -1)

There are too many hands: `d_model / 2` of them give `d_model` numbers.
- torch.arange(d_model // 2)
+ torch.arange(d_model)
- tf.range(d_model // 2,
+ tf.range(d_model,

The second half repeats the sines. It should contain the cosines.
- torch.cos(angle)
+ torch.sin(angle)
- tf.cos(angle)
+ tf.sin(angle)

You multiply by the angle of a full turn. Hand 0 turns by one radian.
- angle = positions[..., None]
+ angle = 2 * math.pi * positions[..., None]
- angle = tf.cast
+ angle = 2 * math.pi * tf.cast

You count the axes from the front. Positions may have any shape: the new axis is the
last, `[..., None]`, and the halves are concatenated along it, `-1`.
- [..., None]
+ [:, None]
- torch.cos(angle)], -1)
+ torch.cos(angle)], 1)
- tf.cos(angle)], -1)
+ tf.cos(angle)], 1)

TensorFlow doesn't multiply integers by floats: cast the positions first.
@tensorflow
- tf.cast(positions, tf.float32)[..., None]
+ positions[..., None]
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    equivalent={
        "i = torch.arange(d_model / 2)": "Half of an even number is whole.",
        "i = tf.range(d_model / 2, dtype=tf.float32)": "Half of an even number is "
        "whole.",
    },
)
