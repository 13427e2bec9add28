"""Build layer norm, with its epsilon where it belongs."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, eps, size in (
        (1, 1, 2, 0.1, 1.0),
        (1, 3, 4, 1e-5, 1.0),
        (2, 3, 5, 0.5, 1.0),
        (3, 2, 4, 1e-12, 0.002),
    ):
        yield (
            size * draw.normal(size=(batch, length, d_model)) + 1,
            draw.normal(size=d_model),
            draw.normal(size=d_model),
            eps,
        )


def reference(x, scale, bias, eps):
    x = x.astype(np.float64)
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * scale + bias


def tokens_are_alone(ask, draw):
    x = draw.normal(size=(1, 3, 4)).astype(np.float32)
    one, zero = np.ones(4, np.float32), np.zeros(4, np.float32)
    other = x.copy()
    other[0, 2] += [5, 0, 0, 0]
    moved = np.abs(ask(other, one, zero, 1e-5) - ask(x, one, zero, 1e-5))[0, 0].max()
    if moved > 1e-4:
        return f"Token 0 moved by {moved:.2f} when only token 2 changed."
    return None


def keeps_its_digits(ask, draw):
    x = 0.001 * draw.normal(size=(2, 3, 5)).astype(np.float32)
    scale, bias = np.ones(5, np.float32), np.zeros(5, np.float32)
    near, far = (ask(x + level, scale, bias, 1e-12) for level in (0, 1))
    right = reference(x, scale, bias, 1e-12)
    if not np.allclose(near, right, atol=1e-2) or np.allclose(far, near, atol=5e-3):
        return None
    lost = np.abs(far - near).max()
    moved = f"moved by {lost:.2f}" if np.isfinite(lost) else "became NaN"
    return (
        f"With 1 added to all numbers, your output {moved}. Is your variance the mean "
        "of the squares less the square of the mean? Two large numbers, nearly equal: "
        "their difference has lost its digits. Subtract the mean first."
    )


EXERCISE = Exercise(
    title="Layer norm, to the last digit",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Write layer norm with a scale and a bias. The epsilon is an argument, because
checkpoints differ: BERT was trained with $10^{-12}$, and PyTorch and Keras have others
as their defaults. It stands **inside** the root.
""",
    solution={
        "torch": '''
def norm_tokens(x, scale, bias, eps):
    """Return (batch, length, d_model), each token normed.

    x (batch, length, d_model); scale and bias (d_model,).
    """
    x = x - x.mean(dim=2, keepdim=True)
    variance = (x**2).mean(dim=2, keepdim=True)
    x = x / torch.sqrt(variance + eps)
    return x * scale + bias
''',
        "tensorflow": '''
def norm_tokens(x, scale, bias, eps):
    """Return (batch, length, d_model), each token normed.

    x (batch, length, d_model); scale and bias (d_model,).
    """
    x = x - tf.reduce_mean(x, axis=2, keepdims=True)
    variance = tf.reduce_mean(x**2, axis=2, keepdims=True)
    x = x / tf.sqrt(variance + eps)
    return x * scale + bias
''',
    },
    why="""
Each token is normed by itself, over its own numbers. The variance divides by their
number $n$; `torch.std` and `torch.var` divide by $n - 1$ unless told otherwise, and
[a well-known annotated Transformer](https://github.com/harvardnlp/annotated-transformer/issues/119)
did so with them. None of these mistakes stops a model from learning. All of them stop
it from being the published one.
""",
    hints=(
        "Over which axis do mean and variance run? What keeps it there for the "
        "subtraction?",
        "The variance is the mean of the squares, once the mean is taken away.",
        "Divide by the root of `variance + eps`, then scale, then bias.",
    ),
    mistakes="""
You norm over the tokens and their numbers together. Each token is normed alone.
- dim=2
+ dim=(1, 2)
- axis=2
+ axis=(1, 2)

You norm along the sentence. Mean and variance run over the numbers of one token.
- dim=2
+ dim=1
- axis=2
+ axis=1

Your variance divides by n − 1. Layer norm divides by n: which one does the library's
function take?
- (x**2).mean(dim=2, keepdim=True)
+ x.var(dim=2, keepdim=True)
- tf.reduce_mean(x**2, axis=2, keepdims=True)
+ tf.reduce_sum(x**2, axis=2, keepdims=True) / (x.shape[2] - 1)

The epsilon is added to the standard deviation. It belongs to the variance, inside the
root.
- torch.sqrt(variance + eps)
+ (torch.sqrt(variance) + eps)
- tf.sqrt(variance + eps)
+ (tf.sqrt(variance) + eps)

Two mistakes at once: your variance divides by n − 1, and the epsilon is added outside
the root.
- (x**2).mean(dim=2, keepdim=True)
+ x.var(dim=2, keepdim=True)
- tf.reduce_mean(x**2, axis=2, keepdims=True)
+ tf.reduce_sum(x**2, axis=2, keepdims=True) / (x.shape[2] - 1)
- torch.sqrt(variance + eps)
+ (torch.sqrt(variance) + eps)
- tf.sqrt(variance + eps)
+ (tf.sqrt(variance) + eps)

The scale is left out.
- return x * scale + bias
+ return x + bias

The bias is left out.
- return x * scale + bias
+ return x * scale

Scale and bias are left out.
- return x * scale + bias
+ return x

The mean is not taken away. This is an RMS norm, another layer.
-     x = x - x.mean(dim=2, keepdim=True)

-     x = x - tf.reduce_mean(x, axis=2, keepdims=True)

Whatever epsilon is given, you use 1e-5. A checkpoint was trained with its own.
- variance + eps
+ variance + 1e-5

The epsilon that is given is left out, or one too small stands in its place.
- variance + eps
+ variance

You divide by the variance. Where is the root?
- torch.sqrt(variance + eps)
+ (variance + eps)
- tf.sqrt(variance + eps)
+ (variance + eps)

Scale and bias come last: you scale before you norm.
-     x = x -
+     x = x * scale + bias
+     x = x -
- return x * scale + bias
+ return x
""",
    reference=reference,
    cases=cases,
    checks=(tokens_are_alone, keeps_its_digits),
    tolerance=1e-3,
)
