"""Build the causal mask, aligned at the end so that it serves cached decoding."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield 1, 1
    yield 1, int(draw.integers(2, 6))
    yield 2, 12
    for length in (4, *draw.integers(2, 6, size=2)):
        yield int(length), int(length)
        yield int(length), int(length + draw.integers(1, 4))


def long_cases(draw):
    yield 2, int(draw.integers(1025, 1100))


def reference(length, key_length):
    ages = np.arange(key_length - length, key_length)
    return (np.arange(key_length) <= ages[:, None])[None, None]


def the_past_is_visible(ask, draw):
    length = int(draw.integers(4, 8))
    mask = ask(length, length)[0, 0]
    if mask[0, -1]:
        return (
            f"With length={length}: position 0 may look at position {length - 1}, "
            "which comes later."
        )
    return None


EXERCISE = Exercise(
    title="Mask the future",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
Write `causal_mask`. Position $i$ may look at itself and at what came before, never at
what comes later. `True` means *may attend*.

There are `length` queries and `key_length` keys. When `key_length` is larger, the
queries are the **last** of the sequence, as when a model writes and only the new words
ask: the last query sees every key. The shape is (1, 1, length, key_length), so that it
broadcasts over batch and heads.
""",
    solution={
        "torch": '''
def causal_mask(length, key_length):
    """Return (1, 1, length, key_length), True = attend."""
    query_at = torch.arange(length) + (key_length - length)
    key_at = torch.arange(key_length)
    return (key_at <= query_at[:, None])[None, None]
''',
        "tensorflow": '''
def causal_mask(length, key_length):
    """Return (1, 1, length, key_length), True = attend."""
    query_at = tf.range(length) + (key_length - length)
    key_at = tf.range(key_length)
    return (key_at <= query_at[:, None])[None, None]
''',
    },
    why=r"""
A query at position $i$ may attend to a key at position $j$ when $j \le i$. The queries
are the last `length` of `key_length` positions, so query 0 stands at position
`key_length - length`. One comparison of a column with a row gives the whole mask.
""",
    hints=(
        "Give every query and every key its position in the sequence.",
        "With 3 queries and 5 keys, at which position does the first query stand?",
        "Compare a column of query positions with a row of key positions.",
    ),
    mistakes="""
Your mask lets the past see the future. Which triangle did you build?
- key_at <= query_at
+ key_at >= query_at

A position may not look at itself. Is your mask off by one?
- key_at <= query_at
+ key_at < query_at

Each position sees one step into the future. Is your mask off by one?
- key_at <= query_at
+ key_at <= 1 + query_at

True means may attend: yours is the other way round.
- key_at <= query_at
+ key_at > query_at

Your queries are the first positions. With more keys than queries they are the last: is
your triangle aligned at the end?
- (length) + (key_length - length)
+ (length)

Every position sees every other: this masks nothing.
- key_at <= query_at
+ key_at < key_length + query_at

Your mask is cut from a square of one fixed size. What about a longer sequence?
@torch
-     return (key_at <= query_at[:, None])[None, None]
+     square = torch.ones(64, 64, dtype=torch.bool).tril()
+     rows = square[key_length - length : key_length]
+     return rows[None, None, :, :key_length]
@tensorflow
-     return (key_at <= query_at[:, None])[None, None]
+     square = tf.linalg.band_part(tf.ones((64, 64), tf.bool), -1, 0)
+     rows = square[key_length - length : key_length]
+     return rows[None, None, :, :key_length]
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(the_past_is_visible,),
)
