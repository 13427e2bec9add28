"""Build sinusoids for any positions, all sines first."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield np.array([1]), 2
    yield np.array([0, 3]), 4
    yield np.array([[2, 9, 4]]), 6
    yield draw.integers(0, 40, size=(2, 5)), 8
    yield np.array([100, 7]), 10
    yield np.array([600, 3]), 2
    yield draw.integers(0, 40, size=(2, 1, 3)), 4


def reference(positions, d_model):
    hands = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    angles = positions[..., None] * hands
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


EXERCISE = Exercise(
    title="Waves, in two halves",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Many published models, Marian among them, do not alternate sine and cosine: the **first
half** of each row is all the sines, the second half all the cosines, with the
frequencies $\omega_i$ of equation (2.3).

Write that table for **given** positions, whole numbers from 0 on, in any shape: a model
that goes on writing at position 9 needs row 9, not row 0.
""",
    solution={
        "torch": '''
def waves(positions, d_model):
    """Return (..., d_model): sines, then cosines.

    positions (...), whole numbers; d_model is even.
    """
    i = torch.arange(d_model // 2)
    omega = 10000 ** (-2 * i / d_model)
    angle = positions[..., None] * omega
    return torch.cat([torch.sin(angle), torch.cos(angle)], -1)
''',
        "tensorflow": '''
def waves(positions, d_model):
    """Return (..., d_model): sines, then cosines.

    positions (...), whole numbers; d_model is even.
    """
    i = tf.range(d_model // 2, dtype=tf.float32)
    omega = 10000 ** (-2 * i / d_model)
    angle = tf.cast(positions, tf.float32)[..., None] * omega
    return tf.concat([tf.sin(angle), tf.cos(angle)], -1)
''',
    },
    why=r"""
There are `d_model / 2` hands, and hand $i$ turns by $10000^{-2i/d_\text{model}}$ from
one position to the next. Whether a hand's two numbers stand side by side or half a row
apart makes no difference to a model that is trained with it, and all the difference to
one that is loaded: the columns of its matrices expect their numbers where they were.
""",
    hints=(
        "How many hands does the clock have?",
        r"The angle of hand $i$ is its position times $\omega_i$: an axis more than "
        "`positions` has.",
        "`positions[..., None] * omega` gives all angles. Take sines and cosines, and "
        "join them along the last axis.",
    ),
    mistakes="""
The halves have changed places: the sines come first.
- [torch.sin(angle), torch.cos(angle)]
+ [torch.cos(angle), torch.sin(angle)]
- [tf.sin(angle), tf.cos(angle)]
+ [tf.cos(angle), tf.sin(angle)]

Yours alternate, as in the paper. In this exercise all sines come first.
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

You count places, 0, 1, 2 and so on, and never look at what is given in `positions`.
- angle = positions[..., None]
+ angle = torch.arange(positions.shape[-1])[..., None]
- angle = tf.cast(positions
+ angle = tf.cast(tf.range(positions.shape[-1])

Every hand turns backwards: is a sign lost, or one too many?
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
""",
    reference=reference,
    cases=cases,
    equivalent={
        "i = torch.arange(d_model / 2)": "Half of an even number is whole.",
        "i = tf.range(d_model / 2, dtype=tf.float32)": "Half of an even number is "
        "whole.",
    },
)
