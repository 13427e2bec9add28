"""Find the bugs: a request joins others that are longer or shorter."""

from exercises.engine.exercise import Exercise

import numpy as np

REQUESTS, MOST = 7, 14


def cases(draw):
    # lengths before, the slot that was given away, the newcomer's length
    for lengths, slot, length in (
        ((2, 4), 0, 3),
        ((6, 3, 5), 0, 2),  # the longest row has left
        ((3, 5, 4, 2), 2, 8),  # the newcomer is the longest
        ((7, 4, 9, 5, 6), 1, 3),
    ):
        count = len(lengths)
        # no request is in the slot of its own number
        requests = 1 + np.arange(count) + draw.integers(2)
        requests = draw.permutation(requests)
        while (requests == np.arange(count)).any():
            requests = draw.permutation(requests)
        written = 1 + draw.permutation(count)
        written[slot] = 1
        numbers = draw.permutation(REQUESTS * MOST).reshape(REQUESTS, MOST)
        numbers = (numbers + 0.5) / (REQUESTS * MOST)
        yield np.array(lengths), slot, length, requests, written, numbers


def reference(lengths, slot, length, requests, written, numbers):
    lengths = [length if row == slot else int(n) for row, n in enumerate(lengths)]
    longest = max(lengths)
    mask = np.zeros((len(lengths), 1, 1, longest + 1), bool)
    for row, n in enumerate(lengths):
        mask[row, :, :, longest - n :] = True
    uniform = np.array([numbers[r, n] for r, n in zip(requests, written, strict=True)])
    return np.array(lengths)[:, None], mask, uniform


