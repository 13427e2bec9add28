"""Explore: what few bits make of a real matrix, with one scale and with many."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors

import numpy as np

NAMES = {"expand": "intermediate.dense", "contract": "output.dense"}


def values(draw):
    bits = int(draw.integers(4, 9))
    return {
        "layer": int(draw.integers(6)),
        "name": str(draw.choice(["expand", "contract"])),
        "bits": bits,
        "most": 2 ** (bits - 1) - 1,
    }


def matrix(layer, name):
    """Return the published matrix, (outputs, inputs)."""
    return tensors()[f"encoder.layer.{layer}.{NAMES[name]}.weight"]


def rounded(weight, most, axis):
    """Return what the quantized matrix stands for."""
    scale = np.abs(weight).max(axis=axis, keepdims=True) / most
    return np.rint(weight / scale) * scale


@cache
def error(layer, name, most, axis):
    """Return the error with one of the scales, in percent of the weights' norm."""
    weight = matrix(layer, name)
    missed = weight - rounded(weight, most, axis)
    return 100 * np.linalg.norm(missed) / np.linalg.norm(weight)


def errors(layer, name, most, axes=(None, 1)):
    """Return the error with each of the scales."""
    return np.array([error(layer, name, most, axis) for axis in axes])


def reference(layer, name, bits, most):
    return errors(layer, name, most)


