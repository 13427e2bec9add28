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


def reference(weights, gradients, rate, decay, num_frozen):
    after = weights.astype(np.float64)
    for layer in reversed(range(num_frozen, len(weights))):
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

A model that is fine-tuned with it forgets much of what it had learned in pretraining.
Find the bug and repair it.
""",
    bug="The first layers learn fastest",
    solution={
        "torch": '''
def step(weights, gradients, rate, decay, num_frozen):
    """Return the weights after one step.

    weights, gradients (num_layers, d_in, d_out).
    """
    last = len(weights) - 1
    layer = torch.arange(last + 1)
    rates = rate * decay ** (last - layer)
    rates = torch.where(layer < num_frozen, 0.0, rates)
    return weights - rates[:, None, None] * gradients
''',
        "tensorflow": '''
def step(weights, gradients, rate, decay, num_frozen):
    """Return the weights after one step.

    weights, gradients (num_layers, d_in, d_out).
    """
    last = len(weights) - 1
    layer = tf.range(last + 1.0)
    rates = rate * decay ** (last - layer)
    rates = tf.where(layer < num_frozen, 0.0, rates)
    return weights - rates[:, None, None] * gradients
''',
    },
    why="""
The exponent is the number of layers above: 0 for the last layer, and one more for each
layer further down. The first layers hold what serves every task, such as the forms of
words, so they should change least. With the decay the other way round, they change
most, and no error is raised. Freezing is the limit of the same idea: a rate of 0.
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
- weights - rates
+ weights + rates

You return the change of the weights. The new weights are asked for.
- weights - rates
+ -rates

The frozen layers are set to 0. They should stay as they are.
@torch
- return weights
+ weights = weights * (layer >= num_frozen)[:, None, None]
+     return weights
@tensorflow
- return weights
+ kept = tf.cast(layer >= num_frozen, tf.float32)
+     weights = weights * kept[:, None, None]
+     return weights

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
""",
    reference=reference,
    cases=cases,
    equivalent={
        "last = len(gradients) - 1": "Every layer has a gradient.",
    },
)
