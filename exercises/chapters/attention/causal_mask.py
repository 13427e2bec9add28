"""Build a causal mask with a sliding window, aligned at the end as the chapter's is."""

from exercises.engine.exercise import Exercise

import numpy as np

WINDOW = 4


def cases(draw):
    yield 1, 1
    yield 1, int(draw.integers(5, 9))
    yield 2, 12
    for length in (6, *draw.integers(2, 9, size=2)):
        yield int(length), int(length)
        yield int(length), int(length + draw.integers(1, 4))


def long_cases(draw):
    yield 2, int(draw.integers(1025, 1100))


def reference(length, key_length):
    mask = np.zeros((1, 1, length, key_length), dtype=bool)
    for row, place in enumerate(range(key_length - length, key_length)):
        mask[..., row, max(0, place - WINDOW + 1) : place + 1] = True
    return mask


def the_future_is_hidden(ask, draw):
    length = int(draw.integers(4, 8))
    mask = ask(length, length)[0, 0]
    if mask[0, -1]:
        return (
            f"With length={length}: position 0 may attend to position {length - 1}, "
            "which comes later."
        )
    return None


EXERCISE = Exercise(
    title="A sliding window",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
On long texts, a **sliding window** makes attention cheaper. Write `causal_mask` with a
window of 4: position $i$ may attend to itself and to the 3 positions before it, but to
no others. `True` means *may attend*.

As in the chapter, there are `length` queries and `key_length` keys, and the queries are
the **last** positions of the sequence. The shape is (1, 1, length, key_length).
""",
    solution={
        "torch": '''
def causal_mask(length, key_length):
    """Return (1, 1, length, key_length), True = attend."""
    query_at = torch.arange(length) + (key_length - length)
    key_at = torch.arange(key_length)
    ago = query_at[:, None] - key_at
    return ((ago >= 0) & (ago < 4))[None, None]
''',
        "tensorflow": '''
def causal_mask(length, key_length):
    """Return (1, 1, length, key_length), True = attend."""
    query_at = tf.range(length) + (key_length - length)
    key_at = tf.range(key_length)
    ago = query_at[:, None] - key_at
    return ((ago >= 0) & (ago < 4))[None, None]
''',
    },
    why=r"""
Subtract positions: `ago` says how many positions a key lies before the query.
The query may attend to it if $0 \le \text{ago} < 4$.
The queries are the last `length` of `key_length` positions, so query 0 is at position
`key_length - length`. One row allows at most 4 keys, however long the text is.
If the hidden scores are never computed, the cost of attention grows with the length
and no longer with its square.
""",
    hints=(
        "Give every query and every key its position in the sequence.",
        "With 3 queries and 5 keys, what is the position of the first query?",
        "Subtract a row of key positions from a column of query positions. Which "
        "differences are allowed?",
    ),
    mistakes="""
Your mask hides the future, but its window has no end: position 9 still attends to
position 0.
- ((ago >= 0) & (ago < 4))
+ (ago >= 0)

Your window hides what is too long ago, but not the future.
- ((ago >= 0) & (ago < 4))
+ (ago < 4)

Your window has 5 positions. The position itself is one of the 4.
- (ago < 4)
+ (ago < 5)

Your window has 3 positions: the position itself and 3 before it make 4.
- (ago < 4)
+ (ago < 3)

A position may attend to itself. In your mask it may not.
- (ago >= 0)
+ (ago > 0)

Your window has 4 positions, but none of them is the position itself. Is it shifted by
one?
- (ago >= 0) & (ago < 4)
+ (ago >= 1) & (ago < 5)

Each position attends to one position in the future. Is your comparison off by one?
- (ago >= 0)
+ (ago >= -1)

Your window looks forward: it contains the position itself and the 3 after it.
- (ago >= 0) & (ago < 4)
+ (ago <= 0) & (ago > -4)

Your window is open on both sides: it reaches into the future as far as into the past.
- (ago >= 0) & (ago < 4)
+ (ago > -4) & (ago < 4)

True means may attend: yours is the other way round.
- ((ago >= 0) & (ago < 4))
+ ~((ago >= 0) & (ago < 4))

Your queries are the first positions. With more keys than queries they are the last: is
your window aligned at the end?
- (length) + (key_length - length)
+ (length)

Your queries are shifted the wrong way, or your keys are shifted instead. With more keys
than queries, the first query is at `key_length - length`.
- + (key_length - length)
+ - (key_length - length)

You add `key_length` to the queries. The first of them is at `key_length - length`.
- (key_length - length)
+ key_length

Your mask hides the future correctly, but the window's other end is not aligned: with
more keys than queries it begins `key_length - length` keys too early.
- ((ago >= 0) & (ago < 4))
+ ((ago >= 0) & (ago < 4 + (key_length - length)))

Only the last `length` keys have a window: the ones before them are open to every query.
- (ago < 4)
+ ((ago < 4) | (key_at < key_length - length))

Every position attends to every other. Both conditions must hold: did you combine them
with "or"?
- (ago >= 0) & (ago < 4)
+ (ago >= 0) | (ago < 4)

You cut the sequence into blocks of 4. A window moves with the query.
- (ago >= 0) & (ago < 4)
+ (ago >= 0) & (query_at[:, None] // 4 == key_at // 4)

Every query attends to the last 4 keys of the sequence. The window ends at the query.
- (ago >= 0) & (ago < 4)
+ (ago >= 0) & (key_at >= key_length - 4)

Every query attends to the first 4 keys. The window ends at the query.
- (ago >= 0) & (ago < 4)
+ (ago >= 0) & (key_at < 4)

Your rows are keys and your columns queries.
@torch
- ((ago >= 0) & (ago < 4))[None, None]
+ ((ago >= 0) & (ago < 4)).T[None, None]
@tensorflow
- ((ago >= 0) & (ago < 4))[None, None]
+ tf.transpose((ago >= 0) & (ago < 4))[None, None]

Your mask holds the numbers 1 and 0. Here it has to hold `True` and `False`: leave the
comparison as it is.
@torch
- [None, None]
+ [None, None].float()
@tensorflow
- ((ago >= 0) & (ago < 4))[None, None]
+ tf.cast((ago >= 0) & (ago < 4), tf.float32)[None, None]

Your mask holds whole numbers. Here it has to hold `True` and `False`: leave the
comparison as it is.
@torch
- [None, None]
+ [None, None].int()
@tensorflow
- ((ago >= 0) & (ago < 4))[None, None]
+ tf.cast((ago >= 0) & (ago < 4), tf.int32)[None, None]

That is an additive mask, 0 and −∞, to be added to the scores. A boolean mask is wanted:
`True` where the query may attend.
@torch
-     return ((ago >= 0) & (ago < 4))[None, None]
+     seen = (ago >= 0) & (ago < 4)
+     return torch.where(seen, 0.0, -torch.inf)[None, None]
@tensorflow
-     return ((ago >= 0) & (ago < 4))[None, None]
+     seen = (ago >= 0) & (ago < 4)
+     return tf.where(seen, 0.0, -np.inf)[None, None]

That is an additive mask, with a large negative number. A boolean mask is wanted: `True`
where the query may attend.
@torch
-     return ((ago >= 0) & (ago < 4))[None, None]
+     seen = (ago >= 0) & (ago < 4)
+     return torch.where(seen, 0.0, -1e9)[None, None]
@tensorflow
-     return ((ago >= 0) & (ago < 4))[None, None]
+     seen = (ago >= 0) & (ago < 4)
+     return tf.where(seen, 0.0, -1e9)[None, None]

The mask is right, but without the axes for batch and heads.
- [None, None]
+

Your mask is cut from a square of one fixed size. What about a longer sequence?
@torch
-     return ((ago >= 0) & (ago < 4))[None, None]
+     square = torch.ones(64, 64, dtype=torch.bool)
+     rows = square.tril().triu(-3)[key_length - length : key_length]
+     return rows[None, None, :, :key_length]
@tensorflow
-     return ((ago >= 0) & (ago < 4))[None, None]
+     square = tf.linalg.band_part(tf.ones((64, 64), tf.bool), 3, 0)
+     rows = square[key_length - length : key_length]
+     return rows[None, None, :, :key_length]

`and` and chained comparisons work with single truth values only. Combine the two
comparisons with `&`, each of them in parentheses.
- (ago >= 0) & (ago < 4)
+ (ago >= 0) and (ago < 4)

`band_part` accepts no more diagonals than there are rows: a sequence may be shorter
than the window. `min(3, key_length)` of them are enough.
@tensorflow
+ def causal_mask(length, key_length):
+     square = tf.linalg.band_part(tf.ones((key_length, key_length), tf.bool), 3, 0)
+     return square[None, None, key_length - length :]

A slice that begins at a negative number counts from the end. Near the beginning of the
sequence, your window starts at key 0.
@torch
+ def causal_mask(length, key_length):
+     seen = torch.zeros(1, 1, length, key_length, dtype=torch.bool)
+     for i in range(length):
+         at = i + key_length - length
+         seen[..., i, at - 3 : at + 1] = True
+     return seen
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(the_future_is_hidden,),
)
