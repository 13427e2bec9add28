"""Find the bug: rates that decay from the wrong end of the stack."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for num_layers, d_in, d_out, num_frozen in (
        (1, 1, 1, 0),
        (2, 2, 1, 0),
        (3, 2, 3, 1),
        (4, 3, 2, 2),
        (5, 1, 2, 0),
        (6, 2, 2, 3),
    ):
        yield (
            draw.normal(size=(num_layers, d_in, d_out)),
            2 + draw.uniform(size=(num_layers, d_in, d_out)),
            float(draw.uniform(0.3, 0.5)),
            float(draw.uniform(0.6, 0.8)),
            num_frozen,
        )


def reference(stack, gradients, rate, decay, num_frozen):
    after = stack.astype(np.float64)
    for layer in reversed(range(num_frozen, len(stack))):
        after[layer] -= rate * gradients[layer]
        rate = rate * decay
    return after.astype(np.float32)


EXERCISE = Exercise(
    title="A rate for each layer",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
This function makes one step of gradient descent with **layer-wise learning rates**. Of
a stack of layers, the last should learn at the full `rate`, and every layer below it at
`decay` times the rate of the layer above. The first `num_frozen` layers should stay as
they are.

With it, the first layers change most. Find the bug and repair it.
""",
    bug="The first layers learn fastest",
    solution={
        "torch": '''
def layer_step(
    stack, gradients, rate, decay, num_frozen
):
    """Return the stack after one step.

    stack, gradients (num_layers, d_in, d_out).
    """
    last = len(stack) - 1
    layer = torch.arange(last + 1)
    rates = rate * decay ** (last - layer)
    rates = torch.where(layer < num_frozen, 0.0, rates)
    return stack - rates[:, None, None] * gradients
''',
        "tensorflow": '''
def layer_step(
    stack, gradients, rate, decay, num_frozen
):
    """Return the stack after one step.

    stack, gradients (num_layers, d_in, d_out).
    """
    last = len(stack) - 1
    layer = tf.range(last + 1.0)
    rates = rate * decay ** (last - layer)
    rates = tf.where(layer < num_frozen, 0.0, rates)
    return stack - rates[:, None, None] * gradients
''',
    },
    why="""
The exponent is the number of layers above: 0 for the last layer, and one more for each
layer further down. The idea is that the first layers tend to hold what serves many
tasks, so they should change least. With the decay the other way round, they get the
highest rate, and no error is raised. Freezing is the limit of this idea: a rate of 0.
""",
    hints=(
        "Take three layers and `decay` = 0.5. Which rates should they have, and which "
        "do they get?",
        "The last layer should have the exponent 0.",
        "The exponent is the number of layers above, `last - layer`.",
    ),
    mistakes="""
The first layers learn fastest: the decay starts at the wrong end of the stack.
- (last - layer)
+ layer

Now the exponent is negative: every layer learns faster than the one above it.
- (last - layer)
+ (layer - last)

The decay starts from the first layer that is trained. It should start from the last.
- (last - layer)
+ (layer - num_frozen)

The decay is right now, but you freeze the last layers instead of the first.
- layer < num_frozen
+ layer > last - num_frozen

Both ends are swapped: the first layers learn fastest, and the last ones are frozen.
- (last - layer)
+ layer
- layer < num_frozen
+ layer > last - num_frozen

The last layer should learn at the full rate. You start with the exponent 1.
- (last - layer)
+ (last + 1 - layer)

No layer is frozen any more.
- layer < num_frozen
+ layer < 0

One layer too many is frozen: layers are counted from 0.
- layer < num_frozen
+ layer <= num_frozen

One layer too few is frozen.
- layer < num_frozen
+ layer < num_frozen - 1

Every layer learns at the full rate.
- decay ** (last - layer)
+ decay ** (0 * layer)

Every trained layer learns at the rate of the lowest.
- decay ** (last - layer)
+ decay ** (last - num_frozen + 0 * layer)

The rate is multiplied by `decay` once for each layer below the last: use a power, not a
multiple of `decay`.
- decay ** (last - layer)
+ decay * (last - layer)

The rate falls by the same difference from layer to layer. It should fall by the same
factor.
- decay ** (last - layer)
+ (1 - (1 - decay) * (last - layer))

You multiply by `1 - decay` for each layer. Multiply by `decay`.
- decay ** (last - layer)
+ (1 - decay) ** (last - layer)

The power is taken of `rate * decay`. Only `decay` is raised to it.
- rate * decay ** (last - layer)
+ (rate * decay) ** (last - layer)

Your step goes uphill: gradient descent subtracts.
- stack - rates
+ stack + rates

You return the change alone. The new stack is asked for.
- stack - rates
+ -rates

The frozen layers are set to 0. They should stay as they are.
@torch
- return stack
+ stack = stack * (layer >= num_frozen)[:, None, None]
+     return stack
@tensorflow
- return stack
+ kept = tf.cast(layer >= num_frozen, tf.float32)
+     stack = stack * kept[:, None, None]
+     return stack

Every layer below the last has the same rate. Each should have `decay` times the rate of
the layer above.
@torch
- (last - layer)
+ (layer < last)
@tensorflow
- (last - layer)
+ tf.cast(layer < last, tf.float32)

Only the last layer is trained now.
- layer < num_frozen
+ layer < last

The exponent is counted from the wrong number of layers: above the last there is none.
- (last - layer)
+ (last - layer - 1)

The last layer no longer learns.
- layer < num_frozen
+ (layer < num_frozen) | (layer == last)

The first layer learns at the full rate, and every layer above it at a higher one.
- decay ** (last - layer)
+ decay ** -layer

The frozen layers learn at the full rate now. Their rate is 0.
- layer < num_frozen, 0.0
+ layer < num_frozen, rate

`rate` itself is left out.
- rate * decay
+ decay

The frozen layers are missing in what you return. They stay as they are.
- return stack - rates[:, None, None] * gradients
+ return (stack - rates[:, None, None] * gradients)[num_frozen:]

You subtract `decay` from the rate once for each layer. Multiply by it.
- rate * decay ** (last - layer)
+ rate - decay * (last - layer)

You freeze the last layers instead of the first, and all of them if `num_frozen` is 0.
- layer < num_frozen
+ layer > last - (num_frozen or last + 1)

You count layers from 1: the exponents are one too large, and one layer too many is
frozen.
- (last - layer)
+ (last + 1 - layer)
- layer < num_frozen
+ layer <= num_frozen

The first layers still learn fastest, and now one layer too many is frozen.
- (last - layer)
+ layer
- layer < num_frozen
+ layer <= num_frozen

You train the first `num_frozen` layers and freeze all others. It should be the other
way round.
- layer < num_frozen
+ layer >= num_frozen

The first layers still learn fastest, and now only those that should be frozen learn.
- (last - layer)
+ layer
- layer < num_frozen
+ layer >= num_frozen

The frozen layers do not change the exponent: that of the last layer is 0.
- (last - layer)
+ (last - num_frozen - layer)

A rate of 1 does not freeze a layer. Its rate should be 0.
- layer < num_frozen, 0.0
+ layer < num_frozen, 1.0

Your step also shrinks the weights, as weight decay does. Subtract the gradients only.
- return stack - rates[:, None, None] * gradients
+ return stack - rates[:, None, None] * (stack + gradients)

You return what has to be subtracted. The new stack is asked for.
- stack - rates
+ rates

Your rates are laid along the last axis. They belong to the layers: give them two more
axes.
- rates[:, None, None]
+ rates
""",
    reference=reference,
    cases=cases,
    equivalent={
        "last = len(gradients) - 1": "Every layer has a gradient.",
    },
)
