"""Build the matrix of which output depends on which input."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for length, d_model in ((1, 2), (3, 2), (4, 3), (5, 2), (2, 5), (2, 16)):
        before = draw.normal(size=(length, d_model))
        reads = draw.random((length, length)) < 0.5
        after = np.repeat(before[None], length, 0)
        signs = draw.choice([-1, 1], size=after.shape)
        place = draw.integers(d_model, size=(length, length))
        change = np.zeros_like(after)
        for changed in range(length):
            for output in range(length):
                if reads[output, changed]:
                    change[changed, output, place[changed, output]] = 1
        change *= signs * draw.uniform(0.0015, 3, size=after.shape)
        noise = draw.uniform(-1, 1, size=after.shape) * 1e-5
        if d_model == 3:  # what moves up and what moves down cancel
            change[0, 1] = (0.7, -0.7, 0)
            before[2, 1] = after[:, 2, 1] = 900  # large numbers move little, too
            change[0, 2] = (0, 0.005, 0)
        if d_model == 5:
            change[1, 0] = 0
            change[1, 0, 3] = -0.0015
        if d_model == 16:  # one number of many, and not the smallest that counts
            change[0, 1] = 0
            change[0, 1, 5] = 0.0125
            change[1, 0] = signs[1, 0] * 0.0004  # all of them, and each is rounding
        yield before, after + change + noise


def reference(before, after):
    return (np.abs(after - before).max(-1) > 1e-3).T


def each_change_is_seen(ask, draw):
    before = draw.normal(size=(4, 6)).astype("float32")
    for output, token, size in ((1, 3, 0.5), (3, 1, 0.5), (2, 2, 0.5), (0, 1, 0.002)):
        after = np.repeat(before[None], 4, 0)
        after[token, output, 4] -= size
        found = np.argwhere(ask(before, after)).tolist()
        if found == [[output, token]]:
            continue
        moved = f"Output {output} moved when token {token} was replaced, by {size}"
        if not found:
            return f"{moved} in one number, and you see nothing: {_LOST[output, token]}"
        if [output, token] not in found:
            row, column = found[0]
            return f"{moved}. Yours says that output {row} read token {column}."
        return f"{moved}, and nothing else did. Your matrix has {len(found)} `True`."
    return None


_LOST = {
    (1, 3): "is it lost among the others, or cut off above the diagonal?",
    (3, 1): "is it cut off below the diagonal?",
    (2, 2): "is the diagonal left out?",
    (0, 1): "does your threshold, or a mean, a square or a ratio, make it too small?",
}


EXERCISE = Exercise(
    title="Who reads whom?",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
To find a leak in an unknown model, change one input token at a time and look at what
moves. `before` holds the output vectors of a text, and `after[j]` those of the same
text in which **token $j$** was replaced. Return the matrix that says whether **output
$i$** (row) depends on **token $j$** (column): `True` where at least one number of the
vector moved by more than 0.001, up or down. Smaller differences are rounding.

The tokens are those that the model reads, so output $i$ may depend on token $i$. For a
causal model, nothing above the diagonal is `True`.
""",
    solution={
        "torch": '''
def who_reads_whom(before, after):
    """Return a boolean tensor (outputs, tokens).

    before (length, d_model); after (length, length, d_model):
    which token was replaced, output, number.
    """
    moved = (after - before).abs() > 1e-3
    return moved.any(2).T
''',
        "tensorflow": '''
def who_reads_whom(before, after):
    """Return a boolean tensor (outputs, tokens).

    before (length, d_model); after (length, length, d_model):
    which token was replaced, output, number.
    """
    moved = tf.abs(after - before) > 1e-3
    return tf.transpose(tf.reduce_any(moved, 2))
''',
    },
    why="""
`before` is broadcast over the replaced tokens. A vector has moved if any of its numbers
has; the sign doesn't matter. The rows of `after` are replaced tokens, and the result
wants them as columns, so the last step is a transpose. This matrix is the picture of a
model's mask, measured from outside: it works for any model that you can run.
""",
    hints=(
        "Subtract `before` from all of `after` at once.",
        "A vector has moved if the size of any of its differences is above 0.001.",
        "Which axis of `after` says what was replaced? Where does the result want it?",
    ),
    mistakes="""
Your rows are the replaced tokens and your columns the outputs: it is the other way
round.
@torch
- .any(2).T
+ .any(2)
@tensorflow
- tf.transpose(tf.reduce_any(moved, 2))
+ tf.reduce_any(moved, 2)

A number that gets smaller has moved, too. Did you forget the absolute value?
- (after - before).abs()
+ (after - before)
- tf.abs(after - before)
+ (after - before)

A number that gets larger has moved, too. Did you forget the absolute value?
- (after - before).abs()
+ (before - after)
- tf.abs(after - before)
+ (before - after)

One number is enough: you ask that all numbers of a vector move.
- .any(2)
+ .all(2)
- reduce_any
+ reduce_all

You add up the differences first, so what moves up and what moves down cancels.
@torch
-     moved = (after - before).abs() > 1e-3
-     return moved.any(2).T
+     moved = (after - before).sum(2).abs() > 1e-3
+     return moved.T
@tensorflow
-     moved = tf.abs(after - before) > 1e-3
-     return tf.transpose(tf.reduce_any(moved, 2))
+     moved = tf.abs(tf.reduce_sum(after - before, 2)) > 1e-3
+     return tf.transpose(moved)

Any difference counts for you, however small. Below 0.001 it is rounding.
- > 1e-3
+ > 0

Your threshold is too high: small changes are missed.
- > 1e-3
+ > 1e-2

That is `True` where nothing has moved.
@torch
- moved.any(2).T
+ ~moved.any(2).T
@tensorflow
- tf.transpose(tf.reduce_any(moved, 2))
+ ~tf.transpose(tf.reduce_any(moved, 2))

You look at the first number of each vector only.
@torch
- moved.any(2).T
+ moved[:, :, 0].T
@tensorflow
- tf.reduce_any(moved, 2)
+ moved[:, :, 0]

You average the differences of a vector. A single number that moves a little is lost.
@torch
-     moved = (after - before).abs() > 1e-3
-     return moved.any(2).T
+     return ((after - before).abs().mean(2) > 1e-3).T
@tensorflow
-     moved = tf.abs(after - before) > 1e-3
-     return tf.transpose(tf.reduce_any(moved, 2))
+     size = tf.reduce_mean(tf.abs(after - before), 2)
+     return tf.transpose(size > 1e-3)

Your result is a matrix over the numbers of a vector: you reduced the axis of the
outputs.
- .any(2)
+ .any(1)
- (moved, 2)
+ (moved, 1)

These are the sizes of the changes. Booleans are wanted.
@torch
-     moved = (after - before).abs() > 1e-3
-     return moved.any(2).T
+     return (after - before).abs().amax(2).T
@tensorflow
-     moved = tf.abs(after - before) > 1e-3
-     return tf.transpose(tf.reduce_any(moved, 2))
+     return tf.transpose(tf.reduce_max(tf.abs(after - before), 2))

These are the numbers 0 and 1. Booleans are wanted.
@torch
- moved.any(2).T
+ moved.any(2).T.float()
@tensorflow
- tf.transpose(tf.reduce_any(moved, 2))
+ tf.cast(tf.transpose(tf.reduce_any(moved, 2)), tf.float32)

That is the causal mask that a model should have. Measure the one that it has.
@torch
- moved.any(2).T
+ torch.ones(len(before), len(before), dtype=torch.bool).tril()
@tensorflow
- tf.transpose(tf.reduce_any(moved, 2))
+ tf.linalg.band_part(tf.ones((len(before), len(before))), -1, 0) > 0

You compare each text with the one before it in `after`, not with `before`.
@torch
- (after - before)
+ (after - after.roll(1, 0))
@tensorflow
- (after - before)
+ (after - tf.roll(after, 1, 0))

You add up what all numbers of a vector moved, as a norm does. Each number counts by
itself: many tiny differences are still rounding.
@torch
- moved = (after - before).abs() > 1e-3
+ moved = (after - before).norm(dim=2, keepdim=True) > 1e-3
@tensorflow
- moved = tf.abs(after - before) > 1e-3
+ moved = tf.norm(after - before, axis=2, keepdims=True) > 1e-3

Your threshold grows with the numbers: `isclose` and `allclose` add a relative tolerance
unless you set `rtol=0`.
@torch
- > 1e-3
+ > 1e-3 + 1e-5 * before.abs()
@tensorflow
- > 1e-3
+ > 1e-3 + 1e-5 * tf.abs(before)

You compare an output with the old vector of another place. `after[j, i]` is output i
when token j was replaced, so it is compared with `before[i]`.
- after - before
+ after - before[:, None]

You cut off what lies above the diagonal. What a model reads there is the leak that you
are looking for.
@torch
- .any(2).T
+ .any(2).T.tril()
@tensorflow
-     return tf.transpose(tf.reduce_any(moved, 2))
+     reads = tf.cast(tf.transpose(tf.reduce_any(moved, 2)), tf.int32)
+     return tf.linalg.band_part(reads, -1, 0) > 0
""",
    reference=reference,
    cases=cases,
    checks=(each_change_is_seen,),
    equivalent={
        "moved = (after - before).abs() >= 1e-3": "No drawn number moves by 0.001.",
        "moved = tf.abs(after - before) >= 1e-3": "No drawn number moves by 0.001.",
    },
)
