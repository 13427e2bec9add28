"""Find the bug: a layer that is causal only while it trains."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, d_model, training in (
        (1, 1, 2, True),
        (1, 2, 3, False),
        (2, 3, 2, True),
        (2, 4, 3, False),
        (3, 2, 4, True),
    ):
        x = draw.normal(size=(batch, length, d_model))
        kept = (draw.random(size=(batch, length, length)) < 0.6) / 0.6
        kept[:, 0, 0] = 0
        if length == 4:  # the first token's score with the last is 300
            first = x[:, 0]
            large = 300 * np.sqrt(d_model) / (first**2).sum(1, keepdims=True)
            x[:, -1] = first * large
        yield x, kept, training
    # a last token whose numbers are so large that any weight the first gives it shows
    x = np.array([[[draw.uniform(0.3, 0.9), 0], [0, 1e18]]])
    yield x, np.ones((1, 2, 2)), False


def long_cases(draw):
    length = int(draw.integers(513, 560))
    yield draw.normal(size=(1, length, 2)), np.ones((1, length, length)), False


def reference(x, kept, training):
    length = x.shape[1]
    scores = x @ x.swapaxes(1, 2) / np.sqrt(x.shape[2])
    scores = np.where(np.tri(length), scores, -1e30)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    weights = shares / shares.sum(-1, keepdims=True)
    return (weights * kept if training else weights) @ x


def the_future_changes_nothing(ask, draw):
    x = draw.normal(size=(1, 4, 3)).astype(np.float32)
    kept = np.ones((1, 4, 4), np.float32)
    other = x.copy()
    other[0, 3] += 2
    for training, when in ((True, "in training"), (False, "in evaluation")):
        moved = np.abs(ask(other, kept, training) - ask(x, kept, training))[0, :3]
        if moved.max() > 1e-4:
            position = int(moved.max(-1).argmax())
            return (
                f"Position {position} changed by {moved.max():.2g} {when} when only "
                "position 3 was replaced."
            )
    return None


EXERCISE = Exercise(
    title="99 % right, and useless",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
A model with this layer trains as usual, and it predicts 99 % of the next tokens in the
validation set correctly. But when it generates text, it writes nonsense. Find out what
the layer sees in validation, and repair it. (Hide a score with any number so low that
the future changes no digit of the output.)
""",
    bug="The future is still visible when the model is used",
    solution={
        "torch": '''
def self_attention(x, kept, training):
    """Return (batch, length, d_model), causal.

    x (batch, length, d_model); kept (batch, length, length),
    the factor of each weight under dropout: 0 or 1/(1-p).
    """
    length = x.shape[1]
    scores = x @ x.transpose(1, 2) / x.shape[2] ** 0.5
    future = torch.ones(length, length).triu(1).bool()
    scores = torch.where(future, -1e30, scores)
    weights = torch.softmax(scores, dim=2)
    if training:
        weights = weights * kept
    return weights @ x
''',
        "tensorflow": '''
def self_attention(x, kept, training):
    """Return (batch, length, d_model), causal.

    x (batch, length, d_model); kept (batch, length, length),
    the factor of each weight under dropout: 0 or 1/(1-p).
    """
    place = tf.range(x.shape[1])
    scores = tf.matmul(x, x, transpose_b=True)
    scores = scores / x.shape[2] ** 0.5
    future = place[None, :] > place[:, None]
    scores = tf.where(future, -1e30, scores)
    weights = tf.nn.softmax(scores, axis=2)
    if training:
        weights = weights * kept
    return weights @ x
''',
    },
    why="""
Dropout is for training only, but the causal mask is part of the model and is always
needed. Without it, the model can read the next token from its input during validation.
In generation there is no next token to read, so the model fails. When a validation
result is too good, look for a leak: change a future token and see whether any earlier
output changes, in training **and** in evaluation.

A hidden score of −100 is low enough here, because a token's score with itself is never
negative. It is a bad habit all the same: where queries and keys are projected, all
scores can be lower than −100.
""",
    hints=(
        "What does the layer do when `training` is false?",
        "Two things depend on `training`. Which one should not?",
        "Take the mask out of its `if`.",
    ),
    mistakes="""
The future is still visible when the model is used. What is inside the first `if`?
-     scores = torch.where(future, -1e30, scores)
+     if training:
+         scores = torch.where(future, -1e30, scores)
-     scores = tf.where(future, -1e30, scores)
+     if training:
+         scores = tf.where(future, -1e30, scores)

Now there is no mask at all, in training either.
-     scores = torch.where(future, -1e30, scores)

-     scores = tf.where(future, -1e30, scores)

The mask is repaired, but now dropout acts in evaluation as well.
-     if training:
-         weights = weights * kept
+     weights = weights * kept

The mask is off by one: each position attends to the next token.
- triu(1)
+ triu(2)
- place[None, :] > place
+ place[None, :] - 1 > place

A position may not even attend to itself. The future begins one step later.
- triu(1)
+ triu(0)
- place[None, :] > place
+ place[None, :] >= place

The mask comes after the softmax: the future gets no weight, but it still counts in the
sum.
@torch
-     scores = torch.where(future, -1e30, scores)

-     if training:
+     weights = torch.where(future, 0.0, weights)
+     if training:
@tensorflow
-     scores = tf.where(future, -1e30, scores)

-     if training:
+     weights = tf.where(future, 0.0, weights)
+     if training:

The past is hidden and the future is visible: your mask is the other triangle.
- .triu(1)
+ .tril(-1)
- place[None, :] > place
+ place[None, :] < place

Dropout is inverted: it acts in evaluation, and not in training.
-     if training:
-         weights =
+     if not training:
+         weights =

Dropout acts on the scores, before the softmax. Apply it to the weights.
-     if training:
-         weights = weights * kept

-     weights = torch.softmax(
+     if training:
+         scores = scores * kept
+     weights = torch.softmax(
-     weights = tf.nn.softmax(
+     if training:
+         scores = scores * kept
+     weights = tf.nn.softmax(

A hidden score of 0 still gets a weight. It has to be very low.
- -1e30
+ 0.0

A hidden score of −1 still gets a weight. It has to be very low.
- -1e30
+ -1.0

Your mask is inverted: each position attends only to the future.
- torch.where(future,
+ torch.where(~future,
- tf.where(future,
+ tf.where(~future,

You subtract 1 from the scores of the future, which still get a weight.
@torch
- torch.where(future, -1e30, scores)
+ scores - future.float()
@tensorflow
- tf.where(future, -1e30, scores)
+ scores - tf.cast(future, scores.dtype)

A large positive score gives all the weight to the future. It has to be very low.
- -1e30
+ 1e30

The scale was right and is now missing.
- x @ x.transpose(1, 2) / x.shape[2] ** 0.5
+ x @ x.transpose(1, 2)
-     scores = scores / x.shape[2] ** 0.5

Your softmax runs over the queries. Each query shares out its own attention.
- dim=2
+ dim=1
- axis=2
+ axis=1

In evaluation you hide the future only after the softmax: the other weights do not
sum to 1.
@torch
-     scores = torch.where(future, -1e30, scores)
+     if training:
+         scores = torch.where(future, -1e30, scores)
-         weights = weights * kept
+         weights = weights * kept
+     weights = torch.where(future, 0.0, weights)
@tensorflow
-     scores = tf.where(future, -1e30, scores)
+     if training:
+         scores = tf.where(future, -1e30, scores)
-         weights = weights * kept
+         weights = weights * kept
+     weights = tf.where(future, 0.0, weights)

Both lines under `if` now run only in evaluation. Dropout belongs to training.
-     scores = torch.where(future, -1e30, scores)
+     if not training:
+         scores = torch.where(future, -1e30, scores)
-     scores = tf.where(future, -1e30, scores)
+     if not training:
+         scores = tf.where(future, -1e30, scores)
-     if training:
-         weights =
+     if not training:
+         weights =

Training is gone altogether: no dropout, and no mask.
-     scores = torch.where(future, -1e30, scores)

-     scores = tf.where(future, -1e30, scores)

-     if training:
-         weights = weights * kept

The mask acts in both modes, and dropout in neither. Training needs its dropout.
-     if training:
-         weights = weights * kept

Now the mask is applied only in evaluation, and training sees the future.
-     scores = torch.where(future, -1e30, scores)
+     if not training:
+         scores = torch.where(future, -1e30, scores)
-     scores = tf.where(future, -1e30, scores)
+     if not training:
+         scores = tf.where(future, -1e30, scores)

Your triangle has one fixed size. What about a longer text?
- torch.ones(length, length).triu(1).bool()
+ torch.ones(64, 64).triu(1).bool()[:length, :length]
- tf.range(x.shape[1])
+ tf.range(64)
-     scores = tf.where(future,
+     future = future[: x.shape[1], : x.shape[1]]
+     scores = tf.where(future,

A hidden score of −20 leaves the future a small weight, which shows where its numbers
are large. Take one that is far lower.
- -1e30
+ -20.0

The number that you add to a hidden score, such as −100, is not low enough for a score
of 300.
- where(future, -1e30, scores)
+ where(future, scores - 100, scores)

The weights are shared out again after dropout. Leave them: the factors 1/(1−p) make up
for what is dropped, on average.
@torch
- weights = weights * kept
+ weights = weights * kept
+         weights = weights / (weights.sum(2, keepdim=True) + 1e-9)
@tensorflow
- weights = weights * kept
+ weights = weights * kept
+         total = tf.reduce_sum(weights, 2, keepdims=True)
+         weights = weights / (total + 1e-9)

The weights are divided by their sum after dropout. Where all of a row is dropped, that
is 0 / 0. Leave them: the factors 1/(1−p) make up for what is dropped.
@torch
- weights = weights * kept
+ weights = weights * kept
+         weights = weights / weights.sum(2, keepdim=True)
@tensorflow
- weights = weights * kept
+ weights = weights * kept
+         weights = weights / tf.reduce_sum(weights, 2, keepdims=True)

Dropout acts on the scores, before they are masked. Apply it to the weights.
-     if training:
-         weights = weights * kept

-     scores = torch.where(
+     if training:
+         scores = scores * kept
+     scores = torch.where(
-     scores = tf.where(
+     if training:
+         scores = scores * kept
+     scores = tf.where(

A position may not even attend to itself, so the first one has no key left, and a
softmax over nothing but −∞ is NaN. The future begins one step later.
- triu(1)
+ triu(0)
- place[None, :] > place[:, None]
+ place[None, :] >= place[:, None]
- -1e30
+ -math.inf

Your mask is inverted: the past is hidden, too, so the last position has no key left,
and a softmax over nothing but −∞ is NaN.
- where(future, -1e30, scores)
+ where(future, scores, -math.inf)

You multiply the mask by −∞ and add it: where it is 0, that is NaN. Choose with a
condition, or multiply by a number that is only very low.
@torch
- torch.where(future, -1e30, scores)
+ scores + future * -torch.inf
@tensorflow
- tf.where(future, -1e30, scores)
+ scores + tf.cast(future, x.dtype) * -math.inf

You took the wrong line out of its `if`: now dropout acts in evaluation, and the mask
still does not.
-     scores = torch.where(future, -1e30, scores)
+     if training:
+         scores = torch.where(future, -1e30, scores)
-     scores = tf.where(future, -1e30, scores)
+     if training:
+         scores = tf.where(future, -1e30, scores)
-     if training:
-         weights = weights * kept
+     weights = weights * kept
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(the_future_changes_nothing,),
    equivalent=dict.fromkeys(
        (
            "scores = torch.where(future, -2e+30, scores)",
            "scores = tf.where(future, -2e+30, scores)",
        ),
        "Both are low enough.",
    )
    | dict.fromkeys(
        ("length = kept.shape[1]", "place = tf.range(kept.shape[1])"),
        "There are as many weights as tokens.",
    ),
)