EXERCISE = Exercise(
    title="A real matrix in a few bits",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt=r"""
How much of a real matrix is lost in {{bits}} bits, that is in whole numbers from
−{{most}} to {{most}}? `load_checkpoint()` from `readymade.weights` loads MiniLM (for
TensorFlow, use `load_checkpoint(framework="tensorflow")`). Quantize the matrix of
`layers[{{layer}}].feed_forward.{{name}}`, once with **one scale for the whole matrix**
and once with **one scale for each output** of the layer. (Which axis holds the outputs?
`weight` in PyTorch is (outputs, inputs); `kernel` in TensorFlow is (inputs, outputs).)

For each, give the error in **percent**: the norm (the root of the sum of the squares)
of the difference from the original, divided by the norm of the original. Give three
decimals.
""",
    starter="""
errors = ...  # with one scale, with one for each output: [12.345, 6.789]
""",
    solution={
        "torch": """
from readymade.weights import load_checkpoint

model, _ = load_checkpoint()
layer = model.layers[{{layer}}].feed_forward.{{name}}
weight = layer.weight.detach()  # (outputs, inputs)


def error(largest):
    scale = largest / {{most}}
    missed = weight - torch.round(weight / scale) * scale
    return 100 * float(missed.norm() / weight.norm())


largest = weight.abs().amax(dim=1, keepdim=True)
errors = [error(largest.max()), error(largest)]
""",
        "tensorflow": """
from readymade.weights import load_checkpoint

model, _ = load_checkpoint(framework="tensorflow")
layer = model.layers[{{layer}}].feed_forward.{{name}}
weight = layer.kernel  # (inputs, outputs)


def error(largest):
    scale = largest / {{most}}
    missed = weight - tf.round(weight / scale) * scale
    return 100 * float(tf.norm(missed) / tf.norm(weight))


largest = tf.reduce_max(abs(weight), axis=0, keepdims=True)
errors = [error(tf.reduce_max(largest)), error(largest)]
""",
    },
    why="""
A few weights of this model are many times larger than the others, above all in the
matrices called `contract`. With one scale for the whole matrix, a single one of them
makes the steps so wide that many others are rounded to 0: 29 % of `contract` in layer 3
with 8 bits, but only 2 % with one scale for each output, where a large weight widens
the steps of its own output alone. That is why quantized models have a scale for each
output, or for each group of 32 to 128 weights.
""",
    hints=(
        "Write a function of the largest absolute values: it can be one number, or one "
        "for each output, with its axis kept.",
        "The scale is the largest absolute value divided by {{most}}. Divide, round, "
        "multiply again.",
        "One scale for each output: the maximum is taken over the inputs, axis 1 in "
        "PyTorch and axis 0 in TensorFlow.",
    ),
    mistakes="""
The first is right. Your second has one scale for each input. Take the maximum over the
inputs, so that each output has one.
+ errors = errors(layer, name, most, (None, 0))

The error with one scale for the whole matrix comes first.
+ errors = right[::-1]

Those are fractions. Give percent.
+ errors = right / 100

Those are percent of the squares: the root is missing.
+ errors = right**2 / 100

You use {{most}} + 1 where the largest whole number is {{most}}.
+ errors = errors(layer, name, most + 1)

Your scale is the largest absolute value divided by {{most}} · 2. There are {{most}}
whole numbers on each side of 0.
+ errors = errors(layer, name, 2 * most)

Your scale is the largest absolute value divided by {{most}} · 2 + 1. There are {{most}}
whole numbers on each side of 0.
+ errors = errors(layer, name, 2 * most + 1)

That is the mean absolute error in percent of the mean absolute weight. The norms are
asked for.
+ weight = matrix(layer, name)
+ missed = [weight - rounded(weight, most, axis) for axis in (None, 1)]
+ errors = [100 * abs(m).mean() / abs(weight).mean() for m in missed]

That is the largest error in percent of the largest weight. The norms are asked for.
+ weight = matrix(layer, name)
+ missed = [weight - rounded(weight, most, axis) for axis in (None, 1)]
+ errors = [100 * abs(m).max() / abs(weight).max() for m in missed]

Your numbers are cut off. Round to the nearest whole number.
+ weight, errors = matrix(layer, name), []
+ for axis in (None, 1):
+     scale = np.abs(weight).max(axis=axis, keepdims=True) / most
+     missed = weight - np.trunc(weight / scale) * scale
+     errors.append(100 * np.linalg.norm(missed) / np.linalg.norm(weight))

That is the layer before. The first layer is layer 0.
+ errors = errors((layer - 1) % 6, name, most)

That is the layer after. The first layer is layer 0.
+ errors = errors((layer + 1) % 6, name, most)

That is the other matrix of the feed-forward layer.
+ other = "expand" if name == "contract" else "contract"
+ errors = errors(layer, other, most)

Both are the same kind of scale: one for each output. The first is asked for with one
for the whole matrix.
+ errors = [right[1], right[1]]

Both have one scale for the whole matrix. The second is asked for with one for each
output.
+ errors = [right[0], right[0]]

That is how often a weight was rounded to 0. How large is the error?
+ weight = matrix(layer, name)
+ errors = [100 * (rounded(weight, most, axis) == 0).mean() for axis in (None, 1)]

Your largest weight is the largest positive one. Take the absolute values first.
+ weight, errors = matrix(layer, name), []
+ for axis in (None, 1):
+     scale = weight.max(axis=axis, keepdims=True) / most
+     missed = weight - np.rint(weight / scale) * scale
+     errors.append(100 * np.linalg.norm(missed) / np.linalg.norm(weight))

Your numbers are rounded down. Round to the nearest whole number.
+ weight, errors = matrix(layer, name), []
+ for axis in (None, 1):
+     scale = np.abs(weight).max(axis=axis, keepdims=True) / most
+     missed = weight - np.floor(weight / scale) * scale
+     errors.append(100 * np.linalg.norm(missed) / np.linalg.norm(weight))

Those are the norms of the differences. Divide by the norm of the original.
+ errors = right / 100 * np.linalg.norm(matrix(layer, name))

That is the mean of each output's own error. Take one norm over the whole matrix.
+ weight, errors = matrix(layer, name), []
+ for axis in (None, 1):
+     missed = np.linalg.norm(weight - rounded(weight, most, axis), axis=1)
+     errors.append(100 * (missed / np.linalg.norm(weight, axis=1)).mean())
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
    equivalent={
        "largest = tf.reduce_max(abs(weight), axis=0, keepdims=False)": (
            "The outputs are the last axis, so it is broadcast alike."
        ),
    },
)
