"""Find the bug: a test of causality that misses leaks."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, vocab_size, changed in (
        (1, 2, 3, 1),
        (2, 5, 3, 3),
        (3, 4, 5, 2),
        (2, 3, 4, 1),
        (1, 6, 2, 4),
    ):
        before = draw.normal(size=(batch, length, vocab_size))
        after = before.copy()
        after[:, changed:] += draw.normal(size=after[:, changed:].shape)
        after += draw.uniform(-1, 1, size=after.shape) * 1e-6
        yield before, after, changed  # causal
        for place in {0, changed - 1}:
            leak = after.copy()
            leak[-1, place, 0] += draw.uniform(0.01, 1)
            leak[-1, place, 1] -= leak[-1, place, 0] - after[-1, place, 0]
            yield before, leak, changed
        leak = after.copy()
        leak[0, 0] -= 0.3
        yield before, leak, changed
        leak = after.copy()
        leak[0, 0, -1] += 0.002
        yield before, leak, changed
    before = draw.normal(size=(2, 4, 3))
    late, early, little = before.copy(), before.copy(), before.copy()
    late[:, -1] += 0.5  # what may move, without the first place of it
    early[0, 0, 1] += 0.5  # a leak, and nothing else
    little[1, 0, 0] += 0.00015
    tiny = before + draw.choice([-1, 1], size=before.shape) * 5e-5  # each is rounding
    for after in (late, early, little, tiny, before + 1e-6, before + 0.002):
        yield before, after, 1
    large = little + 100
    large[1, 0, 0] += 0.0005
    yield before + 100, large, 1  # large logits move little, too
    before = draw.normal(size=(3, 6, 6))
    lonely = before.copy()
    lonely[1, 2, 4] += 0.02  # one number of many
    yield before, lonely, 4


def reference(before, after, changed):
    return bool(np.abs(before - after)[:, :changed].max() > 1e-4)


def each_leak_is_found(ask, draw):
    before = draw.normal(size=(2, 6, 5)).astype("float32")
    late, small, one, whole = (before.copy() for _ in range(4))
    late[:, 3:] += 0.5
    small += 0.00005
    one[1, 0, 2] += 0.5
    whole[:, 2] += 0.3
    if ask(before, late, 3):
        return (
            "Only places from `changed` on moved, and you report a leak: which places "
            "do you look at?"
        )
    if ask(before, small, 3):
        return (
            "Every logit moved by 0.00005, which is rounding, and you report a leak: "
            "do you add up, or is your threshold too low?"
        )
    if not ask(before, one, 3):
        return (
            "One logit before `changed` moved by 0.5, and you report nothing: is it "
            "lost among the others, or do you look elsewhere?"
        )
    if not ask(before, whole, 3):
        return (
            "All logits of one place moved by 0.3, and you report nothing: do you "
            "compare something that stays the same when they move together?"
        )
    for size in (0.005, 0.0005):
        little = before.copy()
        little[0, 1, 3] -= size
        if not ask(before, little, 3):
            return (
                f"A logit moved by {size}, and you report nothing: is your threshold "
                "too high, or do small differences get smaller by a square or a mean?"
            )
    return None


EXERCISE = Exercise(
    title="A test that misses leaks",
    kind="find the bug",
    difficulty=2,
    minutes=10,
    prompt="""
This function is meant to find leaks. `before` and `after` are the logits of the same
texts, but for `after` the tokens **from place `changed` on** were replaced (`changed`
is at least 1). In a causal model, nothing before `changed` may move by more than
0.0001. (The tokens are those that the model reads, so place `changed` itself may move.
In equation 16.1, the $y_i$ are the tokens to predict.) The function should return
`True` if the model leaks. It finds many leaks, but not all: where logits move up as far
as others move down, it says `False`. Repair it.
""",
    bug="Your mean lets what moves up and what moves down cancel",
    solution={
        "torch": '''
def leaks(before, after, changed):
    """Return True if something before `changed` moved.

    before, after (batch, length, vocab_size); changed is
    a whole number.
    """
    moved = (before - after).abs()
    return bool(moved[:, :changed].max() > 1e-4)
''',
        "tensorflow": '''
def leaks(before, after, changed):
    """Return True if something before `changed` moved.

    before, after (batch, length, vocab_size); changed is
    a whole number.
    """
    moved = tf.abs(before - after)
    return bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
''',
    },
    why="""
In a mean of signed differences, logits that move up and logits that move down cancel,
and of probabilities, which add up to 1, it would always be 0. The largest absolute
difference cannot cancel. Whenever you write a test, break the code in several ways and
see the test fail: a test that has never failed has shown nothing.
""",
    hints=(
        "Run it on logits of which one goes up by 1 and another down by 1.",
        "What does a mean of signed numbers tell about their size?",
        "Take the absolute values, then the largest of them.",
    ),
    mistakes="""
Your mean lets what moves up and what moves down cancel. How large is a difference?
@torch
-     moved = (before - after).abs()
-     return bool(moved[:, :changed].max() > 1e-4)
+     moved = before - after
+     return bool(moved[:, :changed].mean().abs() > 1e-4)
@tensorflow
-     moved = tf.abs(before - after)
-     return bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
+     moved = before - after
+     mean = tf.reduce_mean(moved[:, :changed])
+     return bool(tf.abs(mean) > 1e-4)

