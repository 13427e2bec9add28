"""Predict how many scores are computed with and without a cache."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    return {"tokens": int(draw.integers(10, 71))}


def reference(tokens):
    n = tokens
    return np.array([n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2])


EXERCISE = Exercise(
    title="What a cache saves",
    kind="predict",
    difficulty=3,
    minutes=10,
    prompt="""
A model starts from `[BOS]` and runs {{tokens}} steps, each of which adds one token: in
step 1 there is 1 token to read, in the last step {{tokens}}. Count the attention
**scores** of one head in one layer, masked ones included: how many dot products of a
query with a key are computed in all steps together, without a cache and with one?
""",
    starter="""
scores = ...  # without and with a cache, such as [500, 50]
""",
    solution="""
steps = range(1, {{tokens}} + 1)
scores = [sum(t * t for t in steps), sum(t for t in steps)]
""",
    why="""
Without a cache, step $t$ computes a whole square of $t$ queries by $t$ keys, of which
only the last row is needed. With a cache, it computes that row alone. The sum of the
squares is about $n^3/3$, the sum of the rows about $n^2/2$, so the gain grows with the
length. The tokens read (equation 8.6) are one degree lower: $n^2/2$ against $n$.
""",
    hints=(
        "In step $t$ without a cache, how many queries are there, and how many keys?",
        "With a cache there is one query in each step.",
        r"Add up $t \cdot t$, and $t$, for $t$ from 1 to {{tokens}}.",
    ),
    mistakes="""
Those are the tokens read (equation 8.6). Each token read has a score for every key.
+ scores = [right[1], tokens]

Those are the last step's scores alone. Add up all steps.
+ scores = [tokens * tokens, tokens]

With a cache there is one query in each step, but it has a score for every key so far.
+ scores = [right[0], tokens]

Without a cache, every step computes all its queries again, not only the last.
+ scores = [right[1], right[1]]

That leaves out the masked scores. They are computed before they are hidden.
+ n = tokens
+ scores = [n * (n + 1) * (n + 2) // 6, right[1]]

The first step reads one token, the last {{tokens}}. You count from 0.
+ n = tokens - 1
+ scores = [n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2]

The last step reads {{tokens}} tokens. You count one step too many.
+ n = tokens + 1
+ scores = [n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2]

With a cache, step t has t scores, one for each key so far, and all steps count.
+ scores = [right[0], 1]

The count without a cache comes first.
+ scores = right[::-1]

You give every step as many tokens as the last one has.
+ scores = [tokens**3, tokens**2]

Without a cache, you give every step as many tokens as the last one has.
+ scores = [tokens**3, right[1]]

With a cache, you give every step as many keys as the last one has.
+ scores = [right[0], tokens**2]

The second count is right. The first is the last step's alone: add up all steps.
+ scores = [tokens**2, right[1]]

That is one pass over the finished text, and what is read with a cache. Each of the
{{tokens}} steps has scores of its own.
+ scores = [tokens**2, tokens**2]

You multiply all queries by all steps. Step t has t queries and t keys: add up t · t.
+ scores = [tokens * right[1], right[1]]

Without a cache, step t has t queries, each with t keys: add up t · t, not t (t − 1).
+ n = tokens
+ scores = [right[0] - right[1], right[1]]

That is an estimate for long texts. The exact sums are asked for.
+ scores = [tokens**3 / 3, tokens**2 / 2]

Each score belongs to one pair of a query and a key: do not count it twice.
+ scores = 2 * right

The second number is what the cache saves. How many scores are left with it?
+ scores = [right[0], right[0] - right[1]]

With a cache, the newest token also has a score for its own key.
+ scores = [right[0], right[1] - tokens]

The newest token's key enters the cache before its query attends, and counts once.
+ scores = [right[0], right[1] + tokens]

The masked scores are left out, and with a cache each step counts as one. Masked scores
are computed, and with a cache step t has t of them.
+ n = tokens
+ scores = [n * (n + 1) * (n + 2) // 6, n]

The first number is the number with a cache, squared. Add up the squares of all steps,
t · t.
+ scores = [right[1] ** 2, right[1]]

With a cache, step t has one score for each key so far: t of them, not two.
+ scores = [right[0], 2 * tokens]

That is how many times fewer there are with a cache. Give the two numbers.
+ scores = right[0] / right[1]
""",
    reference=reference,
    values=values,
    book={"tokens": 27},
    equivalent={"steps = range(0, 27 + 1)": "Step 0 would compute nothing."},
)
