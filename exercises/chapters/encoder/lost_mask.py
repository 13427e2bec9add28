"""Find the bug: a stack that loses its mask, and drops out when it is used."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for length, d_model, depth, keep, training in (
        (2, 2, 1, 0.5, False),
        (3, 2, 2, 0.5, False),
        (4, 3, 3, 0.8, False),
        (3, 4, 2, 0.5, True),
        (4, 3, 3, 0.8, True),
    ):
        real = np.ones(length, bool)
        real[length - length // 2 :] = False
        if depth == 3 and not training:  # padding may come first
            real = real[::-1].copy()
        kept = draw.random(size=(depth, length, length)) < keep
        kept[:, 0, 0] = False
        yield (
            draw.normal(size=(length, d_model)),
            real,
            kept.astype(float) / keep,
            training,
        )
    # a padded token for which the first token has a score of 300
    x = draw.normal(size=(3, 2))
    x[2] = x[0] * 300 * np.sqrt(2) / (x[0] @ x[0])
    yield x, np.array([True, True, False]), np.ones((3, 3, 3)), False
    # a padded token whose numbers are so large that any weight it is left with shows
    x = np.array([[draw.uniform(0.3, 0.9), 0], [0, 1e18]])
    yield x, np.array([True, False]), np.ones((2, 2, 2)), False


def reference(x, real, kept, training):
    maps = []
    for keep in kept:
        scores = np.where(real, x @ x.T / np.sqrt(x.shape[1]), -1e30)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        maps.append(weights)
        x = x + (weights * keep if training else weights) @ x
    return x[real], np.stack(maps)[:, real]


def padding_is_ignored(ask, draw):
    x = draw.normal(size=(3, 4)).astype(np.float32)
    real, kept = np.array([True, True, False]), np.ones((2, 3, 3), np.float32)
    changed = x.copy()
    changed[2] *= -1
    moved = np.abs(ask(changed, real, kept, False)[0] - ask(x, real, kept, False)[0])
    if not moved.max() <= 1e-3:
        return (
            f"When only the numbers of the padded token changed, a number of the real "
            f"tokens moved by {moved.max():.2g}."
        )
    return None


def nothing_is_dropped_in_use(ask, draw):
    x = draw.normal(size=(3, 4)).astype(np.float32)
    real, kept = np.ones(3, bool), np.ones((2, 3, 3), np.float32)
    dropped = kept.copy()
    dropped[0, 0, 0] = 0
    moved = np.abs(ask(x, real, dropped, False)[0] - ask(x, real, kept, False)[0])
    if not moved.max() <= 1e-3:
        return (
            f"Outside training, your answer moved by {moved.max():.2g} when another "
            "weight was dropped."
        )
    return None


EXERCISE = Exercise(
    title="An encoder with two bugs",
    kind="find the bug",
    difficulty=3,
    minutes=15,
    prompt="""
This small encoder has a layer for each entry of `kept`, and it has **two** bugs. When
you use it, its answer changes with `kept`, as if it were still in training. And only
the first layer ignores the padding; in all others it influences the result. Repair
both.

(`kept` holds, for each layer, the factor by which dropout multiplies each attention
weight in training: 0 or $1/(1-p)$. Only the rows of real tokens are returned,
and padding may stand at either end. Hide a score with any number so low that the
padding changes no digit of the answer.)
""",
    bug="Both bugs are still there",
    solution={
        "torch": '''
def small_encoder(x, real, kept, training):
    """Return x (words, d_model) and attention weights
    (depth, words, length), before dropout, of real words.

    x (length, d_model); real (length,), False = padding;
    kept (depth, length, length), 0 = dropped.
    """
    maps = []
    for keep in kept:
        scores = x @ x.T / x.shape[1] ** 0.5
        scores = torch.where(real, scores, -1e30)
        weights = torch.softmax(scores, dim=1)
        maps.append(weights)
        if training:
            weights = weights * keep
        x = x + weights @ x
    return x[real], torch.stack(maps)[:, real]
''',
        "tensorflow": '''
def small_encoder(x, real, kept, training):
    """Return x (words, d_model) and attention weights
    (depth, words, length), before dropout, of real words.

    x (length, d_model); real (length,), False = padding;
    kept (depth, length, length), 0 = dropped.
    """
    maps = []
    for keep in kept:
        scores = x @ tf.transpose(x) / x.shape[1] ** 0.5
        scores = tf.where(real, scores, -1e30)
        weights = tf.nn.softmax(scores, axis=1)
        maps.append(weights)
        if training:
            weights = weights * keep
        x = x + weights @ x
    maps = tf.boolean_mask(tf.stack(maps), real, axis=1)
    return x[real], maps
''',
    },
    why="""
