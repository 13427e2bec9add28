"""Build activation patching: one head's output at one place, from another text."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, num_heads, d_k, d_v, head, place in (
        (1, 2, 4, 1, 2, 2, 0, 1),
        (1, 3, 4, 2, 2, 2, 1, 0),
        (2, 4, 6, 3, 3, 2, 1, 2),
    ):
        texts = draw.normal(size=(2, batch, length, d_model))
        shapes = [(d_model, num_heads * size) for size in (d_k, d_k, d_v)]
        shapes.append((num_heads * d_v, d_model))
        matrices = [draw.normal(size=shape).astype("float32") for shape in shapes]
        yield *texts, matrices, num_heads, head, place


def reference(x, donor, matrices, num_heads, head, place):
    *_, projection = matrices
    inner, new = (heads_of(text, matrices, num_heads) for text in (x, donor))
    inner[:, place, head] = new[:, place, head]
    return inner.reshape(*x.shape[:2], -1) @ projection


def heads_of(x, matrices, num_heads):
    """Return what the heads write: (batch, length, heads, d_v)."""
    query, key, value = (
        (x.astype(np.float64) @ matrix).reshape(*x.shape[:2], num_heads, -1)
        for matrix in matrices[:3]
    )
    scores = np.einsum("bqhk,bmhk->bhqm", query, key) / query.shape[-1] ** 0.5
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("bhqm,bmhv->bqhv", shares, value)


TORCH = '''
from scratch.torch import MultiHeadAttention, edited, recorded


def attention_from(matrices, num_heads):
    """A layer with these matrices (inputs, outputs)."""
    d_model, width = matrices[0].shape
    layer = MultiHeadAttention(
        d_model,
        num_heads,
        d_k=width // num_heads,
        d_v=matrices[2].shape[1] // num_heads,
    )
    names = "query", "key", "value", "projection"
    for name, matrix in zip(names, matrices):
        part = getattr(layer, name)
        part.weight.data = matrix.T
        nn.init.zeros_(part.bias)
    return layer


def patched(x, donor, matrices, num_heads, head, place):
    """Return the layer's output (batch, length, d_model).

    x, donor (batch, length, d_model), of two texts;
    head, place: which output comes from donor.
    """
    layer = attention_from(matrices, num_heads)
'''
TENSORFLOW = '''
from scratch.tensorflow import (
    TFMultiHeadAttention,
    tf_edited,
    tf_recorded,
)


def attention_from(matrices, num_heads):
    """A layer with these matrices (inputs, outputs)."""
    d_model, width = matrices[0].shape
    layer = TFMultiHeadAttention(
        d_model,
        num_heads,
        d_k=width // num_heads,
        d_v=matrices[2].shape[1] // num_heads,
    )
    names = "query", "key", "value", "projection"
    for name, matrix in zip(names, matrices):
        part = getattr(layer, name)
        part.set_weights([matrix, tf.zeros(matrix.shape[1])])
    return layer


def patched(x, donor, matrices, num_heads, head, place):
    """Return the layer's output (batch, length, d_model).

    x, donor (batch, length, d_model), of two texts;
    head, place: which output comes from donor.
    """
    layer = attention_from(matrices, num_heads)
'''

EXERCISE = Exercise(
    title="One head, one place",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Write `patched`: run a layer of self-attention (no mask) on `x`, but with the output of
**one head at one place** exchanged for what the same head writes at the same place when
the layer runs on `donor`. Everything else stays as it is on `x`. Return the layer's
output.

The starter makes the layer. Use `recorded` and `edited` (in TensorFlow `tf_recorded`
and `tf_edited`). What a head writes is a stretch of the columns that `projection` takes
in; queries, keys and values may differ in width.
""",
    starter={"torch": TORCH + "    ...\n", "tensorflow": TENSORFLOW + "    ...\n"},
    solution={
        "torch": TORCH
        + """
    with recorded(layer.projection, inputs=True) as kept:
        layer(donor, donor, donor)
    new = kept[0]
    size = new.shape[2] // num_heads
    cut = slice(head * size, (head + 1) * size)

    def change(heads):
        heads[:, place, cut] = new[:, place, cut]
        return heads

    with edited(layer.projection, change, inputs=True):
        output, _ = layer(x, x, x)
    return output
""".lstrip("\n"),
        "tensorflow": TENSORFLOW
        + """
    with tf_recorded(layer.projection, inputs=True) as kept:
        layer(donor, donor, donor)
    new = kept[0]
    size = new.shape[2] // num_heads
    here = tf.range(new.shape[1]) == place
    cut = tf.range(new.shape[2]) // size == head

    def change(heads):
        return tf.where(here[:, None] & cut, new, heads)

    with tf_edited(layer.projection, change, inputs=True):
        output, _ = layer(x, x, x)
    return output
""".lstrip("\n"),
    },
    why="""
The projection adds up what all heads write, so behind it the heads can no longer be
told apart. In front of it, head number h has the columns from h · d_v to (h + 1) · d_v.
The donor's run comes first, and only one place is exchanged: with all places, you
couldn't say at which one the difference was read.

`edited` hands you a copy in PyTorch, so that writing into it is safe; the recorded
tensor is the donor's own. In TensorFlow nothing is written into: `tf.where` picks each
number from one of the two.
""",
    hints=(
        "Run the layer on `donor` first, inside `recorded(layer.projection, "
        "inputs=True)`. The list then holds one tensor (batch, length, heads · d_v).",
        "Head number h has the columns from h · d_v to (h + 1) · d_v.",
        "Run the layer on `x` inside `edited(layer.projection, change, inputs=True)`, "
        "where `change` exchanges these columns at this place. The layer returns its "
        "output and its weights.",
    ),
    mistakes="""
You cut the projection's output. There the heads are already added up: change what goes
into it, with `inputs=True`.
- inputs=True
+ inputs=False

You exchange the head at all places. Only one place is asked for.
@torch
- heads[:, place, cut] = new[:, place, cut]
+ heads[:, :, cut] = new[:, :, cut]
@tensorflow
- here[:, None] & cut
+ cut

You exchange all heads at this place. Only one head is asked for.
@torch
- heads[:, place, cut] = new[:, place, cut]
+ heads[:, place] = new[:, place]
@tensorflow
- here[:, None] & cut
+ here[:, None]

It is the other way round: you write the head of x into the recorded tensor, and the
rest stays the donor's.
@torch
-         heads[:, place, cut] = new[:, place, cut]
-         return heads
+         new[:, place, cut] = heads[:, place, cut]
+         return new
@tensorflow
- cut, new, heads
+ cut, heads, new

Your head is one too low: heads are counted from 0.
@torch
- slice(head * size, (head + 1) * size)
+ slice((head - 1) * size, head * size)
@tensorflow
- size == head
+ size == head - 1

You take every num_heads-th column. A head has consecutive ones.
@torch
- slice(head * size, (head + 1) * size)
+ slice(head, None, num_heads)
@tensorflow
- // size == head
+ % num_heads == head

A head is as wide as d_k in your cut. What heads write is as wide as their values.
- new.shape[2] // num_heads
+ matrices[0].shape[1] // num_heads

Your output is that of x, unchanged: the edit has ended, or is not begun, when the layer
runs.
@torch
-         output, _ = layer(x, x, x)
+         pass
+     output, _ = layer(x, x, x)
@tensorflow
-         output, _ = layer(x, x, x)
+         pass
+     output, _ = layer(x, x, x)

Your output is the donor's, with nothing of x.
- layer(x, x, x)
+ layer(donor, donor, donor)

You exchange what the layer reads at this place. Its heads read it from all places: let
the layer run on x, and exchange what the head writes.
@torch
-     with edited(layer.projection, change, inputs=True):
-         output, _ = layer(x, x, x)
-     return output
+     x = x.clone()
+     x[:, place] = donor[:, place]
+     return layer(x, x, x)[0]
@tensorflow
-     with tf_edited(layer.projection, change, inputs=True):
-         output, _ = layer(x, x, x)
-     return output
+     x = tf.where(here[:, None], donor, x)
+     return layer(x, x, x)[0]

You set the head to zero. Put the donor's in its place.
@torch
- = new[:, place, cut]
+ = 0
@tensorflow
- cut, new, heads
+ cut, 0.0, heads

You add what the donor's head writes. Put it in the place of the old.
@torch
- heads[:, place, cut] = new
+ heads[:, place, cut] += new
@tensorflow
- cut, new, heads
+ cut, new + heads, heads

All texts of the batch get the head of the donor's first text. Each has a donor of its
own.
@torch
- new[:, place, cut]
+ new[:1, place, cut]
@tensorflow
- cut, new, heads
+ cut, new[:1], heads

You take the head from the donor's last place. Take it from the same place.
@torch
- = new[:, place, cut]
+ = new[:, -1, cut]
@tensorflow
- cut, new, heads
+ cut, new[:, -1:], heads
""",
    reference=reference,
    cases=cases,
    equivalent={"new = kept[-1]": "There is one run."},
)
