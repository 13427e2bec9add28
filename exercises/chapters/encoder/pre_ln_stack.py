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
    title="A clear way through",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Here are a norm and, for each kernel, a sublayer. Put them together as a **pre-LN**
stack: the residual way runs from the input to the end, and nothing on it is normed but
the very last sum.
""",
    starter={
        "torch": '''
def stack(x, kernels):
    """Return (length, d_model).

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
    """Return (length, d_model).

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
    """Return (length, d_model).

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
    """Return (length, d_model).

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
A sublayer reads a normed copy and adds to the original: $x + f(\text{norm}(x))$.
Going back, the gradient finds a way to the first layer on which nothing scales it. The
sum grows with each layer, so the whole stack needs one norm more, after the last layer;
post-LN does not. To take the residual from the normed copy
[looks almost the same](https://github.com/pytorch/pytorch/issues/61165) and closes the
way.
""",
    hints=(
        "In pre-LN, what does the sublayer read, and what is its output added to?",
        "Three things meet in one line: `x`, `norm` and `sublayer`.",
        "`x + sublayer(norm(x))` in the loop. And which sum has no layer normed yet?",
    ),
    mistakes="""
The residual is taken after the norm: what is added to is the normed copy. Which x
should the sum keep?
-         x = x + sublayer(norm(x))
+         x = norm(x)
+         x = x + sublayer(x)

The last sum is not normed. Which layer would have done it?
- return norm(x)
+ return x

That is post-LN, as in the paper: each sum is normed. Here only the last sum is.
- x = x + sublayer(norm(x))
+ x = norm(x + sublayer(x))

The residual is taken after the norm, and the last sum is not normed: two mistakes at
once.
-         x = x + sublayer(norm(x))
+         x = norm(x)
+         x = x + sublayer(x)
- return norm(x)
+ return x

Nothing is normed, neither what the sublayers read nor the last sum.
- x = x + sublayer(norm(x))
+ x = x + sublayer(x)
- return norm(x)
+ return x

Only the sublayer's output is normed. It should be its input.
- x = x + sublayer(norm(x))
+ x = x + norm(sublayer(x))

The sublayers read what is not normed.
- x = x + sublayer(norm(x))
+ x = x + sublayer(x)

There is no residual: each layer replaces what it read.
- x = x + sublayer(norm(x))
+ x = sublayer(norm(x))

All sublayers read the first input, instead of what the layers before them left.
-     for kernel
+     first = x
+     for kernel
- sublayer(norm(x))
+ sublayer(norm(first))
""",
    reference=reference,
    cases=cases,
    tolerance=1e-3,
    equivalent={
        "return nn.functional.layer_norm(x, x.shape[+1:])": LAST,
        "x = x - tf.reduce_mean(x, +1, keepdims=True)": LAST,
        "variance = tf.reduce_mean(x**2, +1, keepdims=True)": LAST,
        "return x / tf.sqrt(variance - 1e-5)": "The epsilon is tiny.",
        "return x / tf.sqrt(variance + 2e-05)": "The epsilon is tiny.",
    },
)