Every layer needs the mask, because every layer computes new weights over all positions,
including the padding. Dropout adds noise in training; in use it makes the answer
random. Neither bug changes a shape. Two short tests find them: change a padded token
and see whether a vector of a real token moves; call the model with two different `kept`
and compare.

A hidden score of −100 is low enough here, because a token's score with itself is never
negative. It is a bad habit all the same: where queries and keys are projected, all
scores can be lower than −100.
""",
    hints=(
        "In which layers is the mask applied?",
        "In training, some weights are dropped. When else does that happen here?",
        "Remove one `if` and add another.",
    ),
    mistakes="""
Both bugs are still there: the function answers as it did before.
-         scores = torch.where(real, scores, -1e30)
+         if not maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if not maps:
+             scores = tf.where(real, scores, -1e30)
-         if training:
-             weights = weights * keep
+         weights = weights * keep

Dropout is repaired. The mask is still lost after the first layer: what does the padding
do in the second?
-         scores = torch.where(real, scores, -1e30)
+         if not maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if not maps:
+             scores = tf.where(real, scores, -1e30)

The mask is repaired. Dropout is still applied when the model is used.
-         if training:
-             weights = weights * keep
+         weights = weights * keep

Now there is no dropout at all, not even in training.
-         if training:
-             weights = weights * keep

Dropout is applied in use and not in training: it is the wrong way round.
- if training:
+ if not training:

The mask is gone from all layers.
-         scores = torch.where(real, scores, -1e30)

-         scores = tf.where(real, scores, -1e30)

The mask is the wrong way round: it hides the real tokens.
- where(real, scores
+ where(~real, scores

The mask comes after the softmax, in which the padding has already received a share, so
the weights no longer add up to 1.
-         scores = torch.where(real, scores, -1e30)

-         scores = tf.where(real, scores, -1e30)

- softmax(scores, dim=1)
+ softmax(scores, dim=1) * real
- softmax(scores, axis=1)
+ softmax(scores, axis=1) * tf.cast(real, x.dtype)

The mask is applied in training only. There is padding in use, too.
-         scores = torch.where
+         if training:
+             scores = torch.where
-         scores = tf.where
+         if training:
+             scores = tf.where

The number that you add to a padded token's score, such as −100, is not low enough for a
score of 300.
- torch.where(real, scores, -1e30)
+ scores + torch.where(real, 0.0, -100.0)
- tf.where(real, scores, -1e30)
+ scores + tf.where(real, 0.0, -100.0)

The mask hides the padding's queries. It should hide its keys.
- where(real, scores
+ where(real[:, None], scores

The weights that you return are those after dropout. Return those before it.
-         maps.append(weights)
-         if training:
-             weights = weights * keep
+         if training:
+             weights = weights * keep
+         maps.append(weights)

The last layer has no mask. Every layer needs it.
-         scores = torch.where(real, scores, -1e30)
+         if len(maps) < len(kept) - 1:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if len(maps) < len(kept) - 1:
+             scores = tf.where(real, scores, -1e30)

The first layer has no mask now. Every layer needs it.
-         scores = torch.where(real, scores, -1e30)
+         if maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if maps:
+             scores = tf.where(real, scores, -1e30)

A padded token gets the score 0. That is a score like any other: take a very low one.
- scores, -1e30)
+ scores, 0.0)

Dropout is applied in the first layer only.
- if training:
+ if training and len(maps) == 1:

The residual connection is gone.
- x = x + weights @ x
+ x = weights @ x

In use, the mask is still lost after the first layer. In training it is there.
-         scores = torch.where(real, scores, -1e30)
+         if training or not maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if training or not maps:
+             scores = tf.where(real, scores, -1e30)

A hidden score of −20 leaves the padding a small weight, which shows where its numbers
are large. Take one that is far lower.
- scores, -1e30)
+ scores, -20.0)

