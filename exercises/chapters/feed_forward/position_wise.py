"""Build the position-wise feed-forward network as a function."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    # small enough to follow by hand: the inner numbers are 5 and -1
    yield (
        np.array([[[2.0]]]),
        np.array([[3.0, -1.0]]),
        np.array([-1.0, 1.0]),
        np.array([[1.0], [2.0]]),
        np.array([-7.0]),
    )
    for batch, length, d_model, d_ff in (
        (1, 1, 2, 3),
        (1, 4, 2, 5),
        (2, 3, 4, 6),
        (3, 2, 5, 4),
    ):
        yield (
            3 * draw.normal(size=(batch, length, d_model)),
            draw.normal(size=(d_model, d_ff)),
            draw.normal(size=d_ff),
            draw.normal(size=(d_ff, d_model)),
            draw.normal(size=d_model),
        )


def reference(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2


def positions_are_alone(ask, draw):
    case = next(case for case in cases(draw) if case[0].shape[1] > 1)
    x, *weights = (part.astype(np.float32) for part in case)  # one sequence of four
    changed = x.copy()
    changed[0, -1] += 1
    moved = np.abs(ask(changed, *weights) - ask(x, *weights))[0, 0].max()
    if moved > 1e-4:
        return f"Position 0 moved by {moved:.2f} when only position 3 changed."
    return None


EXERCISE = Exercise(
    title="Widen, bend, narrow",
    kind="build",
    difficulty=1,
    minutes=5,
    prompt="""
Write the paper's feed-forward network, equation (5.1), as a function of its input and
its four weights. The bend is ReLU. Every position goes through the same two matrices.
""",
    solution={
        "torch": '''
def position_wise(x, W_1, b_1, W_2, b_2):
    """Return (batch, length, d_model), each position alone.

    x (batch, length, d_model); W_1 (d_model, d_ff);
    b_1 (d_ff,); W_2 (d_ff, d_model); b_2 (d_model,).
    """
    inner = torch.relu(x @ W_1 + b_1)
    return inner @ W_2 + b_2
''',
        "tensorflow": '''
def position_wise(x, W_1, b_1, W_2, b_2):
    """Return (batch, length, d_model), each position alone.

    x (batch, length, d_model); W_1 (d_model, d_ff);
    b_1 (d_ff,); W_2 (d_ff, d_model); b_2 (d_model,).
    """
    inner = tf.nn.relu(x @ W_1 + b_1)
    return inner @ W_2 + b_2
''',
    },
    why="""
`@` multiplies the last axis and leaves batch and length alone: that is all there is to
"position-wise". Each position is widened, bent and brought back by itself.
""",
    hints=(
        "How many matrix products does equation (5.1) hold?",
        "What stands between the two products, and what would happen without it?",
        "Bend `x @ W_1 + b_1`, and give that to the second matrix.",
    ),
    mistakes="""
There is no bend between the matrices: together they are one matrix.
- torch.relu(x @ W_1 + b_1)
+ x @ W_1 + b_1
- tf.nn.relu(x @ W_1 + b_1)
+ x @ W_1 + b_1

The bend comes before `b_1` is added. What does it bend, then?
- relu(x @ W_1 + b_1)
+ relu(x @ W_1) + b_1

Your output is never negative: is there a bend at the end, too?
@torch
- return inner @ W_2 + b_2
+ return torch.relu(inner @ W_2 + b_2)
@tensorflow
- return inner @ W_2 + b_2
+ return tf.nn.relu(inner @ W_2 + b_2)

The bias `b_1` is left out.
- x @ W_1 + b_1
+ x @ W_1

The bias `b_2` is left out.
- inner @ W_2 + b_2
+ inner @ W_2

Your layer mixes positions. Each has to be computed from itself alone.
@torch
-     return
+     inner = inner.mean(1, keepdim=True) + 0 * inner
+     return
@tensorflow
-     return
+     mean = tf.reduce_mean(inner, 1, keepdims=True)
+     inner = mean + 0 * inner
+     return

The residual is added already. That is the work of the layer around it (chapter 6).
- return inner @ W_2 + b_2
+ return x + inner @ W_2 + b_2
""",
    reference=reference,
    cases=cases,
    checks=(positions_are_alone,),
)
