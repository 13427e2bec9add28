"""Diagnose: which map of attention weights was made by which mistake."""

from itertools import permutations

from exercises.engine.exercise import Exercise

import numpy as np

BOOK = "DCEAB"
# In none of these does a letter keep its place, so none is its own inverse.
ORDERS = [
    "".join(order)
    for order in permutations("ABCDE")
    if all(map(str.__ne__, order, "ABCDE")) and "".join(order) != BOOK
]
SCORES = np.array([[0.5, 1.0, 0.2], [1.2, 0.4, 0.9], [0.3, 1.1, 0.7]])
CAUSAL = np.tri(3, dtype=bool)


def softmax(scores, axis=1):
    exponentials = np.exp(scores)
    with np.errstate(invalid="ignore"):  # nothing to attend to: 0 / 0
        return exponentials / exponentials.sum(axis, keepdims=True)


def as_text(order, scores):
    """Return the five maps under their letters, as a reader of a notebook sees them."""
    hidden = np.where(CAUSAL, scores, -np.inf)
    maps = (
        softmax(hidden),
        softmax(hidden, axis=0),
        softmax(scores) * CAUSAL,
        softmax(scores + CAUSAL),
        softmax(np.where(CAUSAL, -np.inf, scores)),
    )
    by_letter = [maps[order.index(letter)] for letter in "ABCDE"]
    lines = ["    ".join(f"{letter:14}" for letter in "ABCDE").rstrip()]
    for row in range(3):
        rows = (" ".join(f"{w:4.2f}" for w in one[row]) for one in by_letter)
        lines.append("    ".join(rows))
    return "\n".join(lines)


def values(draw):
    order = ORDERS[draw.integers(len(ORDERS))]
    scores = draw.permutation(SCORES.flat).reshape(SCORES.shape)
    return {"order": order, "maps": as_text(order, scores)}


def reference(order, maps):
    return order


def each_letter_once(ask, draw):
    letters = ask()
    if not letters.isalpha():
        return f"You wrote {letters!r}. Write five letters and nothing else."
    if sorted(letters.upper()) != list("ABCDE"):
        return f"You wrote {letters!r}. Each of the letters A to E belongs there once."
    return None


EXERCISE = Exercise(
    title="Five maps, four mistakes",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
Someone computed **causal** attention for three tokens in five ways, from the same
scores. These are the weights, with a row for each query:

```text
{{maps}}
```

Which map is which? Give the five letters in this order:

1. no mistake;
2. the softmax runs over the queries instead of the keys;
3. the mask sets weights to 0 after the softmax;
4. the mask is added to the scores as ones and zeros;
5. the mask is inverted.
""",
    starter="""
letters = ...  # five letters, such as "ABCDE"
""",
    solution="""
right, over_queries, after_softmax, added, inverted = "{{order}}"
letters = right + over_queries + after_softmax + added + inverted
""",
    why="""
Look at the triangle first. Where no weight is 0, the mask hid nothing: it was added as
numbers. Where the future has weights and the past has none, the mask is inverted, and
the last query, which has no future, gets NaN. Three maps show the right triangle, so
look at the sums: in the right one each row sums to 1; over the queries, each *column*
does; masked after the softmax, the rows sum to less than 1. In real attention code,
too, look at the triangle and the sums first.
""",
    hints=(
        "In which maps does a query attend to a later token?",
        "Add up the rows, then the columns, of the maps that are left.",
        "Where a row sums to less than 1, keys took a share before they were hidden.",
    ),
    mistakes="""
You have 1 and 2 the wrong way round. The weights of one query sum to 1: are they a row
or a column?
+ one, two, three, four, five = right
+ letters = two + one + three + four + five

You have 1 and 3 the wrong way round. The weights of one query sum to 1. Does each row
of your first map?
+ one, two, three, four, five = right
+ letters = three + two + one + four + five

You have 2 and 3 the wrong way round. In which of them does each column sum to 1?
+ one, two, three, four, five = right
+ letters = one + three + two + four + five

Look at the sums of 1, 2 and 3 again: rows of 1, columns of 1, or rows of less than 1?
Each is in another place.
+ one, two, three, four, five = right
+ letters = two + three + one + four + five

Look at the sums of 1, 2 and 3 again: rows of 1, columns of 1, or rows of less than 1?
None is in its place.
+ one, two, three, four, five = right
+ letters = three + one + two + four + five

You have 4 and 5 the wrong way round. An inverted mask hides the past completely; ones
and zeros hide nothing.
+ one, two, three, four, five = right
+ letters = one + two + three + five + four

Your first map attends to later tokens: that is the one whose mask was added as numbers.
+ one, two, three, four, five = right
+ letters = four + two + three + one + five

Your first map attends to later tokens only: that is the one whose mask is inverted.
+ one, two, three, four, five = right
+ letters = five + two + three + four + one

You have 2 and 4 the wrong way round. A mask that is added as numbers hides nothing: are
there zeros?
+ one, two, three, four, five = right
+ letters = one + four + three + two + five

You have 2 and 5 the wrong way round. Which of them shows the past, and which the
future?
+ one, two, three, four, five = right
+ letters = one + five + three + four + two

You have 3 and 4 the wrong way round. In which of them are weights set to 0?
+ one, two, three, four, five = right
+ letters = one + two + four + three + five

You have 3 and 5 the wrong way round. Which of them shows the past, and which the
future?
+ one, two, three, four, five = right
+ letters = one + two + five + four + three

You have 2 and 3 the wrong way round, and 4 and 5. A softmax over the queries makes
columns that sum to 1, and an inverted mask hides the past.
+ one, two, three, four, five = right
+ letters = one + three + two + five + four

You have 1 and 2 the wrong way round, and 4 and 5. Each row of the right map sums to 1,
and an inverted mask hides the past.
+ one, two, three, four, five = right
+ letters = two + one + three + five + four

You have 1 and 3 the wrong way round, and 4 and 5. Each row of the right map sums to 1,
and an inverted mask hides the past.
+ one, two, three, four, five = right
+ letters = three + two + one + five + four

1 and 2 are right. Of the others, one has the right triangle, one has no zeros, and one
hides the past: your 3 has no zeros.
+ one, two, three, four, five = right
+ letters = one + two + four + five + three

1 and 2 are right. Of the others, one has the right triangle, one has no zeros, and one
hides the past, as your 3 does.
+ one, two, three, four, five = right
+ letters = one + two + five + three + four

You wrote, for each map, which description fits. Write, for each description, which map.
+ letters = "".join("ABCDE"[right.index(letter)] for letter in "ABCDE")

Your list begins with 5. Begin with 1.
+ letters = right[::-1]

That is the order in which the maps stand there. Which of them has which mistake?
+ letters = "ABCDE"

Write capital letters, as the maps have them.
+ letters = right.lower()
""",
    reference=reference,
    values=values,
    book={"order": BOOK, "maps": as_text(BOOK, SCORES)},
    checks=(each_letter_once,),
)
