"""Predict what RMSNorm makes of a row whose mean is not 0."""

from exercises.engine.exercise import Exercise

import numpy as np

ROWS = ((1, 1, 7, 7), (1, 5, 5, 7), (1, 3, 3, 9), (2, 4, 4, 8))  # root mean square 5


def values(draw):
    rows = [
        np.array(row) * sign for row in ROWS for sign in 1 - 2 * np.eye(4, dtype=int)
    ]
    rows = [row for row in rows if abs(row.sum()) > 5]  # the mean must matter
    a, b, c, d = map(int, draw.permutation(rows[draw.integers(len(rows))]))
    return {"a": a, "b": b, "c": c, "d": d, "scale": int(draw.choice([3, 7]))}


def reference(a, b, c, d, scale):
    row = np.array([a, b, c, d])
    return scale * row / np.sqrt(np.mean(row**2))


EXERCISE = Exercise(
    title="RMSNorm of four numbers",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
An RMSNorm over four numbers has learned the gain $g = {{scale}}$, the same for
all four. Its input is the row {{a}}, {{b}}, {{c}}, {{d}}. What is its output, to one
decimal? (The epsilon is too small to matter.)
""",
    starter="""
row = ...  # four numbers, such as [1.5, 2.5, -3.5, 4.5]
""",
    solution="""
x = [{{a}}, {{b}}, {{c}}, {{d}}]
rms = (sum(n**2 for n in x) / 4) ** 0.5
row = [{{scale}} * n / rms for n in x]
""",
    why="""
The squares sum to 100, so their mean is 25 and the root of that is 5. RMSNorm only
changes the length of the row: every number is multiplied by the same factor, and the
mean, which layer norm would remove, stays. There is no bias either.
""",
    hints=(
        "Unlike layer norm, RMSNorm subtracts nothing.",
        "Square the four numbers, take the mean, then the root.",
        "The root mean square is 5. Divide by it, and multiply by the gain.",
    ),
    mistakes="""
That is layer norm. RMSNorm doesn't subtract the mean.
+ x = np.array([a, b, c, d])
+ row = scale * (x - x.mean()) / x.std()

You subtract the mean and then divide by the root mean square of the row. Nothing is
subtracted here.
+ x = np.array([a, b, c, d])
+ row = scale * (x - x.mean()) / 5

You divide by the standard deviation. RMSNorm divides by the root mean square, which
is larger where the mean isn't 0.
+ x = np.array([a, b, c, d])
+ row = scale * x / x.std()

That is the row before the gain.
- {{scale}} * n / rms
+ n / rms

You divided by the mean square. Where is the root?
- / 4) ** 0.5
+ / 4)

You divided by the root of the sum of the squares, the norm of the row. RMS means the
root of their mean.
- for n in x) / 4)
+ for n in x))

You divided the sum of the squares by 3. It is a mean over all four numbers.
- / 4) ** 0.5
+ / 3) ** 0.5

You divided by the mean of the absolute values. Square the numbers first, and take
the root of the mean.
- (sum(n**2 for n in x) / 4) ** 0.5
+ sum(abs(n) for n in x) / 4

You divided by the largest absolute value.
- (sum(n**2 for n in x) / 4) ** 0.5
+ max(abs(n) for n in x)

You multiplied by 1 + scale. Some models store their gain that way; here it is the whole
factor.
- {{scale}} * n
+ (1 + {{scale}}) * n

You added the gain. It is a factor.
- {{scale}} * n / rms
+ n / rms + {{scale}}

You multiplied by the gain without dividing by the root mean square.
- {{scale}} * n / rms
+ {{scale}} * n

You divided by the gain. It is a factor.
- {{scale}} * n / rms
+ n / rms / {{scale}}

The signs are lost: only the root mean square is made of squares.
- {{scale}} * n
+ {{scale}} * abs(n)

You multiplied by the root mean square, and did not divide by it.
- n / rms
+ n * rms

You took the square root of the sum before you divided it by 4.
- (sum(n**2 for n in x) / 4) ** 0.5
+ sum(n**2 for n in x) ** 0.5 / 4

One of your squares is negative. A square never is.
- n**2 for n in x) / 4)
+ n * abs(n) for n in x) / 4 + 0j)
- {{scale}} * n / rms
+ {{scale}} * n / abs(rms)
""",
    reference=reference,
    values=values,
    tolerance=0.006,
)
