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


def heads_come_out_side_by_side(ask, draw):
    matrices = draw.normal(size=(3, 4, 2)).astype(np.float32)
    x = draw.normal(size=4).astype(np.float32)
    got, want = x @ ask(matrices), x @ matrices[1]
    if not np.allclose(got[2:4], want, atol=1e-4):
        return (
            f"With 3 heads of 2 numbers, x times your matrix has {got[2]:.2f} and "
            f"{got[3]:.2f} in places 2 and 3; head 1 gives {want[0]:.2f} and "
            f"{want[1]:.2f}."
        )
    return None


EXERCISE = Exercise(
    title="Many matrices, one product",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Each head has a matrix of its own, $W_h$, with shape (d_model, d_k). Your checkpoint
stores them on top of each other, (num_heads, d_model, d_k). Our layer wants **one**
matrix $W$, such that `x @ W` holds what all heads would give, side by side: first the
`d_k` numbers of head 0, then those of head 1, and so on.
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
The heads stand side by side, so they become **columns**: row $i$ of $W$ is row $i$ of
$W_0$, then of $W_1$, and so on. A reshape reads numbers in the order in which they lie,
and there the whole of head 0 comes before head 1. So first bring `d_model` to the
front, then reshape. `torch.cat` or `tf.concat` of the matrices along their columns does
the same.
""",
    hints=(
        "What are the first `d_k` columns of $W$?",
        "Which axis of `matrices` do the rows of $W$ count, and where does it stand?",
        "Move the axis `d_model` to the front; then a reshape joins the other two.",
    ),
    mistakes="""
The shape is right and the numbers are not: you reshaped without moving an axis. In
which order does a reshape read?
-     matrices = matrices.permute(1, 0, 2)

-     matrices = tf.transpose(matrices, (1, 0, 2))

The heads are shuffled into each other: number 0 of every head, then number 1. Each
head's numbers belong together.
- (1, 0, 2)
+ (1, 2, 0)

All heads share the weights of head 0. What would they see that one head does not?
- matrices = matrices.permute
+ matrices = matrices[:1].expand_as(matrices).permute
- tf.transpose(matrices,
+ tf.transpose(tf.repeat(matrices[:1], num_heads, 0),

The heads come out in reverse order.
- matrices.permute
+ matrices.flip(0).permute
- tf.transpose(matrices,
+ tf.transpose(matrices[::-1],

The heads are stacked as rows. Then x would have to be num_heads times as long.
-     matrices = matrices.permute(1, 0, 2)

- reshape(d_model, num_heads * d_k)
+ reshape(num_heads * d_model, d_k)

-     matrices = tf.transpose(matrices, (1, 0, 2))

- reshape(matrices, (d_model, num_heads * d_k))
+ reshape(matrices, (num_heads * d_model, d_k))
""",
    reference=reference,
    cases=cases,
    checks=(heads_come_out_side_by_side,),
)
