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
Some layers expect the **length** before the batch, among them `nn.MultiheadAttention`
with its default settings. Split such a tensor into heads: from (length, batch, d_model)
to (batch, num_heads, length, d_k). Head 0 gets the first `d_k` numbers of every vector.

If `num_heads` does not divide `d_model`, return the text `"refused"` before you compute
anything.
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
A reshape can divide an axis into two, here the last one into (num_heads, d_k), because
the numbers stay in their order. To move an axis to another place, you need a transpose.
With several axes, write down where each one comes from: batch was axis 1, heads axis 2,
length axis 0, and `d_k` stays at the end.

If `num_heads` does not divide `d_model`, `d_model // num_heads` is still a whole
number. A layer that doesn't check loses the last numbers of every vector, or fails at a
place far from the cause.
""",
    hints=(
        "Which axis is divided into two, and which are only moved?",
        "Reshape to (length, batch, num_heads, d_k) first.",
        "Then move axis 1 to the front, followed by axis 2, axis 0 and axis 3. And "
        '`d_model % num_heads` tells you when to return "refused".',
    ),
    mistakes="""
Batch and length have been renamed, not moved: you reshaped where an axis has to move.
- (length, batch, num_heads, d_k)
+ (batch, length, num_heads, d_k)
- (1, 2, 0, 3)
+ (0, 2, 1, 3)

You do everything with one reshape. The shape is right, but each head gets pieces of
several positions.
- (length, batch, num_heads, d_k)
+ (batch, num_heads, length, d_k)
- (1, 2, 0, 3)
+ (0, 1, 2, 3)

Each head gets every num_heads-th number. It should get `d_k` consecutive ones.
- num_heads, d_k)
+ d_k, num_heads)
- (1, 2, 0, 3)
+ (1, 3, 0, 2)

What cannot be split is cut off: the last numbers of every vector are silently lost.
-     if d_model % num_heads != 0:
-         return "refused"

- x.reshape(
+ x[:, :, : d_k * num_heads].reshape(
- tf.reshape(x,
+ tf.reshape(x[:, :, : d_k * num_heads],

`num_heads` does not divide `d_model` here, so the split fails with an error. Check that
first.
-     if d_model % num_heads != 0:
-         return "refused"

The chapter's layer raises an error. Here, return the text instead.
- return "refused"
+ raise ValueError("refused")

You refuse although `num_heads` divides `d_model`: you check the batch.
- if d_model %
+ if batch %

You refuse although `num_heads` divides `d_model`: you check the length.
- if d_model %
+ if length %

You refuse exactly when `num_heads` divides `d_model`. It should be the other way round.
- != 0
+ == 0

You refuse although `num_heads` divides `d_model`: which of the two is the divisor?
- d_model % num_heads
+ num_heads % d_model

That is the chapter's split, for a tensor whose batch comes first. Here the length comes
first.
- (1, 2, 0, 3)
+ (0, 2, 1, 3)

You move the batch to the front, then split with a reshape alone: each head gets a
stretch of positions instead of a slice of every position.
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

The length comes before the heads. Scores are computed over the last two axes, for each
head, so these must be (length, d_k).
- (1, 2, 0, 3)
+ (1, 0, 2, 3)

The heads come before the batch. The batch should come first.
- (1, 2, 0, 3)
+ (2, 1, 0, 3)

In each head, length and `d_k` have changed places.
- (1, 2, 0, 3)
+ (1, 2, 3, 0)

If `num_heads` does not divide `d_model`, return the text "refused", not None.
- return "refused"
+ return None

An assertion raises an error. Here, return the text instead.
-     if d_model % num_heads != 0:
-         return "refused"
+     assert d_model % num_heads == 0

Your output has a single axis for batch and heads. They should be two.
@torch
- return x.permute(1, 2, 0, 3)
+ return x.permute(1, 2, 0, 3).flatten(0, 1)
@tensorflow
- return tf.transpose(x, (1, 2, 0, 3))
+ x = tf.transpose(x, (1, 2, 0, 3))
+     return tf.reshape(x, (batch * num_heads, length, d_k))

You refuse only if there are more heads than numbers. Fewer heads may not divide
`d_model` either.
- d_model % num_heads != 0
+ num_heads > d_model
""",
    reference=reference,
    cases=cases,
)