The softmax runs over the queries. It ran over the keys.
- softmax(scores, dim=1)
+ softmax(scores, dim=0)
- softmax(scores, axis=1)
+ softmax(scores, axis=0)

Only the last layer has the mask. Every layer needs it.
-         scores = torch.where(real, scores, -1e30)
+         if len(maps) == len(kept) - 1:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if len(maps) == len(kept) - 1:
+             scores = tf.where(real, scores, -1e30)

The maps that you return have only the columns of real tokens. Return all columns.
@torch
- torch.stack(maps)[:, real]
+ torch.stack(maps)[:, real][:, :, real]
@tensorflow
- return x[real], maps
+ return x[real], tf.boolean_mask(maps, real, axis=2)

You renormalize the weights after dropout. Dropout has made up for it already with the
factor 1 / (1 − p).
@torch
- weights = weights * keep
+ weights = weights * keep
+             weights = weights / weights.sum(1, keepdim=True)
@tensorflow
- weights = weights * keep
+ weights = weights * keep
+             weights = weights / tf.reduce_sum(weights, 1, keepdims=True)

The mask comes after the softmax, and you renormalize. Where the padding has taken all
the weight, that is 0 / 0.
@torch
-         scores = torch.where(real, scores, -1e30)
-         weights = torch.softmax(scores, dim=1)
+         weights = torch.softmax(scores, dim=1) * real
+         weights = weights / weights.sum(1, keepdim=True)
@tensorflow
-         scores = tf.where(real, scores, -1e30)
-         weights = tf.nn.softmax(scores, axis=1)
+         weights = tf.nn.softmax(scores, axis=1) * tf.cast(real, x.dtype)
+         weights = weights / tf.reduce_sum(weights, 1, keepdims=True)

You set the padding's vectors to 0 in place of hiding their scores. A score of 0 is one
like any other.
@torch
-         scores = x @ x.T / x.shape[1] ** 0.5
-         scores = torch.where(real, scores, -1e30)
+         x = torch.where(real[:, None], x, 0.0)
+         scores = x @ x.T / x.shape[1] ** 0.5
@tensorflow
-         scores = x @ tf.transpose(x) / x.shape[1] ** 0.5
-         scores = tf.where(real, scores, -1e30)
+         x = tf.where(real[:, None], x, 0.0)
+         scores = x @ tf.transpose(x) / x.shape[1] ** 0.5

The mask hides the padding's queries. These rows have no key left, and a softmax over
nothing but −∞ is NaN. Hide its keys.
- where(real, scores, -1e30)
+ where(real[:, None], scores, -math.inf)

The padding's queries are hidden as well. They have no key left, and a softmax over
nothing but −∞ is NaN, which the next layer spreads. Hide keys only.
- where(real, scores, -1e30)
+ where(real[:, None] & real, scores, -math.inf)

All rows are returned. Return those of the real tokens only.
- x[real], torch.stack(maps)[:, real]
+ x, torch.stack(maps)
- x[real], maps
+ x, maps
-     maps = tf.boolean_mask(tf.stack(maps), real, axis=1)
+     maps = tf.stack(maps)
""",
    reference=reference,
    cases=cases,
    checks=(padding_is_ignored, nothing_is_dropped_in_use),
    tolerance=1e-3,
    equivalent={
        "scores = torch.where(real, scores, -2e+30)": "Both are low enough.",
        "scores = tf.where(real, scores, -2e+30)": "Both are low enough.",
    },
)