The largest signed difference sees only what becomes smaller. A logit that grows has
moved, too.
- (before - after).abs()
+ before - after
- tf.abs(before - after)
+ before - after

The largest signed difference sees only what grows. A logit that gets smaller has moved,
too.
- (before - after).abs()
+ after - before
- tf.abs(before - after)
+ after - before

You look at the places that were changed. They may move as they like.
- [:, :changed]
+ [:, changed:]

You look at all places. Those from `changed` on are meant to move.
- [:, :changed]
+ [:, :]

You include the first changed place, which may move.
- [:, :changed]
+ [:, : changed + 1]

You leave out the place right before `changed`. Most leaks are there.
- [:, :changed]
+ [:, : changed - 1]

You compare the places of the first text only.
- [:, :changed]
+ [:1, :changed]

You look at the place right before `changed` only. A leak may reach further back.
- [:, :changed]
+ [:, changed - 1 : changed]

You look at the first place only.
- [:, :changed]
+ [:, :1]

`changed` counts places, the second axis. You cut off texts.
- [:, :changed]
+ [:changed]

It says `True` for healthy models and `False` for those that leak.
- > 1e-4
+ <= 1e-4

Any difference counts for you, however small. Below 0.0001 it is rounding.
- > 1e-4
+ > 0

Your threshold is so high that small leaks are missed. Is it 0.01, or do you square the
differences?
- > 1e-4
+ > 1e-2

You ask whether everything moved. One number is enough.
- .max()
+ .min()
- reduce_max
+ reduce_min

That is the size of the leak. `True` or `False` is wanted.
@torch
- bool(moved[:, :changed].max() > 1e-4)
+ float(moved[:, :changed].max())
@tensorflow
- bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
+ float(tf.reduce_max(moved[:, :changed]))

The mean of the sizes can't cancel, but one leak among many numbers is averaged away.
@torch
- moved[:, :changed].max() > 1e-4
+ moved[:, :changed].mean() > 1e-4
@tensorflow
- tf.reduce_max(moved[:, :changed]) > 1e-4
+ tf.reduce_mean(moved[:, :changed]) > 1e-4

It can say nothing but `False`.
@torch
- bool(moved[:, :changed].max() > 1e-4)
+ False
@tensorflow
- bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
+ False

It can say nothing but `True`.
@torch
- bool(moved[:, :changed].max() > 1e-4)
+ True
@tensorflow
- bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
+ True

You add up the sizes of all differences. Many that are below 0.0001 are rounding: ask
for the largest.
- .max() > 1e-4
+ .sum() > 1e-4
- reduce_max
+ reduce_sum

You average the squares of the differences. Squares of small differences all but vanish,
and a mean hides one leak among many numbers.
@torch
- (before - after).abs()
+ (before - after).square()
- .max()
+ .mean()
@tensorflow
- tf.abs(before - after)
+ tf.square(before - after)
- reduce_max
+ reduce_mean

The absolute value comes too late: the largest signed difference may be 0, although
other logits moved far in the other direction.
@torch
- (before - after).abs()
+ before - after
- .max() > 1e-4
+ .max().abs() > 1e-4
@tensorflow
- tf.abs(before - after)
+ before - after
- tf.reduce_max(moved[:, :changed]) > 1e-4
+ tf.abs(tf.reduce_max(moved[:, :changed])) > 1e-4

The absolute value comes too late: differences of both signs have cancelled in the sum.
@torch
- (before - after).abs()
+ before - after
- .max() > 1e-4
+ .sum().abs() > 1e-4
@tensorflow
- tf.abs(before - after)
+ before - after
- tf.reduce_max(moved[:, :changed]) > 1e-4
+ tf.abs(tf.reduce_sum(moved[:, :changed])) > 1e-4

You compare the likeliest tokens. Logits can move a lot without changing which of them
is the largest.
@torch
-     moved = (before - after).abs()
-     return bool(moved[:, :changed].max() > 1e-4)
+     moved = before.argmax(2) != after.argmax(2)
+     return bool(moved[:, :changed].any())
@tensorflow
-     moved = tf.abs(before - after)
-     return bool(tf.reduce_max(moved[:, :changed]) > 1e-4)
+     moved = tf.argmax(before, 2) != tf.argmax(after, 2)
+     return bool(tf.reduce_any(moved[:, :changed]))

Your threshold grows with the logits: `allclose` and `isclose` add a relative tolerance
unless you set `rtol=0`.
@torch
-     moved = (before - after).abs()
+     moved = (before - after).abs() - 1e-5 * after.abs()
@tensorflow
-     moved = tf.abs(before - after)
+     moved = tf.abs(before - after) - 1e-5 * tf.abs(after)
""",
    reference=reference,
    cases=cases,
    checks=(each_leak_is_found,),
    equivalent={
        "return bool(moved[:, :changed].max() >= 1e-4)": "Nothing moves by 0.0001.",
        "return bool(tf.reduce_max(moved[:, :changed]) >= 1e-4)": (
            "Nothing moves by 0.0001."
        ),
    },
)
