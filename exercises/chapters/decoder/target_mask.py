"""Build the mask of the decoder's self-attention: causal, and blind to padding."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    for batch, length, pad_id in (
        (1, 1, 0),
        (1, 3, 0),
        (2, 4, 25),  # larger than any token
        (3, 5, 1),
        (1, 7, 3),
    ):
        yield padded(draw, batch, length, pad_id), pad_id


def long_cases(draw):
    yield padded(draw, 1, int(draw.integers(513, 560)), 0), 0


def padded(draw, batch, length, pad_id):
    """Return ids whose rows end in 1, 2, … places of padding."""
    ids = draw.integers(10, 20, size=(batch, length))
    for row in range(batch):
        padding = (row + 1) % length
        ids[row, length - padding :] = pad_id
    return ids


def reference(ids, pad_id):
    length = ids.shape[1]
    causal = np.tri(length, dtype=bool)
    return causal[None, None] & (ids != pad_id)[:, None, None, :]


def the_past_is_blind(ask, draw):
    length = int(draw.integers(4, 7))
    mask = ask(np.full((1, length), 5), 0)[0, 0]
    for query in range(length - 1):
        if mask[query, query + 1]:
            return (
                f"In a row of {length} real tokens, position {query} may look at "
                f"position {query + 1}."
            )
    return None


EXERCISE = Exercise(
    title="Two reasons to look away",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
In the decoder's self-attention a key is hidden for either of two reasons: it comes
later than the query, or it is padding. Write the mask for a batch of targets. `True`
means *may attend*.
""",
    solution={
        "torch": '''
def target_mask(ids, pad_id):
    """Return (batch, 1, length, length): queries by keys.

    ids (batch, length), padded at the end with pad_id.
    """
    place = torch.arange(ids.shape[1])
    causal = place[None, :] <= place[:, None]
    real = ids != pad_id  # (batch, length)
    return causal & real[:, None, None, :]
''',
        "tensorflow": '''
def target_mask(ids, pad_id):
    """Return (batch, 1, length, length): queries by keys.

    ids (batch, length), padded at the end with pad_id.
    """
    place = tf.range(ids.shape[1])
    causal = place[None, :] <= place[:, None]
    real = ids != pad_id  # (batch, length)
    return causal & real[:, None, None, :]
''',
    },
    why="""
Both masks speak of keys, so both are laid along the last axis: the padding is the same
for all queries, the future is not. *And* joins them, for a key must pass both. The mask
grows with the batch it is given; a triangle stored for one fixed length is right until
a longer sentence comes.
""",
    hints=(
        "Write the two masks one by one. What shape does each have?",
        r"Query $i$ may see key $j$ if $j \le i$; the padding mask asks for the key's "
        "id.",
        "Give the padding mask the axes (batch, 1, 1, length), and join them with `&`.",
    ),
    mistakes="""
The future is visible: nothing but padding is hidden.
- return causal & real
+ return (causal | ~causal) & real

Padding may be attended to: only the future is hidden.
- real = ids != pad_id
+ real = ids == ids

Each position sees one step into the future. Is your triangle off by one?
- place[None, :] <= place[:, None]
+ place[None, :] <= place[:, None] + 1

A position may not even look at itself. Is your triangle off by one?
- place[None, :] <= place
+ place[None, :] < place

Your triangle is the other one: each position sees itself and the future.
- place[None, :] <= place
+ place[None, :] >= place

The padding's queries are hidden as well. Only keys are to be hidden: along which axis
do they run?
- real[:, None, None, :]
+ real[:, None, :, None]

You take `pad_id` for 0. It may be any number.
- ids != pad_id
+ ids != 0

A key needs to pass only one of your masks. It has to pass both.
- return causal & real
+ return causal | real

True means may attend. Your mask says the opposite.
- return causal & real[:, None, None, :]
+ return ~(causal & real[:, None, None, :])

Your triangle has one fixed size. What about a longer batch?
- (ids.shape[1])
+ (64)
-     real =
+     causal = causal[: ids.shape[1], : ids.shape[1]]
+     real =
""",
    reference=reference,
    cases=cases,
    long_cases=long_cases,
    checks=(the_past_is_blind,),
)
