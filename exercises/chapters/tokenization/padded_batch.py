"""Build a batch from rows of different lengths, and its mask."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield [[5]], 0
    yield [[3, 0, 4], [0]], 0
    for lengths, pad_id in (((2, 4), 0), ((1, 3, 2), 9), ((4, 4), 1), ((0, 2), 7)):
        yield [[int(i) for i in draw.integers(0, 9, size=n)] for n in lengths], pad_id
    yield [[int(draw.integers(9, 30_000))], [1, 2]], -100  # what some losses leave out


def reference(rows, pad_id):
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), pad_id)
    real = np.zeros(ids.shape, bool)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        real[place, : len(row)] = True
    return ids, real


EXERCISE = Exercise(
    title="One rectangle",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
A tensor has rows of one length; sentences do not. Fill the short rows up with `pad_id`
at their ends, as far as the longest row of this batch, and say in a mask which tokens
are real. A row may hold the number `pad_id` as a **real** token: in some vocabularies
the padding is a token like any other. A row may also be empty.
""",
    solution={
        "torch": '''
def pad(rows, pad_id):
    """Return ids and mask, both (batch, longest row).

    rows: lists of ids, of different lengths. ids: integers,
    filled up at the end; mask: boolean, True = a real token.
    """
    longest = max(len(row) for row in rows)
    ids = [row + [pad_id] * (longest - len(row)) for row in rows]
    real = [[i < len(row) for i in range(longest)] for row in rows]
    return torch.tensor(ids), torch.tensor(real)
''',
        "tensorflow": '''
def pad(rows, pad_id):
    """Return ids and mask, both (batch, longest row).

    rows: lists of ids, of different lengths. ids: integers,
    filled up at the end; mask: boolean, True = a real token.
    """
    longest = max(len(row) for row in rows)
    ids = [row + [pad_id] * (longest - len(row)) for row in rows]
    real = [[i < len(row) for i in range(longest)] for row in rows]
    return tf.constant(ids), tf.constant(real)
''',
    },
    why="""
The mask is made from the lengths, which are known here and nowhere later. Made from the
ids, it would hide every real token that happens to have the padding's number: GPT-2 has
no padding of its own and borrows the token that ends a text. And a batch that is padded
to its own longest row, not to the longest the model can take, saves the model work.
""",
    hints=(
        "How long does every row become?",
        "How many numbers are missing from a row, and which of its places are real?",
        "Fill up with `[pad_id] * missing`. Place i is real where `i < len(row)`.",
    ),
    mistakes="""
You made the mask from the ids: a real token that has the padding's number is hidden.
What else tells you where a row ends?
- i < len(row) for i in range(longest)
+ i != pad_id for i in row + [pad_id] * (longest - len(row))

The rows are padded at their beginnings.
- row + [pad_id] * (longest - len(row))
+ [pad_id] * (longest - len(row)) + row
- i < len(row)
+ i >= longest - len(row)

The ids are padded at the end, and the mask at the beginning.
- i < len(row)
+ i >= longest - len(row)

True means real, and your mask says the opposite.
- i < len(row)
+ i >= len(row)

Your mask is off by one: it calls the first padding real.
- i < len(row)
+ i <= len(row)

You pad with 0, whatever `pad_id` is.
- row + [pad_id]
+ row + [0]

Long rows are cut to the shortest. Tokens are lost.
- max(len(row) for row in rows)
+ min(len(row) for row in rows)
+     rows = [row[:longest] for row in rows]

Your ids are floats. An id is a name: embeddings want whole numbers.
- torch.tensor(ids),
+ torch.tensor(ids, dtype=torch.float32),
- tf.constant(ids),
+ tf.constant(ids, dtype=tf.float32),

Your mask holds 0 and 1. Say True and False: numbers get added, truth values select.
- torch.tensor(real)
+ torch.tensor(real).long()
- tf.constant(real)
+ tf.cast(tf.constant(real), tf.int32)
""",
    reference=reference,
    cases=cases,
)
