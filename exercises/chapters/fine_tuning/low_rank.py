"""Build a layer with several low-rank adapters, of which each row has its own."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_in, d_out, rank, adapters in (
        (1, 1, 1, 1, 1, 1),
        (1, 2, 3, 2, 1, 2),
        (2, 3, 4, 5, 2, 4),
        (3, 2, 5, 3, 4, 5),
        (4, 1, 2, 6, 3, 6),
    ):
        which = draw.permutation(adapters)[:batch]
        if which[0] == 0:  # no row has the adapter of its own number
            which = (which + 1) % adapters
        if batch > 3:
            which[3] = which[0]
        yield (
            draw.normal(size=(batch, length, d_in)),
            draw.normal(size=(d_in, d_out)),
            draw.normal(size=(adapters, d_in, rank)),
            draw.normal(size=(adapters, rank, d_out)),
            float(draw.uniform(5, 9)),
            which,
        )


def reference(x, weight, A, B, alpha, which):
    rows = []
    for row, adapter in zip(x, which, strict=True):
        merged = weight + alpha / A.shape[2] * A[adapter] @ B[adapter]
        rows.append(row @ merged)
    return np.stack(rows)


EXERCISE = Exercise(
    title="One model, many adapters",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
LoRA leaves the weight $W$ as it is and adds a product of two narrow matrices:

$$ y = x\, W + \frac{\alpha}{r}\; x\, A\, B $$

Here $W$ has the shape ($d_\text{in}$, $d_\text{out}$), as in Keras, $A$ has
($d_\text{in}$, $r$) and $B$ has ($r$, $d_\text{out}$); in the chapter's formula all
three are transposed. Since $A$ and $B$ are small, one copy of a model can serve many
fine-tuned versions at once. Write a layer for that: `A` and `B` hold the matrices of
several adapters, and `which` says, for each row of the batch, which adapter it uses.
It can be done without a loop over the rows.
""",
    solution={
        "torch": '''
def lora(x, weight, A, B, alpha, which):
    """Return (batch, length, d_out).

    x (batch, length, d_in); weight (d_in, d_out);
    A (adapters, d_in, r); B (adapters, r, d_out);
    which (batch,), integers.
    """
    scale = alpha / A.shape[2]
    change = x @ A[which] @ B[which]
    return x @ weight + scale * change
''',
        "tensorflow": '''
def lora(x, weight, A, B, alpha, which):
    """Return (batch, length, d_out).

    x (batch, length, d_in); weight (d_in, d_out);
    A (adapters, d_in, r); B (adapters, r, d_out);
    which (batch,), integers.
    """
    scale = alpha / A.shape[2]
    change = x @ tf.gather(A, which) @ tf.gather(B, which)
    return x @ weight + scale * change
''',
    },
    why=r"""
$x W + \frac{\alpha}{r} x A B = x \big(W + \frac{\alpha}{r} A B\big)$, so one adapter
can be merged into the weight, and the model is then as fast as before. With several in
one batch, nothing is merged: every row shares $x W$, and only the narrow products
differ. Multiply from the left, $(x A) B$: with $r$ much smaller than $d$, this takes
far fewer multiplications than $x (A B)$.
""",
    hints=(
        "`A[which]` in PyTorch and `tf.gather(A, which)` in TensorFlow pick a matrix "
        "for each row: (batch, d_in, r).",
        "`@` multiplies a batch of matrices by a batch of matrices, row by row.",
        "The rank r is the last size of `A`. Only the change is scaled by alpha / r.",
    ),
    mistakes="""
The scale alpha / r is left out.
- scale * change
+ change

The change is scaled by alpha. Divide by the rank, too.
- alpha / A.shape[2]
+ alpha

The change is divided by the rank. Multiply it by alpha, too.
- alpha / A.shape[2]
+ 1 / A.shape[2]

Your scale is r / alpha. It should be alpha / r.
- alpha / A.shape[2]
+ A.shape[2] / alpha

You divide by the square root of the rank. Here it is the rank itself.
- alpha / A.shape[2]
+ alpha / A.shape[2] ** 0.5

You divide by `d_in`. The rank is the last size of `A`.
- A.shape[2]
+ A.shape[1]

You divide by the number of adapters. The rank is the last size of `A`.
- A.shape[2]
+ A.shape[0]

You divide by `d_out`. The rank is the last size of `A`.
- A.shape[2]
+ B.shape[2]

You multiply by the rank. Divide by it.
- alpha / A
+ alpha * A

The frozen part `x @ weight` is left out.
- x @ weight + scale
+ scale

The change is left out.
- x @ weight + scale * change
+ x @ weight

The scale applies to the change alone. You scale the frozen part, too.
- x @ weight + scale * change
+ scale * (x @ weight + change)

The scale is applied to the frozen part instead of the change.
- x @ weight + scale * change
+ scale * (x @ weight) + change

The change is subtracted. Add it.
- weight + scale
+ weight - scale

Each of the two products is scaled, so the scale counts twice.
- scale * change
+ scale * scale * change

Every row uses the first adapter. `which` names the one of each row.
@torch
- A[which] @ B[which]
+ A[0] @ B[0]
@tensorflow
- tf.gather(A, which) @ tf.gather(B, which)
+ A[0] @ B[0]

Every row uses the adapter of the first row.
@torch
- A[which] @ B[which]
+ A[which[0]] @ B[which[0]]
@tensorflow
- tf.gather(A, which) @ tf.gather(B, which)
+ A[which[0]] @ B[which[0]]

Each row uses the adapter of its own number. `which` names the one that it needs.
@torch
- A[which] @ B[which]
+ A[: len(x)] @ B[: len(x)]
@tensorflow
- tf.gather(A, which) @ tf.gather(B, which)
+ A[: len(x)] @ B[: len(x)]

The rows of `A` are chosen by `which`, those of `B` are not.
@torch
- B[which]
+ B[: len(x)]
@tensorflow
- tf.gather(B, which)
+ B[: len(x)]

The rows of `B` are chosen by `which`, those of `A` are not.
@torch
- A[which]
+ A[: len(x)]
@tensorflow
- tf.gather(A, which)
+ A[: len(x)]

Every row gets the sum of all adapters.
@torch
- x @ A[which] @ B[which]
+ x @ (A @ B).sum(0)
@tensorflow
- x @ tf.gather(A, which) @ tf.gather(B, which)
+ x @ tf.reduce_sum(A @ B, 0)

Every row gets the mean of all adapters.
@torch
- x @ A[which] @ B[which]
+ x @ (A @ B).mean(0)
@tensorflow
- x @ tf.gather(A, which) @ tf.gather(B, which)
+ x @ tf.reduce_mean(A @ B, 0)

There is no activation function between A and B.
@torch
- x @ A[which] @ B[which]
+ torch.relu(x @ A[which]) @ B[which]
@tensorflow
- x @ tf.gather(A, which) @ tf.gather(B, which)
+ tf.nn.relu(x @ tf.gather(A, which)) @ tf.gather(B, which)

Every row gets the mean of the adapters that the batch uses.
@torch
- change = x @ A[which] @ B[which]
+ change = A[which] @ B[which]
- x @ weight + scale * change
+ x @ (weight + scale * change.mean(0))
@tensorflow
- change = x @ tf.gather(A, which) @ tf.gather(B, which)
+ change = tf.gather(A, which) @ tf.gather(B, which)
- x @ weight + scale * change
+ x @ (weight + scale * tf.reduce_mean(change, 0))

You divide with `//`, which rounds down to a whole number.
- alpha / A
+ alpha // A

The frozen part is multiplied by the change. Add the two.
- weight + scale * change
+ weight * (scale * change)

There is no tanh between A and B.
@torch
- x @ A[which] @ B[which]
+ torch.tanh(x @ A[which]) @ B[which]
@tensorflow
- x @ tf.gather(A, which) @ tf.gather(B, which)
+ tf.tanh(x @ tf.gather(A, which)) @ tf.gather(B, which)

You divide by the number of rows in the batch. The rank is the last size of `A`.
- A.shape[2]
+ len(which)

Each row has its own `A`, but all have the `B` of the first adapter.
- B[which]
+ B[0]
- tf.gather(B, which)
+ B[0]

Each row has its own `B`, but all have the `A` of the first adapter.
- A[which]
+ A[0]
- tf.gather(A, which)
+ A[0]

Every row gets the mean of all `A` times the mean of all `B`. `which` names the adapter
of each row.
@torch
- A[which] @ B[which]
+ A.mean(0) @ B.mean(0)
@tensorflow
- tf.gather(A, which) @ tf.gather(B, which)
+ tf.reduce_mean(A, 0) @ tf.reduce_mean(B, 0)

`which` picks rows of the matrices in your answer. It picks adapters, the first axis.
@torch
- A[which] @ B[which]
+ A[:, which] @ B[:, which]
@tensorflow
- tf.gather(A, which) @ tf.gather(B, which)
+ tf.gather(A, which, axis=1) @ tf.gather(B, which, axis=1)
""",
    reference=reference,
    cases=cases,
    equivalent={
        "scale = alpha / B.shape[1]": "The rank is that of B, too.",
    },
)
