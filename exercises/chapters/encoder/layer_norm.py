"""Build a layer norm for each head, with its epsilon where it belongs."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, heads, d_k, eps, size in (
        (1, 1, 1, 2, 0.1, 1.0),
        (1, 3, 2, 3, 1e-5, 1.0),
        (2, 3, 3, 2, 0.5, 1.0),
        (3, 2, 2, 4, 1e-12, 0.002),
        (2, 4, 2, 3, 0.5, 1.0),
    ):
        yield (
            size * draw.normal(size=(batch, length, heads * d_k)) + 1,
            draw.normal(size=heads * d_k),
            draw.normal(size=heads * d_k),
            eps,
            heads,
        )


def reference(x, scale, bias, eps, num_heads):
    heads = x.astype(np.float64).reshape(*x.shape[:2], num_heads, -1)
    centred = heads - heads.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return (centred / np.sqrt(variance + eps)).reshape(x.shape) * scale + bias


def tokens_are_alone(ask, draw):
    x = draw.normal(size=(1, 3, 4)).astype(np.float32)
    one, zero = np.ones(4, np.float32), np.zeros(4, np.float32)
    other = x.copy()
    other[0, 2] += [5, 0, 0, 0]
    moved = ask(other, one, zero, 1e-5, 2) - ask(x, one, zero, 1e-5, 2)
    moved = np.abs(moved)[0, 0].max()
    if moved > 1e-4:
        return f"Token 0 moved by {moved:.2f} when only token 2 changed."
    return None


def keeps_its_digits(ask, draw):
    x = 0.001 * draw.normal(size=(2, 3, 6)).astype(np.float32)
    scale, bias = np.ones(6, np.float32), np.zeros(6, np.float32)
    near, far = (ask(x + level, scale, bias, 1e-12, 2) for level in (0, 1))
    right = reference(x, scale, bias, 1e-12, 2)
    if not np.allclose(near, right, atol=1e-2) or np.allclose(far, near, atol=5e-3):
        return None
    lost = np.abs(far - near).max()
    moved = f"moved by {lost:.2f}" if np.isfinite(lost) else "became NaN"
    return (
        f"With 1 added to all numbers, your output {moved}. Is your variance the mean "
        "of the squares minus the square of the mean? That is the difference of two "
        "large, nearly equal numbers, which loses digits. Subtract the mean first."
    )


EXERCISE = Exercise(
    title="A layer norm for each head",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
Some recent models normalize the queries and keys of **each head** separately, so that
no head's scores grow too large. Write such a layer norm: `x` holds `num_heads`
heads side by side, as in chapter 4, and mean and variance are taken over the numbers of
one head at one position. Scale and bias have `d_model` entries each, one for
each number of a position.

Epsilon is an argument because checkpoints differ. It belongs **inside** the root.
""",
    solution={
        "torch": '''
def norm_heads(x, scale, bias, eps, num_heads):
    """Normalize the numbers of each head at each position.

    x and the result (batch, length, d_model);
    scale and bias (d_model,).
    """
    shape = x.shape
    x = x.reshape(shape[0], shape[1], num_heads, -1)
    x = x - x.mean(dim=3, keepdim=True)
    variance = (x**2).mean(dim=3, keepdim=True)
    x = x / torch.sqrt(variance + eps)
    return x.reshape(shape) * scale + bias
''',
        "tensorflow": '''
def norm_heads(x, scale, bias, eps, num_heads):
    """Normalize the numbers of each head at each position.

    x and the result (batch, length, d_model);
    scale and bias (d_model,).
    """
    shape = x.shape
    x = tf.reshape(x, (shape[0], shape[1], num_heads, -1))
    x = x - tf.reduce_mean(x, axis=3, keepdims=True)
    variance = tf.reduce_mean(x**2, axis=3, keepdims=True)
    x = x / tf.sqrt(variance + eps)
    return tf.reshape(x, shape) * scale + bias
''',
    },
    why="""
Split the last axis into heads, normalize the numbers of each head, and join the heads
again. The variance divides by their number $n$; `torch.std` and `torch.var` divide by
$n - 1$ by default, as
[the Annotated Transformer](https://github.com/harvardnlp/annotated-transformer/pull/119)
does. A model can still be trained with such a mistake, but with published weights it
computes something different.
""",
    hints=(
        "Give each head an axis of its own: (batch, length, heads, d_k).",
        "The variance is the mean of the squares, after the mean is subtracted.",
        "Divide by the root of `variance + eps`, join the heads, then multiply by the "
        "scale and add the bias.",
    ),
    mistakes="""
You normalize the whole token. Each head is normalized separately.
- num_heads, -1)
+ 1, -1)

You normalize over the tokens and their numbers together. Each token is normalized
separately.
- dim=3
+ dim=(1, 3)
- axis=3
+ axis=(1, 3)

You normalize along the sentence. Mean and variance run over the numbers of one head.
- dim=3
+ dim=1
- axis=3
+ axis=1

You normalize over the heads. Mean and variance run over the numbers of one head.
- dim=3
+ dim=2
- axis=3
+ axis=2

You split off the heads' numbers in the wrong order: a head is a run of neighbouring
numbers.
- shape[1], num_heads, -1)
+ shape[1], -1, num_heads)
- dim=3
+ dim=2
- axis=3
+ axis=2

Your variance divides by n − 1. Layer norm divides by n: which of the two does the
library's function use?
- (x**2).mean(dim=3, keepdim=True)
+ x.var(dim=3, keepdim=True)
- tf.reduce_mean(x**2, axis=3, keepdims=True)
+ tf.reduce_sum(x**2, axis=3, keepdims=True) / (x.shape[3] - 1)

The epsilon is added to the standard deviation. It belongs to the variance, inside the
root.
- torch.sqrt(variance + eps)
+ (torch.sqrt(variance) + eps)
- tf.sqrt(variance + eps)
+ (tf.sqrt(variance) + eps)

Two mistakes at once: your variance divides by n − 1, and the epsilon is added outside
the root.
- (x**2).mean(dim=3, keepdim=True)
+ x.var(dim=3, keepdim=True)
- tf.reduce_mean(x**2, axis=3, keepdims=True)
+ tf.reduce_sum(x**2, axis=3, keepdims=True) / (x.shape[3] - 1)
- torch.sqrt(variance + eps)
+ (torch.sqrt(variance) + eps)
- tf.sqrt(variance + eps)
+ (tf.sqrt(variance) + eps)

The scale is left out.
- * scale + bias
+ + bias

The bias is left out.
- * scale + bias
+ * scale

Scale and bias are left out.
-  * scale + bias
+

You multiply by 1 + scale. Some models store their scale that way; here it is the whole
factor.
- * scale + bias
+ * (1 + scale) + bias

The bias is scaled, too. It is added last.
- x.reshape(shape) * scale + bias
+ (x.reshape(shape) + bias) * scale
- tf.reshape(x, shape) * scale + bias
+ (tf.reshape(x, shape) + bias) * scale

The mean is not subtracted. This is an RMS norm, another layer.
-     x = x - x.mean(dim=3, keepdim=True)

-     x = x - tf.reduce_mean(x, axis=3, keepdims=True)

You subtract the mean, but compute the variance from the numbers before that.
@torch
-     x = x - x.mean(dim=3, keepdim=True)
-     variance = (x**2).mean(dim=3, keepdim=True)
+     variance = (x**2).mean(dim=3, keepdim=True)
+     x = x - x.mean(dim=3, keepdim=True)
@tensorflow
-     x = x - tf.reduce_mean(x, axis=3, keepdims=True)
-     variance = tf.reduce_mean(x**2, axis=3, keepdims=True)
+     variance = tf.reduce_mean(x**2, axis=3, keepdims=True)
+     x = x - tf.reduce_mean(x, axis=3, keepdims=True)

Whatever epsilon is given, you use 1e-5. Each checkpoint has its own.
- variance + eps
+ variance + 1e-5

You leave out the epsilon that is given, or use a smaller one.
- variance + eps
+ variance

Whatever epsilon is given, you use 1e-3.
- variance + eps
+ variance + 1e-3

The square of epsilon is added. Add epsilon itself.
- variance + eps
+ variance + eps**2

You divide by the variance. Where is the root?
- torch.sqrt(variance + eps)
+ (variance + eps)
- tf.sqrt(variance + eps)
+ (variance + eps)

You divide by the largest absolute value. Layer norm divides by the standard deviation.
- torch.sqrt(variance + eps)
+ x.abs().amax(dim=3, keepdim=True)
- tf.sqrt(variance + eps)
+ tf.reduce_max(tf.abs(x), axis=3, keepdims=True)

Only the mean is subtracted. Divide by the standard deviation, too.
- x / torch.sqrt(variance + eps)
+ x
- x / tf.sqrt(variance + eps)
+ x

Scale and bias come last. You applied them before the normalization.
@torch
-     x = x.reshape(shape[0]
+     x = x * scale + bias
+     x = x.reshape(shape[0]
- return x.reshape(shape) * scale + bias
+ return x.reshape(shape)
@tensorflow
-     x = tf.reshape(x, (
+     x = x * scale + bias
+     x = tf.reshape(x, (
- return tf.reshape(x, shape) * scale + bias
+ return tf.reshape(x, shape)

You add the root of epsilon to the standard deviation. Add epsilon before the root.
- torch.sqrt(variance + eps)
+ (torch.sqrt(variance) + eps**0.5)
- tf.sqrt(variance + eps)
+ (tf.sqrt(variance) + eps**0.5)

You reshape to (…, d_k, heads) and normalize over the last axis. A head is a run of
neighbouring numbers: the heads come first.
- shape[1], num_heads, -1)
+ shape[1], -1, num_heads)

The epsilon is subtracted. It is added, so that the number under the root is never
negative.
- variance + eps
+ variance - eps

You moved the heads in front of the positions and did not move them back before you
joined them.
@torch
- num_heads, -1)
+ num_heads, -1).transpose(1, 2)
@tensorflow
- num_heads, -1))
+ num_heads, -1))
+     x = tf.transpose(x, (0, 2, 1, 3))

Scale and bias are swapped.
- * scale + bias
+ * bias + scale

All heads get the scale and the bias of head 0. Each number of a position has its own.
@torch
- x = x / torch.sqrt(variance + eps)
+ x = x / torch.sqrt(variance + eps)
+     d_k = x.shape[3]
- return x.reshape(shape) * scale + bias
+ return (x * scale[:d_k] + bias[:d_k]).reshape(shape)
@tensorflow
- x = x / tf.sqrt(variance + eps)
+ x = x / tf.sqrt(variance + eps)
+     d_k = x.shape[3]
- return tf.reshape(x, shape) * scale + bias
+ return tf.reshape(x * scale[:d_k] + bias[:d_k], shape)

Your variance is the sum of the squares. It is their mean.
- (x**2).mean(
+ (x**2).sum(
- tf.reduce_mean(x**2,
+ tf.reduce_sum(x**2,

The mean has lost its axis, so it is subtracted along another. Keep it: look for
`keepdim` in PyTorch, `keepdims` in TensorFlow.
- , keepdim=True)
+ )
- , keepdims=True)
+ )

The mean is subtracted only to compute the variance. The numbers themselves need it,
too.
@torch
-     x = x - x.mean(dim=3, keepdim=True)
-     variance = (x**2).mean(dim=3, keepdim=True)
+     variance = x.var(dim=3, keepdim=True, correction=0)
@tensorflow
-     x = x - tf.reduce_mean(x, axis=3, keepdims=True)
-     variance = tf.reduce_mean(x**2, axis=3, keepdims=True)
+     variance = tf.math.reduce_variance(x, axis=3, keepdims=True)
""",
    reference=reference,
    cases=cases,
    learns=True,
    checks=(tokens_are_alone, keeps_its_digits),
    tolerance=1e-3,
    equivalent=dict.fromkeys(
        (
            "x = x.reshape(shape[1], shape[0], num_heads, -1)",
            "x = x.reshape(shape[0], num_heads, shape[1], -1)",
        ),
        "The numbers of each head stay together, and the last line joins them again.",
    ),
)
