"""Build a mask of the decoder's self-attention: a window, and no padding."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, pad_id, window in (
        (1, 1, 0, 1),
        (1, 3, 0, 2),
        (2, 4, 25, 3),  # pad_id is larger than any token
        (3, 5, 1, 1),
        (2, 6, 0, 6),  # a window as long as the text
        (1, 7, 3, 4),
    ):
        yield padded(draw, batch, length, pad_id), pad_id, window


def long_cases(draw):
    yield padded(draw, 1, int(draw.integers(513, 560)), 0), 0, 300


def padded(draw, batch, length, pad_id):
    """Return ids whose rows begin or end with 1, 2, … places of padding."""
    ids = draw.integers(10, 20, size=(batch, length))
    for row in range(batch):
        padding = (row + 1) % length
        left = (row + length) % 2
        hidden = slice(padding) if left else slice(length - padding, None)
        ids[row, hidden] = pad_id
    return ids


def reference(ids, pad_id, window):
    length = ids.shape[1]
    near = np.tri(length, dtype=bool) & ~np.tri(length, k=-window, dtype=bool)
    return near[None, None] & (ids != pad_id)[:, None, None, :]


def the_future_is_hidden(ask, draw):
    length = int(draw.integers(4, 7))
    mask = ask(np.full((1, length), 5), 0, length)[0, 0]
    for query in range(length - 1):
        if mask[query, query + 1]:
            return (
                f"In a row of {length} real tokens, position {query} may attend to "
                f"position {query + 1}."
            )
    return None


EXERCISE = Exercise(
    title="A mask with a window",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
To save time and memory, some models let each token attend only to the latest `window`
tokens, itself included. Write this mask for the self-attention of a decoder. It also
hides keys that are in the future and keys that are padding. `True` means *may attend*.
""",
    solution={
        "torch": '''
def target_mask(ids, pad_id, window):
    """Return (batch, 1, length, length): queries by keys.

    ids (batch, length), padded at either end with
    pad_id; window, a number from 1.
    """
    place = torch.arange(ids.shape[1])
    back = place[:, None] - place[None, :]
    near = (back >= 0) & (back < window)
    real = ids != pad_id  # (batch, length)
    return near & real[:, None, None, :]
''',
        "tensorflow": '''
def target_mask(ids, pad_id, window):
    """Return (batch, 1, length, length): queries by keys.

    ids (batch, length), padded at either end with
    pad_id; window, a number from 1.
    """
    place = tf.range(ids.shape[1])
    back = place[:, None] - place[None, :]
    near = (back >= 0) & (back < window)
    real = ids != pad_id  # (batch, length)
    return near & real[:, None, None, :]
''',
    },
    why="""
The distance from query to key decides twice: below 0 the key is in the future, and from
`window` on it is too far back. The padding depends on the key alone, so its mask lies
along the last axis and is the same for all queries. `&` combines the conditions,
because a key must meet all of them. The mask is built for the length of its batch; one
of a fixed size fails at the first longer text. Padding at the end is hidden from all
real tokens by the causal condition already; padding at the beginning is not.
""",
    hints=(
        "Write three conditions one by one: not in the future, near enough, not "
        "padding.",
        "Subtract the positions of the keys, a row, from those of the queries, a "
        "column: how far back is each key?",
        "Give the padding mask the axes (batch, 1, 1, length), and combine with `&`.",
    ),
    mistakes="""
The future is visible: nothing but padding is hidden.
- return near & real
+ return (near | ~near) & real

The future is visible: your window has no end on the right.
- (back >= 0) & (back < window)
+ back < window

Your window is open on both sides: it shows as much of the future as of the past.
- (back >= 0) & (back < window)
+ abs(back) < window

There is no window: each position attends to its whole past.
- (back >= 0) & (back < window)
+ back >= 0

Your window is the end of the text, for all queries. It has to move with the query.
- back < window
+ place >= ids.shape[1] - window

The padding is not hidden but shown: only padding within the window may be attended to.
- near & real
+ near & ~real

The window is one token too long. It includes the query's own position.
- back < window
+ back <= window

The window is one token too short. It includes the query's own position.
- back < window
+ back < window - 1

Your window has one fixed length. Use the argument.
- back < window
+ back < 3

Padding may be attended to: only the future and the distant past are hidden.
- real = ids != pad_id
+ real = ids == ids

Each position sees one step into the future. Is your triangle off by one?
- back >= 0
+ back >= -1

A position may not even attend to itself. Is your triangle off by one?
- back >= 0
+ back > 0

Your triangle is the other one: each position attends to itself and the future.
- place[:, None] - place[None, :]
+ place[None, :] - place[:, None]

The padding's queries are hidden instead of its keys. Along which axis do the keys run?
- real[:, None, None, :]
+ real[:, None, :, None]

The padding's queries are hidden as well. Only keys are to be hidden.
- real[:, None, None, :]
+ real[:, None, None, :] & real[:, None, :, None]

You take `pad_id` to be 0. It may be any number.
- ids != pad_id
+ ids != 0

A key has to meet only one of your conditions. It has to meet all: use `&`.
- return near & real
+ return near | real

True means may attend. Your mask says the opposite.
- return near & real[:, None, None, :]
+ return ~(near & real[:, None, None, :])

The axis of the heads is missing: (batch, 1, length, length) is wanted.
- real[:, None, None, :]
+ real[:, None, :]

The padding is missing, and so is the batch: the mask is one square for all rows.
- near & real[:, None, None, :]
+ near

That is the mask without padding. Combine it with that of each row.
- near & real[:, None, None, :]
+ near[None, None]

A boolean mask is wanted; this one holds 1 and 0.
@torch
- near & real[:, None, None, :]
+ (near & real[:, None, None, :]).float()
@tensorflow
- near & real[:, None, None, :]
+ tf.cast(near & real[:, None, None, :], "float32")

A boolean mask is wanted; this one holds the whole numbers 1 and 0.
@torch
- near & real[:, None, None, :]
+ (near & real[:, None, None, :]).int()
@tensorflow
- near & real[:, None, None, :]
+ tf.cast(near & real[:, None, None, :], "int32")

A boolean mask is wanted; this one holds what is added to the scores.
@torch
- return near & real[:, None, None, :]
+ both = near & real[:, None, None, :]
+     return torch.where(both, 0.0, -torch.inf)
@tensorflow
- return near & real[:, None, None, :]
+ both = near & real[:, None, None, :]
+     return tf.where(both, 0.0, float("-inf"))

Your triangle has one fixed size. What about a longer batch?
- (ids.shape[1])
+ (64)
-     real =
+     near = near[: ids.shape[1], : ids.shape[1]]
+     real =

You take all padding to be at the end. A row may begin with it.
@torch
- real = ids != pad_id  # (batch, length)
+ real = place < (ids != pad_id).sum(1, keepdim=True)
@tensorflow
- real = ids != pad_id  # (batch, length)
+ number = tf.reduce_sum(tf.cast(ids != pad_id, tf.int32), 1)
+     real = tf.sequence_mask(number, ids.shape[1])

Your window leaves out the query's own position, and takes one older token instead.
- (back >= 0) & (back < window)
+ (back > 0) & (back <= window)

Your windows are fixed blocks of the text. Each query has a window of its own, which
ends with the query.
- back < window
+ place[:, None] // window == place // window

Every position may attend to itself, even padding. No key that is padding may be
attended to.
- near & real[:, None, None, :]
+ near & real[:, None, None, :] | (back == 0)

Rows and columns are interchanged: the last axis runs over the keys.
- place[:, None] - place[None, :]
+ place[None, :] - place[:, None]
- real[:, None, None, :]
+ real[:, None, :, None]
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(the_future_is_hidden,),
)
