"""Predict how many scores are computed with and without a cache."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    return {"tokens": int(draw.choice([10, 20, 30]))}


def reference(tokens):
    n = tokens
    return np.array([n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2])


EXERCISE = Exercise(
    title="What a cache saves",
    kind="predict",
    difficulty=3,
    minutes=10,
    prompt="""
A model writes {{tokens}} tokens, one after another, beginning with nothing but its
start token: in step 1 it reads 1 token, in the last step it has {{tokens}} to look at.
Count the **scores** of one head in one layer, masked ones included: how many dot
products of a query with a key are computed over all steps, without a cache and with
one?
""",
    starter="""
scores = ...  # without and with a cache, such as [500, 50]
""",
    solution="""
steps = range(1, {{tokens}} + 1)
scores = [sum(t * t for t in steps), sum(t for t in steps)]
""",
    why="""
Without a cache, step $t$ computes the whole square of $t$ queries by $t$ keys, only to
use its last row. With one, it computes that row. The sum of squares is about $n^3/3$,
the sum of lengths about $n^2/2$: the gain grows with the length. The same holds for
everything else in the layer, one degree lower: $n^2/2$ tokens are read instead of $n$.
""",
    hints=(
        "In step $t$ without a cache, how many queries are there, and how many keys?",
        "With a cache there is one query in each step.",
        r"Add up $t \cdot t$, and $t$, for $t$ from 1 to {{tokens}}.",
    ),
    mistakes="""
That is the last step alone. All steps count.
+ scores = [tokens * tokens, tokens]

With a cache there is one query in each step, but it meets all keys so far.
+ scores = [right[0], tokens]

Without a cache every step computes all its queries again, not only the last.
+ scores = [right[1], right[1]]

That leaves out the masked scores. They are computed before they are hidden.
+ n = tokens
+ scores = [n * (n + 1) * (n + 2) // 6, right[1]]

The first step reads one token, the last {{tokens}}. You count from 0.
+ n = tokens - 1
+ scores = [n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2]

Without a cache comes first.
+ scores = right[::-1]
""",
    reference=reference,
    values=values,
    equivalent={"steps = range(0, 30 + 1)": "Step 0 would compute nothing."},
)