EXERCISE = Exercise(
    title="A request joins",
    kind="find the bug",
    difficulty=3,
    minutes=15,
    prompt="""
In continuous batching, the rows of a step have read different numbers of tokens. Their
keys are aligned at the right and padded at the left to the longest row, and the newest
token of each row comes behind them.

`lengths` says how many tokens each row has read. Then the request in slot `slot` ended,
and another one took the slot; its prompt, of `length` tokens, has been read. `requests`
and `written` are already those of the next step: which request is in each slot, and how
many tokens it has written. `numbers` has the random numbers of each **request**, one
for each token that it writes; a request alone would be drawn with the same ones.
`next_step` returns, for the next step,

1. the **position** of each row's newest token,
2. the **mask**, True = may attend, over the keys of the longest row and the newest one,
3. the random number with which each row's next token is **drawn**.

It runs, but requests get other texts than they would alone. There are three bugs, one
in each of the three. Fix them.
""",
    bug="Nothing is fixed yet",
    solution={
        "torch": '''
def next_step(
    lengths, slot, length, requests, written, numbers
):
    """Return three tensors: positions (rows, 1), mask
    (rows, 1, 1, longest + 1) and uniform (rows,).

    lengths, requests, written (rows,), integers; slot and
    length, numbers; numbers (requests, most).
    """
    rows = torch.arange(len(lengths))
    joined = torch.where(rows == slot, length, lengths)
    longest = joined.max()
    positions = joined[:, None]
    key = torch.arange(longest + 1)
    mask = key >= longest - joined[:, None]
    uniform = numbers[requests, written]
    return positions, mask[:, None, None], uniform
''',
        "tensorflow": '''
def next_step(
    lengths, slot, length, requests, written, numbers
):
    """Return three tensors: positions (rows, 1), mask
    (rows, 1, 1, longest + 1) and uniform (rows,).

    lengths, requests, written (rows,), integers; slot and
    length, numbers; numbers (requests, most).
    """
    rows = tf.range(len(lengths), dtype=lengths.dtype)
    joined = tf.where(rows == slot, length, lengths)
    longest = tf.reduce_max(joined)
    positions = joined[:, None]
    key = tf.range(longest + 1)
    mask = key >= longest - joined[:, None]
    at = tf.stack([requests, written], axis=1)
    uniform = tf.gather_nd(numbers, at)
    return positions, mask[:, None, None], uniform
''',
    },
    why="""
A row must not notice who shares its step. Its newest token has the position that it
would have alone, which is the number of tokens that its row has read. What the others
add is padding, and how much of it each row has changes whenever a row joins or leaves,
so the mask is made anew from the lengths of this step. And its random numbers belong to
the request: with those of the slot, a text would depend on where it happened to run.

None of the three bugs stops the program. A test that only counts tokens or steps would
pass: compare each text with the one that `generate` writes for its request alone.
""",
    hints=(
        "What would each of the three be if the row were alone, without padding?",
        "A row with n tokens has read positions 0 to n − 1. Which position does its "
        "newest token have, whatever the longest row is?",
        "The padding of a row is `longest` minus its length, and one row has just "
        "changed. `rows` has the numbers of the slots, not those of the requests.",
    ),
    mistakes="""
Nothing is fixed yet: all rows have the position of the longest, the mask is that of the
rows before the newcomer, and random numbers are taken by slot.
@torch
- positions = joined[:, None]
+ positions = longest.expand(len(rows), 1)
- longest - joined[:, None]
+ longest - lengths[:, None]
- numbers[requests, written]
+ numbers[rows, written]
@tensorflow
- positions = joined[:, None]
+ positions = tf.fill((len(rows), 1), longest)
- longest - joined[:, None]
+ longest - lengths[:, None]
- [requests, written]
+ [rows, written]

The random numbers are right. All rows still have the position of the longest, and the
mask is still that of the rows before the newcomer.
@torch
- positions = joined[:, None]
+ positions = longest.expand(len(rows), 1)
- longest - joined[:, None]
+ longest - lengths[:, None]
@tensorflow
- positions = joined[:, None]
+ positions = tf.fill((len(rows), 1), longest)
- longest - joined[:, None]
+ longest - lengths[:, None]

The mask is right. All rows still have the position of the longest, and random numbers
are still taken by slot.
@torch
- positions = joined[:, None]
+ positions = longest.expand(len(rows), 1)
- numbers[requests, written]
+ numbers[rows, written]
@tensorflow
- positions = joined[:, None]
+ positions = tf.fill((len(rows), 1), longest)
- [requests, written]
+ [rows, written]

The positions are right. The mask is still that of the rows before the newcomer, and
random numbers are still taken by slot.
- longest - joined[:, None]
+ longest - lengths[:, None]
@torch
- numbers[requests, written]
+ numbers[rows, written]
@tensorflow
- [requests, written]
+ [rows, written]

All rows still have the position of the longest. A row's newest token has the position
that it would have alone. All else is right.
@torch
- positions = joined[:, None]
+ positions = longest.expand(len(rows), 1)
@tensorflow
- positions = joined[:, None]
+ positions = tf.fill((len(rows), 1), longest)

The mask is still that of the rows before the newcomer, whose slot has another length
now. All else is right.
- longest - joined[:, None]
+ longest - lengths[:, None]

Random numbers are still taken by slot. Each request has its own. All else is right.
@torch
- numbers[requests, written]
+ numbers[rows, written]
@tensorflow
- [requests, written]
+ [rows, written]

The newcomer has the position of the row that left its slot.
- positions = joined[:, None]
+ positions = lengths[:, None]

Your positions are one too low: with n tokens read, positions 0 to n − 1 are taken.
- positions = joined[:, None]
+ positions = joined[:, None] - 1

Your positions count only the tokens that were written. Those of the prompt have
positions, too.
- positions = joined[:, None]
+ positions = written[:, None]

Your mask is the other way round: True means that a key may be attended to.
- key >= longest
+ key < longest

Your mask has its padding at the right. The rows are aligned at the right, so it is at
the left.
- key >= longest - joined[:, None]
+ key <= joined[:, None]

In your mask the newest token can't attend to itself.
- key >= longest - joined[:, None]
+ (key >= longest - joined[:, None]) & (key < longest)

Each row is as far in its random numbers as it has read tokens. Prompts need none: count
the tokens that it has written.
- requests, written]
+ requests, joined]

You take one number too early, which was used for the token before: they are counted
from 0.
- requests, written]
+ requests, written - 1]
""",
    reference=reference,
    cases=cases,
    equivalent={
        f"rows = {made}": "There are as many."
        for name in ("requests", "written")
        for made in (
            f"torch.arange(len({name}))",
            f"tf.range(len({name}), dtype=lengths.dtype)",
            f"tf.range(len(lengths), dtype={name}.dtype)",
        )
    },
)
