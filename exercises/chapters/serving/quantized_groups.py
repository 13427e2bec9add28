"""Explore: what groups cost in bits, and what they gain, on a real matrix."""

from exercises.engine.exercise import Exercise
from exercises.engine.game_model import base_model

import numpy as np

NAMES = {"gate": "gate_proj", "expand": "up_proj", "contract": "down_proj"}


def values(draw):
    """Draw a matrix, bits and a group's size that tell right from wrong groups."""
    while True:
        bits = int(draw.integers(3, 9))
        found = {
            "layer": int(draw.integers(2)),
            "name": str(draw.choice(["gate", "expand", "contract"])),
            "bits": bits,
            "most": 2 ** (bits - 1) - 1,
            "group": int(draw.choice([16, 32])),
        }
        if is_clear(**found):
            return found


def is_clear(layer, name, bits, most, group):
    """Whether other groups of as many weights lose more, or less."""
    weight = matrix(layer, name)
    right = error(weight.reshape(-1, group), most)
    other = error(weight.T.reshape(-1, group), most)
    return abs(other - right) > 0.0012 * (1 + right)


def matrix(layer, name):
    """Return the base model's matrix, (outputs, inputs)."""
    return base_model().tensors[f"layers.{layer}.mlp.{NAMES[name]}.weight"]


def largest_of(groups):
    return np.abs(groups).max(axis=1, keepdims=True)


def error(groups, most, largest_of=largest_of, whole=np.rint):
    """Return what is lost, in percent, with one scale for each row of groups."""
    scale = largest_of(groups) / most
    missed = groups - whole(groups / scale) * scale
    return float(100 * np.linalg.norm(missed) / np.linalg.norm(groups))


def costs(weight, bits, most, group, scale_bits=16, **how):
    """Return bits and error with a scale for each row, then for each group."""
    found = []
    for size in (weight.shape[1], group):
        found.append(bits + scale_bits / size)
        found.append(error(weight.reshape(-1, size), most, **how))
    return found


def reference(layer, name, bits, most, group):
    weight, found = matrix(layer, name), []
    for size in (weight.shape[1], group):
        restored = np.zeros(weight.shape)
        for at in range(0, weight.shape[1], size):
            part = weight[:, at : at + size]
            scale = np.abs(part).max(axis=1, keepdims=True) / most
            restored[:, at : at + size] = np.rint(part / scale) * scale
        scales = weight.size // size
        missed = np.linalg.norm(weight - restored) / np.linalg.norm(weight)
        found += [(bits * weight.size + 16 * scales) / weight.size, 100 * missed]
    return [float(number) for number in found]


