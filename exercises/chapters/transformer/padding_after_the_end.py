"""Find the bug: what follows a row's end token is not part of the translation."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for places in (
        ((True,),),
        ((False, True, False),),
        (
            (False, False, True, False),
            (True, False, True, False),
            (False, False, False, False),
        ),
        draw.random((3, 7)) < 0.25,
    ):
        # 0 and 2, which the chapter has for padding and end, are no ids here.
        eos_id, pad_id, *words = map(int, draw.permutation(np.arange(3, 12)))
        ids = np.where(places, eos_id, draw.choice(words, np.shape(places)))
        yield ids, eos_id, pad_id


def reference(ids, eos_id, pad_id):
    rows = []
    for row in ids:
        ends = np.flatnonzero(row == eos_id)
        last = ends[0] if len(ends) else len(row)
        rows.append(np.where(np.arange(len(row)) <= last, row, pad_id))
    return np.stack(rows)


EXERCISE = Exercise(
    title="Every row has its own end",
    kind="find the bug",
    difficulty=2,
    minutes=15,
    prompt="""
The rows of a batch are generated together but end at different steps. Whatever follows
a row's **first** end token must become padding. The end token itself is kept, and a row
without one stays as it is. This function works for a batch of one row, but in larger
batches it cuts off some translations. Find out why, and repair it.
""",
    bug="One row's end still cuts off the others",
    solution={
        "torch": '''
def finish(ids, eos_id, pad_id):
    """Return (batch, length): padding after each end token.

    ids (batch, length), as they were generated.
    """
    ends = (ids == eos_id).int()
    before = ends.cumsum(1) - ends
    return torch.where(before == 0, ids, pad_id)
''',
        "tensorflow": '''
def finish(ids, eos_id, pad_id):
    """Return (batch, length): padding after each end token.

    ids (batch, length), as they were generated.
    """
    ends = tf.cast(ids == eos_id, tf.int32)
    before = tf.cumsum(ends, 1) - ends
    return tf.where(before == 0, ids, pad_id)
''',
    },
    why="""
`cumsum` along a row counts the end tokens up to each position; minus the position's
own, it counts those **before** it. Where that is 0, the row has not ended yet. The
broken version first took the maximum over the batch, so one row's end became the end of
all.
""",
    hints=(
        "Try it on two rows, one that ends early and one that ends late.",
        "Along which axis does each operation work? One of them mixes the rows.",
        "`before` must be counted in each row by itself: a running sum along axis 1, "
        "minus the position's own.",
    ),
    mistakes="""
One row's end still cuts off the others.
-     before = ends.cumsum(1)
+     ends = ends.amax(0)
+     before = ends.cumsum(0)
-     before = tf.cumsum(ends, 1)
+     ends = tf.reduce_max(ends, 0)
+     before = tf.cumsum(ends, 0)

The maximum along a row says that the row ends, but no longer where. Leave it out, and
count along the row.
- before = ends.cumsum(1)
+ ends = ends.amax(1)
+     before = ends.cumsum(0)
- before = tf.cumsum(ends, 1)
+ ends = tf.reduce_max(ends, 1)
+     before = tf.cumsum(ends, 0)

The maximum over the batch leaves one row for all. Leave it out, and count along each
row.
@torch
- before = ends.cumsum(1)
+ ends = ends.amax(0)
+     before = ends.cumsum(1)
@tensorflow
- before = tf.cumsum(ends, 1)
+ ends = tf.reduce_max(ends, 0)
+     before = tf.cumsum(ends, 1)

The end token itself is replaced. It belongs to the row.
- ends.cumsum(1) - ends
+ ends.cumsum(1)
- tf.cumsum(ends, 1) - ends
+ tf.cumsum(ends, 1)

What follows the end token is kept until a second end token comes.
- before == 0
+ before <= 1

What follows the end token is kept up to the second end token.
- before = ends.cumsum(1) - ends
+ before = ends.cumsum(1)
- before = tf.cumsum(ends, 1) - ends
+ before = tf.cumsum(ends, 1)
- before == 0
+ before <= 1

The row is cut after its last end token, and a row without one disappears.
- before = ends.cumsum(1) - ends
+ before = ends.flip(1).cumsum(1).flip(1)
- before = tf.cumsum(ends, 1) - ends
+ before = tf.cumsum(ends, 1, reverse=True)
- before == 0
+ before > 0

You kept what follows the end and replaced the row itself.
- before == 0
+ before != 0

The running sum goes down the batch instead of along the row.
- cumsum(1)
+ cumsum(0)
- tf.cumsum(ends, 1)
+ tf.cumsum(ends, 0)

The rest of the row is filled with end tokens instead of `pad_id`.
- ids, pad_id)
+ ids, eos_id)

The rest of the row is filled with zeros. Padding is `pad_id`, which may be any id.
- ids, pad_id)
+ ids, 0)

No row is cut. Compare the ids with `eos_id`, and count the ends along each row.
- ids == eos_id
+ ids == 2

A row without an end token loses all but its first token: `argmax` returns 0 where there
is no end.
@torch
- before = ends.cumsum(1) - ends
+ first = ends.argmax(1)[:, None]
- before == 0
+ torch.arange(ids.shape[1]) <= first
@tensorflow
- before = tf.cumsum(ends, 1) - ends
+ first = tf.argmax(ends, 1, tf.int32)[:, None]
- before == 0
+ tf.range(ids.shape[1]) <= first

The row is cut after its last end token instead of its first.
- before = ends.cumsum(1) - ends
+ left = ends.flip(1).cumsum(1).flip(1)
- before = tf.cumsum(ends, 1) - ends
+ left = tf.cumsum(ends, 1, reverse=True)
- before == 0
+ (left > 0) | (left[:, :1] == 0)

A second end token is kept. Everything after the first must become padding.
- before == 0
+ (before == 0) | (ids == eos_id)

Only the end token is replaced. Everything after the first one must become padding.
@torch
- torch.where(before == 0, ids, pad_id)
+ torch.where(ids == eos_id, pad_id, ids)
@tensorflow
- tf.where(before == 0, ids, pad_id)
+ tf.where(ids == eos_id, pad_id, ids)

After the first end token, only other end tokens are replaced. Everything must become
padding.
@torch
- torch.where(before == 0, ids, pad_id)
+ torch.where((before > 0) & (ids == eos_id), pad_id, ids)
@tensorflow
- tf.where(before == 0, ids, pad_id)
+ tf.where((before > 0) & (ids == eos_id), pad_id, ids)

One token after the end is kept.
@torch
- - ends
+ - ends
+     before = nn.functional.pad(before, (1, -1))
@tensorflow
- - ends
+ - ends
+     before = tf.pad(before, ((0, 0), (1, 0)))[:, :-1]

A row is cut only where all rows have ended. Each row has its own end.
- ends.cumsum(1) - ends
+ (ends.cumsum(1) - ends).amin(0)
- tf.cumsum(ends, 1) - ends
+ tf.reduce_min(tf.cumsum(ends, 1) - ends, 0)
""",
    reference=reference,
    cases=cases,
)
