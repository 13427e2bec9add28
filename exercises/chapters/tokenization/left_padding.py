"""Build a batch for a model that writes: padded on the left, positions and all."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield [[5]], 0
    yield [[], []], 3
    yield [[3, 0, 4], [0]], 0
    for lengths, pad_id in (((2, 4), 0), ((1, 3, 2), 9), ((4, 4), 1), ((0, 2), 7)):
        yield [[int(i) for i in draw.integers(0, 9, size=n)] for n in lengths], pad_id
    yield [[int(draw.integers(9, 30_000))], [1, 2]], 50_256  # GPT-2's end of text


def reference(rows, pad_id):
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), pad_id)
    real = np.zeros(ids.shape, bool)
    positions = np.zeros(ids.shape, int)
    for place, row in enumerate(rows):
        start = longest - len(row)
        ids[place, start:] = row
        real[place, start:] = True
        positions[place, start:] = np.arange(len(row))
    return ids, real, positions


EXERCISE = Exercise(
    title="Padding on the left",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
A model that writes appends the next token at the right end of each row, so a batch of
*prompts*, texts to continue, is padded on the **left**. Each real token must still get
the position that it would have without padding (chapter 2 turns the positions into
vectors). Return three tensors: the ids, the mask and the positions.

A row may contain the number `pad_id` as a **real** token. Some rows, or all of them,
may be empty. Even then, ids and positions are integers and the mask is boolean.
""",
    solution={
        "torch": '''
def pad_left(rows, pad_id):
    """Return ids, mask, positions: three tensors,
    each (batch, longest row).

    rows: lists of ids. mask: True = a real token.
    positions: 0, 1, 2 … for the real tokens of a row;
    0 for padding.
    """
    longest = max(len(row) for row in rows)
    ids, real, positions = [], [], []
    for row in rows:
        missing = longest - len(row)
        ids.append([pad_id] * missing + row)
        real.append([i >= missing for i in range(longest)])
        positions.append([max(0, i - missing) for i in range(longest)])
    return (
        torch.tensor(ids, dtype=torch.long),
        torch.tensor(real, dtype=torch.bool),
        torch.tensor(positions, dtype=torch.long),
    )
''',
        "tensorflow": '''
def pad_left(rows, pad_id):
    """Return ids, mask, positions: three tensors,
    each (batch, longest row).

    rows: lists of ids. mask: True = a real token.
    positions: 0, 1, 2 … for the real tokens of a row;
    0 for padding.
    """
    longest = max(len(row) for row in rows)
    ids, real, positions = [], [], []
    for row in rows:
        missing = longest - len(row)
        ids.append([pad_id] * missing + row)
        real.append([i >= missing for i in range(longest)])
        positions.append([max(0, i - missing) for i in range(longest)])
    return (
        tf.constant(ids, dtype=tf.int32),
        tf.constant(real, dtype=tf.bool),
        tf.constant(positions, dtype=tf.int32),
    )
''',
    },
    why="""
With padding on the right, a model that writes would have to continue after `[PAD]`,
which it was never trained to do. With padding on the left, the last real token of every
row is in the last column. The positions are counted from the first real token, because
otherwise the same prompt would get other vectors (chapter 2) in a batch with a longer
one. The mask comes from the lengths, because with GPT-2 the padding is usually the
token that also ends a text. And the types are given because a framework cannot infer
them from rows without numbers: PyTorch and TensorFlow would both choose floats.
""",
    hints=(
        "How long does every row become, and how many places are missing from each?",
        "With `missing = longest - len(row)`, place i is real where `i >= missing`.",
        "The position of place i is `i - missing`, or 0 where that is negative. Give "
        "`dtype` to each tensor, for rows that are all empty.",
    ),
    mistakes="""
The rows are padded on the right. The last real token should be in the last column.
- [pad_id] * missing + row
+ row + [pad_id] * missing
- i >= missing
+ i < len(row)
- max(0, i - missing)
+ i if i < len(row) else 0

The rows are padded on the right, and the positions count the padding.
- [pad_id] * missing + row
+ row + [pad_id] * missing
- i >= missing
+ i < len(row)
- max(0, i - missing)
+ i

Your positions are padded with `pad_id`. The docstring asks for 0.
- max(0, i - missing)
+ i - missing if i >= missing else pad_id

The ids are padded on the right, but the mask and the positions on the left.
- [pad_id] * missing + row
+ row + [pad_id] * missing

The ids are padded on the left, but the mask on the right.
- i >= missing
+ i < len(row)

Your positions count the padding: a prompt would get other positions in another batch.
- max(0, i - missing)
+ i

Your positions begin at 1. The first real token has position 0.
- max(0, i - missing)
+ max(0, i - missing + 1)

Your positions are negative in the padding. A table of positions has no such rows.
- max(0, i - missing)
+ i - missing

Your positions are -1 in the padding, which a table of positions does not have.
- max(0, i - missing)
+ max(-1, i - missing)

Your positions are 1 in the padding. The docstring asks for 0.
- max(0, i - missing)
+ i - missing if i >= missing else 1

Your positions continue from the padding, which has 0. The first real token has position
0 too.
- max(0, i - missing)
+ i if i >= missing else 0

Your positions are counted at the left end of the row, where the padding is.
- max(0, i - missing)
+ i if i < len(row) else 0

Your positions count from the right end. The first real token has position 0.
- max(0, i - missing)
+ longest - 1 - i if i >= missing else 0

You made the mask from the ids: a real token that has the number of the padding is
hidden.
- i >= missing for i in range(longest)
+ i != pad_id for i in [pad_id] * missing + row

Mask and positions are made from the ids: a real token that has the number of the
padding is taken for padding.
- i >= missing for i in range(longest)
+ i != pad_id for i in [pad_id] * missing + row
- [max(0, i - missing) for i in range(longest)]
+ [max(0, sum(real[-1][: i + 1]) - 1) for i in range(longest)]

True means a real token, and your mask says the opposite.
- i >= missing
+ i < missing

Your mask is off by one: it calls the last padding real.
- i >= missing
+ i >= missing - 1

Your mask is off by one: it hides the first real token.
- i >= missing
+ i > missing

You pad with 0, whatever `pad_id` is.
- [pad_id] * missing
+ [0] * missing

Your rows are reversed. Only the padding moves to the left.
- missing + row
+ missing + row[::-1]

Long rows are cut to the shortest. Tokens are lost.
- max(len(row) for row in rows)
+ min(len(row) for row in rows)
-     for row in rows:
+     for row in (row[:longest] for row in rows):

Your ids are floats. An id is a row number in a table of vectors, so it must be an
integer.
- torch.tensor(ids, dtype=torch.long)
+ torch.tensor(ids, dtype=torch.float32)
- tf.constant(ids, dtype=tf.int32)
+ tf.constant(ids, dtype=tf.float32)

When all rows are empty, your tensors are floats: without a number to look at, the
framework cannot infer a type. Name it with `dtype`.
- , dtype=torch.long)
+ )
- , dtype=torch.bool)
+ )
- , dtype=tf.int32)
+ )
- , dtype=tf.bool)
+ )

When all rows are empty, your mask is not boolean. Name its type with `dtype`.
- , dtype=torch.bool)
+ )
- , dtype=tf.bool)
+ )

Your mask holds 0 and 1. Return True and False.
- torch.tensor(real, dtype=torch.bool)
+ torch.tensor(real, dtype=torch.long)
- tf.constant(real, dtype=tf.bool)
+ tf.constant(real, dtype=tf.int32)

Your positions are floats. They are row numbers in a table, so they must be integers.
- torch.tensor(positions, dtype=torch.long)
+ torch.tensor(positions, dtype=torch.float32)
- tf.constant(positions, dtype=tf.int32)
+ tf.constant(positions, dtype=tf.float32)

The positions are missing: ids, mask and positions are asked for, in this order.
-         torch.tensor(positions, dtype=torch.long),

-         tf.constant(positions, dtype=tf.int32),

Ids come first, then the mask, then the positions.
-         torch.tensor(real, dtype=torch.bool),
-         torch.tensor(positions, dtype=torch.long),
+         torch.tensor(positions, dtype=torch.long),
+         torch.tensor(real, dtype=torch.bool),
-         tf.constant(real, dtype=tf.bool),
-         tf.constant(positions, dtype=tf.int32),
+         tf.constant(positions, dtype=tf.int32),
+         tf.constant(real, dtype=tf.bool),

For an empty row, `-len(row):` is `-0:`, and that is the whole row: your mask calls its
padding real.
- i >= missing for
+ i >= missing or not row for

Your mask begins at the first id that isn't `pad_id`: a real token with that number at
the beginning of a row is taken for padding.
- i >= missing for i in range(longest)
+ any(x != pad_id for x in ids[-1][: i + 1]) for i in range(longest)
- [max(0, i - missing) for i in range(longest)]
+ [max(0, sum(real[-1][: i + 1]) - 1) for i in range(longest)]

The ids are padded on the left, but the mask and the positions on the right.
- i >= missing
+ i < len(row)
- max(0, i - missing)
+ min(i, max(0, len(row) - 1))
""",
    reference=reference,
    cases=cases,
    equivalent={
        "positions.append([max(i - missing, 0) for i in range(longest)])": (
            "The larger of two has no order."
        ),
    },
)
