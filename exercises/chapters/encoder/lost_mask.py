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
        kept = draw.random(size=(depth, length, length)) < keep
        kept[:, 0, 0] = False
        yield (
            draw.normal(size=(length, d_model)),
            real,
            kept.astype(float) / keep,
            training,
        )
    # a padding that cries: the first token's score of it is 300
    x = draw.normal(size=(3, 2))
    x[2] = x[0] * 300 * np.sqrt(2) / (x[0] @ x[0])
    yield x, np.array([True, True, False]), np.ones((3, 3, 3)), False


def reference(x, real, kept, training):
    maps = []
    for keep in kept:
        scores = np.where(real, x @ x.T / np.sqrt(x.shape[1]), -1e30)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        maps.append(weights)
        x = x + (weights * keep if training else weights) @ x
    return x[real], np.stack(maps)[:, real]


EXERCISE = Exercise(
    title="Two guests too many",
    kind="find the bug",
    difficulty=3,
    minutes=15,
    prompt="""
A small encoder, with a layer for each entry of `kept`. It has **two** bugs. When you
use it, it gives another answer each time, as if it were still training. And padding,
which the first layer rightly ignores, finds its way into the others. Repair both.

(`kept` holds, for every layer, what dropout leaves of each weight: 0 or $1/(1-p)$. What
is computed at padding, nobody reads: only the rows of real tokens are returned.)
""",
    bug="The mask is still lost after the first layer, and dropout strikes",
    solution={
        "torch": '''
def small_encoder(x, real, kept, training):
    """Return x (words, d_model), and the maps of attention
    (depth, words, length), before dropout: the real rows.

    x (length, d_model); real (length,), False = padding;
    kept (depth, length, length), 0 where dropout strikes.
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
    """Return x (words, d_model), and the maps of attention
    (depth, words, length), before dropout: the real rows.

    x (length, d_model); real (length,), False = padding;
    kept (depth, length, length), 0 where dropout strikes.
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
A mask has to reach every layer: from the second on, the padding's vectors are no longer
nothing, for they have attended to the words. And dropout is noise for training. In use
it only makes answers worse, and different each time. Both bugs pass every test of
shapes. Two short tests find them: change a padded token and see whether anything real
moves; call the model twice and compare.
""",
    hints=(
        "In which layers is the mask applied?",
        "In training, some weights are dropped. When else?",
        "One `if` stands where none should be, and one is missing.",
    ),
    mistakes="""
The mask is still lost after the first layer, and dropout strikes in use.
-         scores = torch.where(real, scores, -1e30)
+         if not maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if not maps:
+             scores = tf.where(real, scores, -1e30)
-         if training:
-             weights = weights * keep
+         weights = weights * keep

Dropout is repaired. The mask is still lost after the first layer: what does padding do
in the second?
-         scores = torch.where(real, scores, -1e30)
+         if not maps:
+             scores = torch.where(real, scores, -1e30)
-         scores = tf.where(real, scores, -1e30)
+         if not maps:
+             scores = tf.where(real, scores, -1e30)

The mask is repaired. Dropout still strikes when the model is used.
-         if training:
-             weights = weights * keep
+         weights = weights * keep

Now dropout never strikes, not even in training.
-         if training:
-             weights = weights * keep

Dropout strikes in use, and not in training: it is the wrong way round.
- if training:
+ if not training:

The mask is gone from all layers.
-         scores = torch.where(real, scores, -1e30)

-         scores = tf.where(real, scores, -1e30)

The mask is the wrong way round: it hides the real tokens.
- where(real, scores
+ where(~real, scores

The mask comes after the softmax, in which the padding has had its share: the weights no
longer add up to 1.
-         scores = torch.where(real, scores, -1e30)

-         scores = tf.where(real, scores, -1e30)

- softmax(scores, dim=1)
+ softmax(scores, dim=1) * real
- softmax(scores, axis=1)
+ softmax(scores, axis=1) * tf.cast(real, x.dtype)

The mask stands in training only. There is padding in use, too.
-         scores = torch.where
+         if training:
+             scores = torch.where
-         scores = tf.where
+         if training:
+             scores = tf.where

What you add to a padded token's score, such as −100, is not low enough for a score of
300.
- torch.where(real, scores, -1e30)
+ scores + torch.where(real, 0.0, -100.0)
- tf.where(real, scores, -1e30)
+ scores + tf.where(real, 0.0, -100.0)

The mask hides the padding's queries. It is its keys that nobody should look at.
- where(real, scores
+ where(real[:, None], scores

The maps are taken after dropout. They should show what the model wanted to look at.
-         maps.append(weights)
-         if training:
-             weights = weights * keep
+         if training:
+             weights = weights * keep
+         maps.append(weights)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-3,
    equivalent={
        "scores = torch.where(real, scores, -2e+30)": "Both are low enough.",
        "scores = tf.where(real, scores, -2e+30)": "Both are low enough.",
    },
)
