"""Build a pre-LN stack of sublayers, with the norm that it needs at the end."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for length, d_model, depth in ((1, 2, 1), (3, 4, 1), (2, 3, 2), (4, 5, 3)):
        yield (
            20 * draw.normal(size=(length, d_model)) + 1,
            draw.normal(size=(depth, d_model, d_model)),
        )


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def reference(x, kernels):
    for kernel in kernels:
        x = x + np.tanh(norm(x) @ kernel)
    return norm(x)


LAST = "Axis 1 is the last."

EXERCISE = Exercise(
    title="Assemble a pre-LN stack",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
The starter has a function `norm` and, for each matrix in `kernels`, a sublayer.
Assemble a **pre-LN** stack from them. The residual stream runs from the input to the
end without being normalized on the way; only its last state is.
""",
    starter={
        "torch": '''
def stack(x, kernels):
    """Return the output of all layers (length, d_model).

    x (length, d_model); kernels (depth, d_model, d_model).
    """

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    for kernel in kernels:

        def sublayer(y):
            return torch.tanh(y @ kernel)

        x = ...
    return ...
''',
        "tensorflow": '''
def stack(x, kernels):
    """Return the output of all layers (length, d_model).

    x (length, d_model); kernels (depth, d_model, d_model).
    """

    def norm(x):
        x = x - tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(x**2, -1, keepdims=True)
        return x / tf.sqrt(variance + 1e-5)

    for kernel in kernels:

        def sublayer(y):
            return tf.tanh(y @ kernel)

        x = ...
    return ...
''',
    },
    solution={
        "torch": '''
def stack(x, kernels):
    """Return the output of all layers (length, d_model).

    x (length, d_model); kernels (depth, d_model, d_model).
    """

    def norm(x):
        return nn.functional.layer_norm(x, x.shape[-1:])

    for kernel in kernels:

        def sublayer(y):
            return torch.tanh(y @ kernel)

        x = x + sublayer(norm(x))
    return norm(x)
''',
        "tensorflow": '''
def stack(x, kernels):
    """Return the output of all layers (length, d_model).

    x (length, d_model); kernels (depth, d_model, d_model).
    """

    def norm(x):
        x = x - tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(x**2, -1, keepdims=True)
        return x / tf.sqrt(variance + 1e-5)

    for kernel in kernels:

        def sublayer(y):
            return tf.tanh(y @ kernel)

        x = x + sublayer(norm(x))
    return norm(x)
''',
    },
    why=r"""
A sublayer reads a normalized copy and adds its output to the original:
$x + f(\text{norm}(x))$. So the gradient has a path through all layers on which it
passes unchanged. No layer normalizes the last sum, so the stack gets one more norm at
its end. A post-LN stack does not. Adding to the normalized copy
[looks almost the same](https://github.com/pytorch/pytorch/issues/61165), but it
interrupts that path.
""",
    hints=(
        "In pre-LN, what does the sublayer read, and what is its output added to?",
        "One line combines `x`, `norm` and `sublayer`.",
        "`x + sublayer(norm(x))` in the loop. Which sum has not been normalized then?",
    ),
    mistakes="""
The residual is taken after the norm: the output is added to the normalized copy. To
which x should it be added?
-         x = x + sublayer(norm(x))
+         x = norm(x)
+         x = x + sublayer(x)

The last sum is not normalized. No layer does this, so the stack must.
- return norm(x)
+ return x

That is post-LN, as in the paper: each sum is normalized. Here only the last sum is.
- x = x + sublayer(norm(x))
+ x = norm(x + sublayer(x))

The residual is taken after the norm, and the last sum is not normalized: two mistakes
at once.
-         x = x + sublayer(norm(x))
+         x = norm(x)
+         x = x + sublayer(x)
- return norm(x)
+ return x

Nothing is normalized, neither what the sublayers read nor the last sum.
- x = x + sublayer(norm(x))
+ x = x + sublayer(x)
- return norm(x)
+ return x

You normalized the sublayer's output. In pre-LN it is the input that is normalized.
- x = x + sublayer(norm(x))
+ x = x + norm(sublayer(x))

The sublayers read the stream itself. In pre-LN they read a normalized copy.
- x = x + sublayer(norm(x))
+ x = x + sublayer(x)

There is no residual connection: each layer replaces what it read.
- x = x + sublayer(norm(x))
+ x = sublayer(norm(x))

There is no residual connection, and the last output is not normalized.
- x = x + sublayer(norm(x))
+ x = sublayer(norm(x))
- return norm(x)
+ return x

All sublayers read the first input instead of the sum that the layers before them left.
-     for kernel
+     first = x
+     for kernel
- sublayer(norm(x))
+ sublayer(norm(first))

Each output is added to the first input: the stream loses what the layers before added.
-     for kernel
+     first = x
+     for kernel
- x = x + sublayer
+ x = first + sublayer

Both the input and the sum are normalized: pre-LN and post-LN at once.
- x = x + sublayer(norm(x))
+ x = norm(x + sublayer(norm(x)))

Both the sublayer's input and its output are normalized. In pre-LN only the input is.
- x = x + sublayer(norm(x))
+ x = x + norm(sublayer(norm(x)))

The input is added twice: once as it is and once normalized.
- x = x + sublayer(norm(x))
+ x = x + norm(x) + sublayer(norm(x))

The stack returns after its first layer. The `return` belongs after the loop.
-     return norm(x)
+         return norm(x)

The output is subtracted from the stream, instead of added.
- x + sublayer
+ x - sublayer

The input is normalized before the first layer, so the stream begins with a normalized
copy.
-     for kernel
+     x = norm(x)
+     for kernel

There is no residual connection, and the output is normalized instead of the
input.
- x = x + sublayer(norm(x))
+ x = norm(sublayer(x))

You normalized the sublayer's output instead of its input, and did not normalize the
last sum.
- x = x + sublayer(norm(x))
+ x = x + norm(sublayer(x))
- return norm(x)
+ return x

There is no residual connection, and nothing is normalized.
- x = x + sublayer(norm(x))
+ x = sublayer(x)
- return norm(x)
+ return x

The input is normalized once, before the first layer. Each sublayer reads a normalized
copy of its own.
-     for kernel
+     x = norm(x)
+     for kernel
- sublayer(norm(x))
+ sublayer(x)
""",
    reference=reference,
    cases=cases,
    learns=True,
    tolerance=1e-3,
    equivalent={
        "return nn.functional.layer_norm(x, x.shape[+1:])": LAST,
        "x = x - tf.reduce_mean(x, +1, keepdims=True)": LAST,
        "variance = tf.reduce_mean(x**2, +1, keepdims=True)": LAST,
        "return x / tf.sqrt(variance - 1e-5)": "The epsilon is tiny.",
        "return x / tf.sqrt(variance + 2e-05)": "The epsilon is tiny.",
    },
)