EXERCISE = Exercise(
    title="What a group costs",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
Load the base model of the number game (`base_path()` of `readymade.data.number_game`)
and quantize the matrix of `decoder.layers[{{layer}}].feed_forward.{{name}}` to
{{bits}} bits, that is to whole numbers from −{{most}} to {{most}}: once with one scale
for each **row**, which holds the weights of one output, and once with one scale for
each **group** of {{group}} neighbours in a row. A scale is the largest absolute value
divided by {{most}}.

For each of the two, give

- the **bits** that a weight takes on average, if each scale is stored in 16 bits;
- the **error** in percent: the norm (the root of the sum of the squares) of the
  difference from the original, divided by the norm of the original. Leave out that the
  scales are rounded to 16 bits.

Give the four numbers to three decimals. (`weight` in PyTorch is (outputs, inputs),
`kernel` in TensorFlow is (inputs, outputs).)
""",
    starter="""
costs = ...  # bits and error by row, bits and error by group: [4.1, 12.3, 4.6, 7.89]
""",
    solution={
        "torch": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path())
layer = model.decoder.layers[{{layer}}].feed_forward
weight = layer.{{name}}.weight.detach()  # (outputs, inputs)


def cost(size):
    groups = weight.reshape(-1, size)
    scale = groups.abs().amax(dim=1, keepdim=True) / {{most}}
    missed = groups - torch.round(groups / scale) * scale
    error = 100 * float(missed.norm() / weight.norm())
    return [{{bits}} + 16 / size, error]


costs = cost(weight.shape[1]) + cost({{group}})
""",
        "tensorflow": """
from readymade.data import number_game as game
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(game.base_path(), "tensorflow")
layer = model.decoder.layers[{{layer}}].feed_forward
weight = tf.transpose(layer.{{name}}.kernel)  # (outputs, inputs)


def cost(size):
    groups = tf.reshape(weight, (-1, size))
    largest = tf.reduce_max(abs(groups), axis=1, keepdims=True)
    scale = largest / {{most}}
    missed = groups - tf.round(groups / scale) * scale
    error = 100 * float(tf.norm(missed) / tf.norm(weight))
    return [{{bits}} + 16 / size, error]


costs = cost(weight.shape[1]) + cost({{group}})
""",
    },
    why="""
A scale for each group follows the numbers more closely than one for each row, so less
is lost, but its own bits count. In layer 1's `contract`, 4 bits in groups of 16 take 5
bits a weight and lose 9.3 %, where rows take 4.08 and lose 15.1 %.

Compare at the same size, though: 5 bits by row take 5.08 and lose only 7.0 %. In all
six feed-forward matrices of this model, a fifth bit by row loses less than groups of 16
with four. Groups pay where a few weights are far larger than their neighbours, because
such a weight widens only the steps of its own group. Whether a matrix is like that is
something to measure.
""",
    hints=(
        "A row of `contract` has 192 weights, one of `gate` and `expand` 64. Write a "
        "function of the number of weights that share a scale.",
        "Reshape the matrix to (groups, size). Take the largest absolute value of each "
        "group, keep its axis, divide, round, and multiply again.",
        "A weight takes its own bits, and its share of the scale's 16 bits: "
        "`16 / size`.",
    ),
    mistakes="""
The errors are right, but the scales take bits, too: 16 for each row or group, shared by
its weights.
+ costs = [bits, right[1], bits, right[3]]

The errors are right. Your scales take 32 bits, as they are in memory here; they are
stored in 16.
+ costs = costs(matrix(layer, name), bits, most, group, scale_bits=32)

The errors are right. You add all 16 bits of a scale to each weight, but those of a row
or group share them.
+ costs = [bits + 16, right[1], bits + 16, right[3]]

The errors are right. For the groups you have to count their scales, which are more than
those of the rows.
+ costs = [right[0], right[1], right[0], right[3]]

The order is bits and error by row, then bits and error by group.
+ costs = [right[0], right[2], right[1], right[3]]

Your rows are those of the transposed matrix: a row holds the weights of one output, a
group neighbours in it.
+ costs = costs(matrix(layer, name).T, bits, most, group)

The rows are right, but your groups run along the wrong axis: each holds weights of
{{group}} outputs. Take neighbours within one output.
+ costs = right[:3] + costs(matrix(layer, name).T, bits, most, group)[3:]

Your scale is made of the largest number with its sign. Take the absolute values first.
+ costs = costs(
+     matrix(layer, name), bits, most, group,
+     largest_of=lambda groups: groups.max(axis=1, keepdims=True),
+ )

You use {{most}} + 1 where the largest whole number is {{most}}.
+ costs = costs(matrix(layer, name), bits, most + 1, group)

You divide by twice {{most}}, so half of the whole numbers are never used: there are
{{most}} on each side of 0.
+ costs = costs(matrix(layer, name), bits, 2 * most, group)

Your numbers are cut off. Round to the nearest whole number.
+ costs = costs(matrix(layer, name), bits, most, group, whole=np.trunc)

{{group}} is how many weights a group has. You cut each row into {{group}} groups.
+ weight = matrix(layer, name)
+ costs = costs(weight, bits, most, weight.shape[1] // group)

The errors are fractions. Give percent.
+ costs = [right[0], right[1] / 100, right[2], right[3] / 100]

Those are the errors alone. The bits of a weight are asked for, too.
+ costs = [right[1], right[3]]
""",
    reference=reference,
    values=values,
    book={"layer": 1, "name": "contract", "bits": 4, "most": 7, "group": 16},
    tolerance=0.0006,
)
