"""Build the gated feed-forward layer, SwiGLU, as a function."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    # small enough to follow by hand: the gate is SiLU(2), the other factor -1;
    # then so large that the exponential of a number or of its negative overflows
    for x in [2.0], [100.0, -100.0]:
        yield (
            np.array(x)[None, :, None],
            np.array([[1.0]]),
            np.array([[-0.5]]),
            np.array([[3.0]]),
        )
    for batch, length, d_model, d_ff in (
        (1, 1, 2, 3),
        (1, 4, 2, 5),
        (2, 3, 4, 6),
        (3, 2, 5, 4),
    ):
        yield (
            2 * draw.normal(size=(batch, length, d_model)),
            draw.normal(size=(d_model, d_ff)),
            draw.normal(size=(d_model, d_ff)),
            draw.normal(size=(d_ff, d_model)),
        )


def reference(x, W_gate, W_up, W_down):
    gate = x @ W_gate
    with np.errstate(over="ignore"):
        share = 1 / (1 + np.exp(-gate))
    return (gate * share * (x @ W_up)) @ W_down


def positions_are_separate(ask, draw):
    case = next(case for case in cases(draw) if case[0].shape[1] == 4)
    x, *weights = (part.astype(np.float32) for part in case)  # one sequence of four
    changed = x.copy()
    changed[0, -1] += 1
    moved = np.abs(ask(changed, *weights) - ask(x, *weights))[0, 0].max()
    if moved > 1e-4:
        return f"Position 0 moved by {moved:.2f} when only position 3 changed."
    return None


EXERCISE = Exercise(
    title="The gated layer",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt=r"""
Many of today's models use a gated feed-forward layer, SwiGLU, instead of (5.1):

$$ \text{SwiGLU}(x) = \big(\text{SiLU}(x\, W_\text{gate}) \odot x\, W_\text{up}\big)\,
W_\text{down} $$

where $\odot$ multiplies two vectors number by number. The first projection acts as a
gate: it decides how much of each number of the second passes. There are no biases.
Write the layer as a function of its input and its three matrices.
""",
    solution={
        "torch": '''
def gated(x, W_gate, W_up, W_down):
    """SwiGLU feed-forward: return (batch, length, d_model).

    x (batch, length, d_model); W_gate (d_model, d_ff);
    W_up (d_model, d_ff); W_down (d_ff, d_model).
    """
    gate = x @ W_gate
    gate = gate * torch.sigmoid(gate)
    inner = gate * (x @ W_up)
    return inner @ W_down
''',
        "tensorflow": '''
def gated(x, W_gate, W_up, W_down):
    """SwiGLU feed-forward: return (batch, length, d_model).

    x (batch, length, d_model); W_gate (d_model, d_ff);
    W_up (d_model, d_ff); W_down (d_ff, d_model).
    """
    gate = x @ W_gate
    gate = gate * tf.sigmoid(gate)
    inner = gate * (x @ W_up)
    return inner @ W_down
''',
    },
    why="""
The activation function is applied to one projection only. The other one stays linear,
and their product is the inner vector. `@` multiplies along the last axis and
leaves batch and length alone, so every position is computed separately, as before.
`torch.nn.functional.silu` and `tf.nn.silu` are SiLU, too.
""",
    hints=(
        "How many projections of `x` are there, and which of them goes through SiLU?",
        "SiLU is given in equation (5.2): its input times the sigmoid of its input.",
        "Multiply SiLU of the first projection by the second with `*`, then apply "
        "`W_down` with `@`.",
    ),
    mistakes="""
This is GLU, whose gate is the sigmoid alone. SiLU is the input times its sigmoid.
- gate = gate * torch.sigmoid(gate)
+ gate = torch.sigmoid(gate)
- gate = gate * tf.sigmoid(gate)
+ gate = tf.sigmoid(gate)

There is no activation function. What does SiLU make of the first projection?
-     gate = gate * torch.sigmoid(gate)

-     gate = gate * tf.sigmoid(gate)

`W_gate` and `W_up` have changed places: SiLU is applied to `x @ W_gate`.
@torch
-     gate = gate * torch.sigmoid(gate)
-     inner = gate * (x @ W_up)
+     up = x @ W_up
+     inner = gate * (up * torch.sigmoid(up))
@tensorflow
-     gate = gate * tf.sigmoid(gate)
-     inner = gate * (x @ W_up)
+     up = x @ W_up
+     inner = gate * (up * tf.sigmoid(up))

