"""Build the step from block tables to the places of keys and values."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield [[3, 1, 4]], [5], 2
    yield [[2, 0], [4]], [2, 1], 2  # the next token begins a block
    for size, lengths in ((3, (4, 7, 6)), (4, (8, 3, 10)), (5, (2, 13, 9, 5))):
        lengths = draw.permutation(lengths).tolist()
        counts = [length // size + 1 for length in lengths]
        blocks = 1 + draw.permutation(sum(counts) + 2)
        ends = np.cumsum(counts)
        tables = [
            # the last block has a lower number than the one before it
            [*table[:-2], *sorted(table[-2:], reverse=True)]
            for table in (
                blocks[end - count : end].tolist()
                for end, count in zip(ends, counts, strict=True)
            )
        ]
        yield tables, lengths, size


def reference(tables, lengths, size):
    read, write = [], []
    for table, length in zip(tables, lengths, strict=True):
        places = [block * size + at for block in table for at in range(size)]
        read.append([0] * (max(lengths) - length) + places[:length])
        write.append(places[length])
    return np.array(read), np.array(write)


EXERCISE = Exercise(
    title="From tables to places",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
All keys and values are in one pool of places, numbered from 0. Block 0 has the first
`size` places, block 1 the next, and so on. A row's **block table** lists its blocks in
the order of its tokens: the first `size` tokens are in the first block of the table,
wherever that is in the pool.

Write `places`, which returns what a step needs to know:

- `read`, for each row the places of the tokens that it has read, in their order. The
  rows are aligned **at the right** and as wide as the longest; at the left of a shorter
  one there are zeros, which the mask hides.
- `write`, for each row the place of its **next** token.
""",
    solution='''
def places(tables, lengths, size):
    """Return read (rows, longest) and write (rows,), whole numbers.

    tables: for each row the list of its blocks, with room for one more token;
    lengths: for each row how many tokens it has read, at least 1; size: of a block.
    """
    longest = max(lengths)
    read = np.zeros((len(tables), longest), int)
    write = []
    for row, (table, length) in enumerate(zip(tables, lengths)):
        token = np.arange(length + 1)  # the next token is the last
        block = np.array(table)[token // size]
        place = block * size + token % size
        read[row, longest - length :] = place[:-1]
        write.append(place[-1])
    return read, write
''',
    why="""
Token number t is in entry `t // size` of the table, at offset `t % size` of that block,
so a row's keys can be anywhere in the pool and the model still reads them in order.
Nothing is moved when a row grows: if its last block is full, it gets another one,
wherever one is free. That is why the next place is looked up in the table like all
others, and is not always the last place plus 1.

The engine then takes the keys and values at `read`, which copies them. Kernels made for
paged attention read the blocks where they are.
""",
    hints=(
        "Token number t of a row: which entry of the table has its block, and how far "
        "from that block's first place is it?",
        "Block b begins at place `b * size`. `//` and `%` give the entry of the table "
        "and the offset.",
        "Compute the places of `length + 1` tokens. The last one is `write`, and the "
        "others go to `read[row, longest - length :]`.",
    ),
    mistakes="""
You give the numbers of the blocks. A block has `size` places: multiply its number by
`size`, and add how far the token is from the block's beginning.
- block * size + token % size
+ block

All tokens of a block get its first place. Add how far each is from the block's
beginning.
- block * size + token % size
+ block * size

Block number b begins at place b · `size`, not at place b.
- block * size + token % size
+ block + token % size

`//` and `%` have changed places: the entry of the table is `token // size`, the offset
`token % size`.
- token // size
+ token % size
- size + token % size
+ size + token // size

Your rows are aligned at the left. The last token of each row belongs into the last
column.
- read[row, longest - length :]
+ read[row, :length]

You read the pool from place 0 on. The row's table says where its tokens are.
- block * size + token % size
+ token

You go on from the first block, as if the others came right after it. Look each token's
block up in the table.
- np.array(table)[token // size]
+ table[0] + token // size

The next token gets the place after the last one. Where that block is full, its place is
the first of the table's next block.
- write.append(place[-1])
+ write.append(place[-2] + 1)

The next token would overwrite the newest one that was read.
- write.append(place[-1])
+ write.append(place[-2])

You read one token too few of each row: the newest one is missing.
- read[row, longest - length :] = place[:-1]
+ read[row, longest - length + 1 :] = place[:-2]

You read the place of the next token, too, and nothing is there yet.
- longest = max(lengths)
+ longest = max(lengths) + 1
- read[row, longest - length :] = place[:-1]
+ read[row, longest - length - 1 :] = place

You fill up with −1. That is a place, too: the last one of the pool. Put 0.
- np.zeros((len(tables), longest), int)
+ np.full((len(tables), longest), -1)

Your blocks have 16 places, whatever `size` says.
- token // size
+ token // 16
- size + token % size
+ 16 + token % 16

You multiply the offset by `size`, as if the blocks took turns. The places of a block
are side by side.
- block * size + token % size
+ block + size * (token % size)
""",
    reference=reference,
    cases=cases,
    equivalent={
        "read = np.zeros((len(lengths), longest), int)": "There are as many.",
    },
)
