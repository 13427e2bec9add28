"""Build max pooling, which leaves the padding out."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, centre in (
        (1, 1, 2, 0),
        (2, 3, 4, -5),
        (3, 4, 2, 0),
        (2, 5, 3, 2),
        (3, 3, 5, -500),
    ):
        real = np.arange(length) < draw.integers(1, length + 1, size=(batch, 1))
        real[0, -1] = length == 1
        if centre == -5:  # padding may come first
            real = real[:, ::-1].copy()
        yield centre + draw.normal(size=(batch, length, d_model)), real


def reference(x, real):
    return np.stack([row[kept].max(0) for row, kept in zip(x, real, strict=True)])


def padding_never_wins(ask, draw):
    x = np.full((1, 3, 2), -1e6, np.float32)
    found = ask(x, np.array([[True, True, False]])).max()
    if -9e5 < found < np.inf:
        return (
            f"A text whose values are all −1,000,000 got {found:z.3g}. "
            "Can the padding win?"
        )
    return None


EXERCISE = Exercise(
    title="Max pooling without the padding",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Write **max pooling**: in each dimension, the vector of a text contains the largest
value among its real tokens. All values of a text may be negative. Every text has at
least one real token, and its padding may stand at either end.
""",
    solution={
        "torch": '''
def max_pool(x, real):
    """Return (batch, d_model), each dimension's maximum.

    x (batch, length, d_model);
    real (batch, length), False = padding.
    """
    hidden = x.masked_fill(~real[:, :, None], -math.inf)
    return hidden.amax(dim=1)
''',
        "tensorflow": '''
def max_pool(x, real):
    """Return (batch, d_model), each dimension's maximum.

    x (batch, length, d_model);
    real (batch, length), False = padding.
    """
    hidden = tf.where(real[:, :, None], x, -math.inf)
    return tf.reduce_max(hidden, axis=1)
''',
    },
    why="""
A sum ignores the padding if it counts as 0. A maximum does not: where all numbers are
negative, 0 would be the largest. The value that is never the largest is −∞, which also
hides a key from the softmax of attention.
""",
    hints=(
        "Which value is never the largest?",
        "`real` is (batch, length). It needs one more axis to match `x`.",
        "Replace what is padding by minus infinity, then take the maximum over the "
        "length.",
    ),
    mistakes="""
The padding takes part in the maximum.
- x.masked_fill(~real[:, :, None], -math.inf)
+ x
- tf.where(real[:, :, None], x, -math.inf)
+ x

The padding counts as 0, which wins wherever all real numbers are negative.
- -math.inf
+ 0.0

The padding's stand-in, such as −100, is larger than some real numbers.
- -math.inf
+ -100.0

The mask is the wrong way round: it hides the real tokens.
- ~real[:, :, None]
+ real[:, :, None]
- tf.where(real[:, :, None], x, -math.inf)
+ tf.where(real[:, :, None], -math.inf, x)

The padding is hidden by plus infinity, which always wins a maximum.
- -math.inf
+ math.inf

That is the smallest number of each dimension.
- -math.inf
+ math.inf
- hidden.amax(dim=1)
+ hidden.amin(dim=1)
- tf.reduce_max(hidden
+ tf.reduce_min(hidden

That is the mean of the real tokens. Here the largest is wanted.
@torch
-     hidden = x.masked_fill(~real[:, :, None], -math.inf)
-     return hidden.amax(dim=1)
+     kept = real[:, :, None]
+     return (x * kept).sum(dim=1) / kept.sum(dim=1)
@tensorflow
-     hidden = tf.where(real[:, :, None], x, -math.inf)
-     return tf.reduce_max(hidden, axis=1)
+     kept = tf.cast(real[:, :, None], x.dtype)
+     return tf.reduce_sum(x * kept, 1) / tf.reduce_sum(kept, 1)

That is the sum of the real tokens. Here the largest is wanted.
@torch
-     hidden = x.masked_fill(~real[:, :, None], -math.inf)
-     return hidden.amax(dim=1)
+     return (x * real[:, :, None]).sum(dim=1)
@tensorflow
-     hidden = tf.where(real[:, :, None], x, -math.inf)
-     return tf.reduce_max(hidden, axis=1)
+     return tf.reduce_sum(x * tf.cast(real[:, :, None], x.dtype), 1)

That is the vector of the first token, as in pooling with `[CLS]`.
- return hidden.amax(dim=1)
+ return x[:, 0]
- return tf.reduce_max(hidden, axis=1)
+ return x[:, 0]

The maximum runs over the numbers of each token. It should run over the tokens.
- dim=1
+ dim=2
- axis=1
+ axis=2

You compared the absolute values. The signs matter.
- hidden.amax(dim=1)
+ hidden.abs().masked_fill(~real[:, :, None], 0).amax(dim=1)
- tf.reduce_max(hidden, axis=1)
+ tf.reduce_max(tf.where(real[:, :, None], tf.abs(x), 0.0), 1)

The maximum runs over the whole batch.
- dim=1)
+ dim=(0, 1))[None].expand(len(x), -1).clone()
- tf.reduce_max(hidden, axis=1)
+ tf.repeat(tf.reduce_max(hidden, axis=[0, 1])[None], len(x), 0)

The last real token is taken instead of the largest numbers.
@torch
-     return hidden.amax(dim=1)
+     last = real.sum(dim=1) - 1
+     return x[torch.arange(len(x)), last]
@tensorflow
-     return tf.reduce_max(hidden, axis=1)
+     last = tf.reduce_sum(tf.cast(real, tf.int32), axis=1) - 1
+     return tf.gather(x, last, batch_dims=1)

The result is scaled to norm 1. That was not asked for.
- return hidden.amax(dim=1)
+ return nn.functional.normalize(hidden.amax(dim=1), dim=1)
- return tf.reduce_max(hidden, axis=1)
+ return tf.math.l2_normalize(tf.reduce_max(hidden, 1), 1)

The padding's stand-in, such as −10, is larger than some real numbers.
- -math.inf
+ -10.0

That is the mean of all positions, padding included. Here the largest value is wanted.
- return hidden.amax(dim=1)
+ return x.mean(dim=1)
- return tf.reduce_max(hidden, axis=1)
+ return tf.reduce_mean(x, axis=1)

That is a mean in which the padding counts as 0. Here the largest value is wanted.
- return hidden.amax(dim=1)
+ return (x * real[:, :, None]).mean(dim=1)
- return tf.reduce_max(hidden, axis=1)
+ return tf.reduce_mean(tf.where(real[:, :, None], x, 0.0), 1)

That is the smallest value, and minus infinity always is.
- hidden.amax
+ hidden.amin
- tf.reduce_max(hidden
+ tf.reduce_min(hidden

The padding's stand-in, such as −20, is larger than some real numbers.
- -math.inf
+ -20.0

You take the token with the largest norm. The maximum is taken in each dimension.
@torch
-     return hidden.amax(dim=1)
+     norms = x.norm(dim=2).masked_fill(~real, -1.0)
+     return x[torch.arange(len(x)), norms.argmax(dim=1)]
@tensorflow
-     return tf.reduce_max(hidden, axis=1)
+     norms = tf.where(real, tf.norm(x, axis=2), -1.0)
+     return tf.gather(x, tf.argmax(norms, axis=1), batch_dims=1)

You return the values and their places. Only the values are wanted.
@torch
- hidden.amax(dim=1)
+ hidden.max(dim=1)

The axis of the tokens is still there, with length 1. The maximum takes its place.
- dim=1)
+ dim=1, keepdim=True)
- axis=1)
+ axis=1, keepdims=True)

The padding's stand-in, such as −1, is larger than some real numbers.
- -math.inf
+ -1.0

You return the places of the largest numbers. Return the numbers themselves.
- hidden.amax(dim=1)
+ hidden.argmax(dim=1)
- tf.reduce_max(hidden, axis=1)
+ tf.argmax(hidden, axis=1)

You take the largest among the real tokens of all texts. Each text has a vector of its
own.
@torch
- return hidden.amax(dim=1)
+ return x[real].amax(dim=0)
@tensorflow
- return tf.reduce_max(hidden, axis=1)
+ return tf.reduce_max(x[real], axis=0)

You count the real tokens and take the first ones. `real` says which they are: the
padding may come first.
@torch
-     hidden = x.masked_fill(~real[:, :, None], -math.inf)
+     place = torch.arange(x.shape[1])
+     real = place < real.sum(dim=1, keepdim=True)
+     hidden = x.masked_fill(~real[:, :, None], -math.inf)
@tensorflow
-     hidden = tf.where(real[:, :, None], x, -math.inf)
+     count = tf.reduce_sum(tf.cast(real, tf.int32), 1)
+     real = tf.sequence_mask(count, x.shape[1])
+     hidden = tf.where(real[:, :, None], x, -math.inf)
""",
    reference=reference,
    cases=cases,
    learns=True,
    checks=(padding_never_wins,),
)
