"""Build one matrix out of a matrix for each head."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for num_heads, d_model, d_k in (
        (1, 2, 1),
        (2, 3, 1),
        (2, 4, 2),  # as in the paper, d_model = num_heads · d_k
        (3, 3, 2),
        (2, 3, 4),
        (3, 5, 2),
    ):
        yield (draw.normal(size=(num_heads, d_model, d_k)),)


def reference(matrices):
    return np.concatenate(list(matrices), axis=1)


def heads_are_side_by_side(ask, draw):
    matrices = draw.normal(size=(3, 4, 2)).astype(np.float32)
    x = draw.normal(size=4).astype(np.float32)
    got, want = x @ ask(matrices), x @ matrices[1]
    if not np.allclose(got[2:4], want, atol=1e-4):
        return (
            f"With 3 heads of 2 numbers, places 2 and 3 of x times your matrix are "
            f"{got[2]:.2f} and {got[3]:.2f}; the query of head 1 is {want[0]:.2f} and "
            f"{want[1]:.2f}."
        )
    return None


EXERCISE = Exercise(
    title="Many matrices, one product",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Head $i$ has its own query matrix $W_i$ with shape (d_model, d_k). A checkpoint stores
these matrices as one stack with shape (num_heads, d_model, d_k). Our layer needs
**one** matrix $W$ such that `x @ W` contains the queries of all heads side by side:
first the `d_k` numbers of head 0, then those of head 1, and so on.
""",
    solution={
        "torch": '''
def one_matrix(matrices):
    """Return (d_model, num_heads * d_k).

    matrices (num_heads, d_model, d_k).
    """
    num_heads, d_model, d_k = matrices.shape
    matrices = matrices.permute(1, 0, 2)
    return matrices.reshape(d_model, num_heads * d_k)
''',
        "tensorflow": '''
def one_matrix(matrices):
    """Return (d_model, num_heads * d_k).

    matrices (num_heads, d_model, d_k).
    """
    num_heads, d_model, d_k = matrices.shape
    matrices = tf.transpose(matrices, (1, 0, 2))
    return tf.reshape(matrices, (d_model, num_heads * d_k))
''',
    },
    why="""
The heads are side by side, so they become **columns**: each row of $W$ consists of that
row of $W_0$, then that row of $W_1$, and so on. A reshape keeps the numbers in their
order, and in the stack all of head 0 comes before head 1. So first move `d_model` to
the front, then reshape. Concatenating the matrices along their last axis with
`torch.cat` or `tf.concat` gives the same result.
""",
    hints=(
        "What are the first `d_k` columns of $W$?",
        "Which axis of `matrices` becomes the rows of $W$, and where is it now?",
        "Move the axis `d_model` to the front. A reshape can then join the other two.",
    ),
    mistakes="""
The shape is right, but the numbers are in the wrong places: you reshaped without moving
an axis. In which order does a reshape read the numbers?
-     matrices = matrices.permute(1, 0, 2)

-     matrices = tf.transpose(matrices, (1, 0, 2))

The heads are interleaved: column 0 of every head, then column 1. The columns of one
head belong together.
- (1, 0, 2)
+ (1, 2, 0)

All heads share the weights of head 0, so they all compute the same thing.
- matrices = matrices.permute
+ matrices = matrices[:1].expand_as(matrices).permute
- tf.transpose(matrices,
+ tf.transpose(tf.repeat(matrices[:1], num_heads, 0),

The heads are in reverse order.
- matrices.permute
+ matrices.flip(0).permute
- tf.transpose(matrices,
+ tf.transpose(matrices[::-1],

The heads are stacked as rows. Then `x` would have to be num_heads times as long.
-     matrices = matrices.permute(1, 0, 2)

- reshape(d_model, num_heads * d_k)
+ reshape(num_heads * d_model, d_k)

-     matrices = tf.transpose(matrices, (1, 0, 2))

- reshape(matrices, (d_model, num_heads * d_k))
+ reshape(matrices, (num_heads * d_model, d_k))

Your matrix is transposed. It should have `d_model` rows, and `d_k` columns for each
head.
- return matrices.reshape(d_model, num_heads * d_k)
+ return matrices.reshape(d_model, num_heads * d_k).T
- return tf.reshape(matrices, (d_model, num_heads * d_k))
+ return tf.transpose(tf.reshape(matrices, (d_model, num_heads * d_k)))

The axes are in the right order, but a matrix has two. Join heads and `d_k`.
-     return matrices.reshape(d_model, num_heads * d_k)
+     return matrices
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     return matrices

You reshape to a matrix with `d_k` rows for each head, and transpose it. A reshape reads
the numbers of each (d_model, d_k) row by row.
@torch
-     matrices = matrices.permute(1, 0, 2)
-     return matrices.reshape(d_model, num_heads * d_k)
+     return matrices.reshape(num_heads * d_k, d_model).T
@tensorflow
-     matrices = tf.transpose(matrices, (1, 0, 2))
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     return tf.transpose(tf.reshape(matrices, (num_heads * d_k, d_model)))

You swap `d_model` and `d_k`, and the heads stay in front. The axis that becomes the
rows is `d_model`.
- (1, 0, 2)
+ (0, 2, 1)

You reverse all three axes. Only `d_model` moves, to the front.
- (1, 0, 2)
+ (2, 1, 0)

You moved `d_k` to the front. The axis that becomes the rows is `d_model`.
- (1, 0, 2)
+ (2, 0, 1)

You moved `d_k` to the front and joined it with the heads. The matrix should have
`d_model` rows.
@torch
- matrices.permute(1, 0, 2)
+ matrices.permute(2, 0, 1)
- (d_model, num_heads * d_k)
+ (num_heads * d_k, d_model)
@tensorflow
- (1, 0, 2)
+ (2, 0, 1)
- (d_model, num_heads * d_k)
+ (num_heads * d_k, d_model)

Your matrix is block diagonal, so each head would read a part of `x` of its own. All
heads read the whole `x`: their matrices stand side by side.
@torch
-     matrices = matrices.permute(1, 0, 2)
-     return matrices.reshape(d_model, num_heads * d_k)
+     return torch.block_diag(*matrices)
@tensorflow
-     matrices = tf.transpose(matrices, (1, 0, 2))
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     matrices = tf.einsum("hmk,hg->hmgk", matrices, tf.eye(num_heads))
+     return tf.reshape(matrices, (num_heads * d_model, num_heads * d_k))

You average the matrices of the heads. Each head keeps its own columns.
@torch
-     matrices = matrices.permute(1, 0, 2)
-     return matrices.reshape(d_model, num_heads * d_k)
+     return matrices.mean(0)
@tensorflow
-     matrices = tf.transpose(matrices, (1, 0, 2))
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     return tf.reduce_mean(matrices, 0)

You add the matrices of the heads. Each head keeps its own columns.
@torch
-     matrices = matrices.permute(1, 0, 2)
-     return matrices.reshape(d_model, num_heads * d_k)
+     return matrices.sum(0)
@tensorflow
-     matrices = tf.transpose(matrices, (1, 0, 2))
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     return tf.reduce_sum(matrices, 0)

Your matrix has a row for each head. Its rows belong to `d_model`, as many as `x` has
numbers.
@torch
-     matrices = matrices.permute(1, 0, 2)
-     return matrices.reshape(d_model, num_heads * d_k)
+     return matrices.flatten(1)
@tensorflow
-     matrices = tf.transpose(matrices, (1, 0, 2))
-     return tf.reshape(matrices, (d_model, num_heads * d_k))
+     return tf.reshape(matrices, (num_heads, d_model * d_k))
""",
    reference=reference,
    cases=cases,
    checks=(heads_are_side_by_side,),
)
