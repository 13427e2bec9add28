"""Build the split into heads for tensors whose first axis is the length."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for length, batch, num_heads, size in (
        (1, 1, 1, 2),
        (1, 2, 3, 1),
        (3, 1, 2, 2),
        (4, 2, 3, 2),
        (2, 5, 2, 3),
    ):
        yield draw.normal(size=(length, batch, num_heads * size)), num_heads
    # what cannot be split
    yield draw.normal(size=(2, 3, 5)), 2
    yield draw.normal(size=(1, 1, 2)), 3
    yield draw.normal(size=(1, 2, 6)), 4


def reference(x, num_heads):
    if x.shape[2] % num_heads:
        return "refused"
    heads = np.split(x, num_heads, axis=2)
    return np.stack([head.swapaxes(0, 1) for head in heads], axis=1)


EXERCISE = Exercise(
    title="Length comes first",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt="""
Some layers, `nn.MultiheadAttention` among them, put the **length** before the batch.
Split such a tensor into heads: from (length, batch, d_model) to (batch, num_heads,
length, d_k). Head 0 takes the first `d_k` numbers of every vector.

Not every number of heads divides `d_model`. Return the text `"refused"` where it does
not, before anything is computed.
""",
    solution={
        "torch": '''
def split(x, num_heads):
    """Return (batch, num_heads, length, d_k), or "refused".

    x (length, batch, d_model).
    """
    length, batch, d_model = x.shape
    if d_model % num_heads != 0:
        return "refused"
    d_k = d_model // num_heads
    x = x.reshape(length, batch, num_heads, d_k)
    return x.permute(1, 2, 0, 3)
''',
        "tensorflow": '''
def split(x, num_heads):
    """Return (batch, num_heads, length, d_k), or "refused".

    x (length, batch, d_model).
    """
    length, batch, d_model = x.shape
    if d_model % num_heads != 0:
        return "refused"
    d_k = d_model // num_heads
    x = tf.reshape(x, (length, batch, num_heads, d_k))
    return tf.transpose(x, (1, 2, 0, 3))
''',
    },
    why="""
A reshape may cut an axis in two, here the last into (num_heads, d_k), because that
leaves every number where it lies. To bring an axis somewhere else takes a transpose.
With several axes, write down where each one comes from: batch was axis 1, heads 2,
length 0, and `d_k` stays at the end.

And with a `d_model` that does not divide, `d_model // num_heads` still gives a whole
number: a layer that does not look loses the last numbers of every vector, or fails far
from the cause.
""",
    hints=(
        "Which axis is cut in two, and which are only moved?",
        "Reshape to (length, batch, num_heads, d_k) first.",
        "Then bring axis 1 to the front, axis 2 behind it, then axis 0, then axis 3. "
        'And `d_model % num_heads` tells what is "refused".',
    ),
    mistakes="""
Batch and length have changed their names, not their places: you reshaped where an axis
has to move.
- (length, batch, num_heads, d_k)
+ (batch, length, num_heads, d_k)
- (1, 2, 0, 3)
+ (0, 2, 1, 3)

Everything is done by one reshape. The shape is right, and each head reads pieces of
several positions.
- (length, batch, num_heads, d_k)
+ (batch, num_heads, length, d_k)
- (1, 2, 0, 3)
+ (0, 1, 2, 3)

Each head takes every num_heads-th number. It should take `d_k` neighbours.
- num_heads, d_k)
+ d_k, num_heads)
- (1, 2, 0, 3)
+ (1, 3, 0, 2)

What cannot be split is cut off: the last numbers of every vector are lost, and nobody
is told.
-     if d_model % num_heads != 0:
-         return "refused"

- x.reshape(
+ x[:, :, : d_k * num_heads].reshape(
- tf.reshape(x,
+ tf.reshape(x[:, :, : d_k * num_heads],

`num_heads` does not divide `d_model` here, and the error comes from somewhere inside.
Look before you reshape.
-     if d_model % num_heads != 0:
-         return "refused"

An error is what the chapter's layer answers. Here, return the text.
- return "refused"
+ raise ValueError("refused")

You refuse, though `num_heads` divides `d_model`: you look at the batch.
- if d_model %
+ if batch %

You refuse, though `num_heads` divides `d_model`: you look at the length.
- if d_model %
+ if length %

You refuse where `num_heads` divides `d_model`, and only there.
- != 0
+ == 0

You refuse, though `num_heads` divides `d_model`: which of them is divided by the other?
- d_model % num_heads
+ num_heads % d_model

That is the chapter's split, for a tensor whose batch comes first. Here the length does.
- (1, 2, 0, 3)
+ (0, 2, 1, 3)

You bring the batch to the front, then cut by a reshape alone: each head reads whole
positions, one after the other.
@torch
- x.reshape(length, batch, num_heads, d_k)
+ x.permute(1, 0, 2).reshape(batch, num_heads, length, d_k)
- (1, 2, 0, 3)
+ (0, 1, 2, 3)
@tensorflow
- tf.reshape(x,
+ tf.reshape(tf.transpose(x, (1, 0, 2)),
- (length, batch, num_heads, d_k)
+ (batch, num_heads, length, d_k)
- (1, 2, 0, 3)
+ (0, 1, 2, 3)

The length stands before the heads. Scores are computed between the last two axes, for
each head.
- (1, 2, 0, 3)
+ (1, 0, 2, 3)
""",
    reference=reference,
    cases=cases,
)
