"""Predict what a head reads when heads are split by a reshape alone."""

from exercises.engine.exercise import Exercise

import numpy as np

# Elsewhere the bug finds by chance what it should.
PLACES = ((0, 1), (0, 2), (1, 0), (1, 1))


def values(draw):
    head, row = PLACES[draw.integers(len(PLACES))]
    return {"head": head, "row": row}


def reference(head, row):
    numbers = 10 * np.arange(1, 4)[:, None] + np.arange(6)
    return numbers.reshape(2, 3, 3)[head, row]


EXERCISE = Exercise(
    title="What does the faulty head read?",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt="""
Here are three positions with six numbers each. They are to be split into two heads:

```
position 0:  10 11 12 13 14 15
position 1:  20 21 22 23 24 25
position 2:  30 31 32 33 34 35
```

A single reshape to (heads, length, d_k) splits them, and the transpose is forgotten.
Which three numbers does **head {{head}}** get for **position {{row}}**?
Heads and positions are counted from 0.
""",
    starter="""
found = ...  # three whole numbers, such as [11, 12, 13]
""",
    solution="""
x = [10 * (n // 6 + 1) + n % 6 for n in range(18)]
first = ({{head}} * 3 + {{row}}) * 3  # a head has 3 rows of 3
found = x[first : first + 3]
""",
    why="""
A reshape reads row after row, whatever the rows mean. So head 0 gets the first nine
numbers, all of position 0 and half of position 1, and treats them as three positions.
Head 1 gets the rest. Each head should compare all three positions, but gets only half
of the text.
""",
    hints=(
        "Write all 18 numbers in one line. A reshape reads them in this order.",
        "Each head gets nine consecutive numbers: three positions of three numbers.",
        "Head {{head}} begins at index {{head}} · 9 of the line.",
    ),
    mistakes="""
That is what the head should get. Without the transpose, it gets something else.
+ first = 10 * (row + 1) + 3 * head
+ found = [first, first + 1, first + 2]

That is another position of this head. Positions count from 0.
+ found = reference(head, 0 if row == 2 else row + 1)

That is the other head. Heads count from 0.
+ found = reference(1 - head, row)

You took every second number of the position. A reshape takes consecutive ones.
+ found = [10 * (row + 1) + 2 * i + head for i in range(3)]

Within the right nine numbers, you took every third. A reshape fills row after row.
+ x = [10 * (n // 6 + 1) + n % 6 for n in range(18)]
+ found = x[9 * head + row : 9 * head + 9 : 3]

You took every second of the nine numbers of this head. A reshape takes consecutive
ones.
+ x = [10 * (n // 6 + 1) + n % 6 for n in range(18)]
+ found = x[9 * head + row : 9 * head + row + 6 : 2]
""",
    reference=reference,
    values=values,
    equivalent=dict.fromkeys(
        (
            "x = [10 * (n // 5 + 1) + n % 6 for n in range(18)]",
            "x = [10 * (n // 6 + 1) + n % 6 for n in range(17)]",
            "x = [10 * (n // 6 + 1) + n % 6 for n in range(19)]",
        ),
        "The three numbers that are asked for stay the same.",
    ),
)
