"""Find the bug: what stands after a row's end token is no translation."""

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
A batch is generated together, but its rows end at different steps. What a row holds
after its **first** end token is noise and must become padding; the end token itself
stays, and a row without one stays as it is. In a batch of one, this function works.
In larger ones it cuts translations off. Find out why, and repair it.
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
`cumsum` along a row counts the end tokens up to each position; less the position's own,
it counts those **before** it. Where that is 0, the row is not over yet. The broken
version first took the largest over the batch, so one row's end became everybody's.
""",
    hints=(
        "Give it two rows, one that ends early and one that ends late.",
        "Which axis does each operation work along? One of them mixes the rows.",
        "`before` must be counted in each row by itself: a running sum along axis 1, "
        "less the position's own.",
    ),
    mistakes="""
One row's end still cuts off the others.
-     before = ends.cumsum(1)
+     ends = ends.amax(0)
+     before = ends.cumsum(0)
-     before = tf.cumsum(ends, 1)
+     ends = tf.reduce_max(ends, 0)
+     before = tf.cumsum(ends, 0)

The end token itself is gone. It belongs to the row.
- ends.cumsum(1) - ends
+ ends.cumsum(1)
- tf.cumsum(ends, 1) - ends
+ tf.cumsum(ends, 1)

Noise after the end stays, as long as no second end token comes.
- before == 0
+ before <= 1

You kept the noise and padded the row.
- before == 0
+ before != 0

The running sum goes down the batch instead of along the row.
- cumsum(1)
+ cumsum(0)
- tf.cumsum(ends, 1)
+ tf.cumsum(ends, 0)

The row is filled with end tokens. Padding is `pad_id`.
- ids, pad_id)
+ ids, eos_id)

The row is filled with zeros. Padding is `pad_id`, whichever that is.
- ids, pad_id)
+ ids, 0)

No row is cut. Do you look for `eos_id`, whichever that is?
- ids == eos_id
+ ids == 2

A row without an end token loses all but its first: where no end stands, `argmax` gives
0.
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

The row is cut after its last end token. The first one ends it.
- before = ends.cumsum(1) - ends
+ left = ends.flip(1).cumsum(1).flip(1)
- before = tf.cumsum(ends, 1) - ends
+ left = tf.cumsum(ends, 1, reverse=True)
- before == 0
+ (left > 0) | (left[:, :1] == 0)

A second end token stays. What comes after the first is noise, whatever it is.
- before == 0
+ (before == 0) | (ids == eos_id)
""",
    reference=reference,
    cases=cases,
)
