"""Predict what a head reads when heads are split by a reshape alone."""

from exercises.engine.exercise import Exercise

import numpy as np

# Elsewhere the bug finds by chance what it should, or head and position are equal.
PLACES = ((0, 1), (0, 2), (1, 0))


def values(draw):
    head, row = PLACES[draw.integers(len(PLACES))]
    # Without the book's 20, no answer is the book's.
    tens = draw.choice([1, 3, 4, 5, 6, 7, 8, 9], size=3, replace=False)
    unit = int(draw.integers(5))
    return task(head, row, tuple(10 * int(ten) + unit for ten in tens))


def task(head, row, starts):
    numbers = [" ".join(str(start + n) for n in range(6)) for start in starts]
    lines = "\n".join(f"position {at}:  {line}" for at, line in enumerate(numbers))
    return {"head": head, "row": row, "starts": starts, "lines": lines}


def reference(head, row, starts, lines=""):
    numbers = np.array(starts)[:, None] + np.arange(6)
    return numbers.reshape(2, 3, 3)[head, row]


EXERCISE = Exercise(
    title="What does the faulty head read?",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt="""
Here are three positions with six numbers each. They are to be split into two heads:

```
{{lines}}
```

A single reshape to (heads, length, d_k) splits them, and the transpose is forgotten.
Which three numbers does **head {{head}}** get for **position {{row}}**?
Heads and positions are counted from 0.
""",
    starter="""
found = ...  # three whole numbers, such as [11, 12, 13]
""",
    solution="""
x = [start + n for start in {{starts}} for n in range(6)]
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
+ first = starts[row] + 3 * head
+ found = [first, first + 1, first + 2]

That is another position of this head. Positions count from 0.
+ found = reference(head, 0 if row == 2 else row + 1, starts)

That is the other head. Heads count from 0.
+ found = reference(1 - head, row, starts)

You took every second number of the position. A reshape takes consecutive ones.
+ found = [starts[row] + 2 * i + head for i in range(3)]

Within the right nine numbers, you took every third. A reshape fills row after row.
+ x = [start + n for start in starts for n in range(6)]
+ found = x[9 * head + row : 9 * head + 9 : 3]

You took every second of the nine numbers of this head. A reshape takes consecutive
ones.
+ x = [start + n for start in starts for n in range(6)]
+ found = x[9 * head + row : 9 * head + row + 6 : 2]

You took the same number of each position. A reshape takes consecutive numbers.
+ found = [start + 3 * head for start in starts]

Your three numbers begin one place too late. Places count from 0.
+ x = [start + n for start in starts for n in range(6)]
+ first = 9 * head + 3 * row + 1
+ found = x[first : first + 3]

Your three numbers begin one place too early. Places count from 0.
+ x = [start + n for start in starts for n in range(6)]
+ first = 9 * head + 3 * row - 1
+ found = x[first : first + 3]

Those three numbers belong to another position of this head. Positions count from 0.
+ found = reference(head, (row + 2) % 3, starts)
""",
    reference=reference,
    values=values,
    book=task(1, 0, (10, 20, 30)),
    equivalent=dict.fromkeys(
        (
            "x = [start + n for start in (9, 20, 30) for n in range(6)]",
            "x = [start + n for start in (11, 20, 30) for n in range(6)]",
            "x = [start + n for start in (10, 20, 29) for n in range(6)]",
            "x = [start + n for start in (10, 20, 31) for n in range(6)]",
            "first = (1 * 3 - 0) * 3  # a head has 3 rows of 3",
        ),
        "The three numbers that are asked for stay the same.",
    ),
)