The activation function is applied to both projections. `x @ W_up` stays linear.
@torch
-     inner = gate * (x @ W_up)
+     up = x @ W_up
+     inner = gate * (up * torch.sigmoid(up))
@tensorflow
-     inner = gate * (x @ W_up)
+     up = x @ W_up
+     inner = gate * (up * tf.sigmoid(up))

The activation function is applied after the product. It belongs to the gate alone.
@torch
-     gate = gate * torch.sigmoid(gate)
-     inner = gate * (x @ W_up)
+     inner = gate * (x @ W_up)
+     inner = inner * torch.sigmoid(inner)
@tensorflow
-     gate = gate * tf.sigmoid(gate)
-     inner = gate * (x @ W_up)
+     inner = gate * (x @ W_up)
+     inner = inner * tf.sigmoid(inner)

The gate and the other projection are added. They should be multiplied.
- inner = gate * (x @ W_up)
+ inner = gate + x @ W_up

`W_up` is not used: this is the plain feed-forward layer with SiLU.
- inner = gate * (x @ W_up)
+ inner = gate

This is ReGLU: its gate goes through ReLU. Here it goes through SiLU.
- gate = gate * torch.sigmoid(gate)
+ gate = torch.relu(gate)
- gate = gate * tf.sigmoid(gate)
+ gate = tf.nn.relu(gate)

This is GEGLU: its gate goes through GELU. Here it goes through SiLU.
- gate = gate * torch.sigmoid(gate)
+ gate = nn.functional.gelu(gate)
- gate = gate * tf.sigmoid(gate)
+ gate = tf.nn.gelu(gate)

This gate goes through tanh. Here it goes through SiLU.
- gate = gate * torch.sigmoid(gate)
+ gate = torch.tanh(gate)
- gate = gate * tf.sigmoid(gate)
+ gate = tf.tanh(gate)

`W_down` is left out. What brings the inner vector back to `d_model` numbers?
- return inner @ W_down
+ return inner

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

The input is added to the output. That residual connection is not part of this layer
(chapter 6).
- return inner @ W_down
+ return x + inner @ W_down

Your gate is used twice: as a factor and in the other projection.
- (x @ W_up)
+ (x @ W_gate)

Your gate goes through a softmax. SiLU treats each number separately.
@torch
- gate = gate * torch.sigmoid(gate)
+ gate = torch.softmax(gate, dim=-1)
@tensorflow
- gate = gate * tf.sigmoid(gate)
+ gate = tf.nn.softmax(gate)

SiLU is applied to `x`, before the projection. It belongs to the result, `x @ W_gate`.
@torch
- gate = x @ W_gate
+ gate = (x * torch.sigmoid(x)) @ W_gate
-     gate = gate * torch.sigmoid(gate)

@tensorflow
- gate = x @ W_gate
+ gate = (x * tf.sigmoid(x)) @ W_gate
-     gate = gate * tf.sigmoid(gate)

The sign in your sigmoid's exponential is wrong: σ(z) is 1 / (1 + exp(−z)).
@torch
- torch.sigmoid(gate)
+ torch.sigmoid(-gate)
@tensorflow
- tf.sigmoid(gate)
+ tf.sigmoid(-gate)

`*` and `@` bind equally, and Python works from the left: the gate is multiplied by `x`.
Put parentheses around `x @ W_up`.
- inner = gate * (x @ W_up)
+ inner = gate * x @ W_up

`@` multiplies matrices. Gate and projection are multiplied number by number, with `*`.
- inner = gate * (x @ W_up)
+ inner = gate @ (x @ W_up)

`W_gate` is not used: this is the plain feed-forward layer with SiLU.
@torch
- inner = gate * (x @ W_up)
+ up = x @ W_up
+     inner = up * torch.sigmoid(up)
@tensorflow
- inner = gate * (x @ W_up)
+ up = x @ W_up
+     inner = up * tf.sigmoid(up)
""",
    reference=reference,
    cases=cases,
    learns=True,
    checks=(positions_are_separate,),
)
