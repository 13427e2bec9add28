"""Predict the sentence vector of a padded sentence."""

from exercises.engine.exercise import Exercise

import numpy as np

# Means whose norm is a whole number, and whose direction is not the book's.
MEANS = [
    (x * across, y * up)
    for one, other in ((3, 4), (5, 12), (8, 15), (7, 24), (20, 21), (12, 35))
    for x, y in ((one, other), (other, one))
    for across, up in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    if (x * across, y * up) != (3, 4)
]


def unit(x, y):
    norm = (x * x + y * y) ** 0.5 or 1.0  # two opposite vectors add up to 0
    return [x / norm, y / norm]


def directions(a, b, c, d, e, f):
    """Return the right unit vector, then those of several mistakes."""
    scaled = zip(unit(a, b), unit(c, d), strict=True)
    return [
        unit(a + c, b + d),
        unit(b + d, a + c),
        unit(a + b, c + d),
        unit(a, b),
        unit(c, d),
        unit(a + c + e, b + d + f),
        unit(*map(sum, scaled)),
        unit(max(a, c), max(b, d)),
    ]


def values(draw):
    while True:
        x, y = MEANS[draw.integers(len(MEANS))]
        most = max(abs(x), abs(y))
        dx, dy = int(draw.integers(2, most + 3)), -int(draw.integers(1, most + 3))
        e, f = int(draw.integers(20, 30)), -int(draw.integers(6, 12))
        drawn = {"a": x + dx, "b": y + dy, "c": x - dx, "d": y - dy, "e": e, "f": f}
        first = sorted(one for one, _ in directions(**drawn))
        # To two decimals, each mistake must show.
        if min(np.diff(first)) > 0.015:
            return drawn


def reference(a, b, c, d, e, f):
    return unit((a + c) / 2, (b + d) / 2)


EXERCISE = Exercise(
    title="A sentence vector by hand",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A sentence of two tokens is in a batch with a sentence of three, so it has one padded
position.
The encoder returns these vectors for it: ({{a}}, {{b}}) and ({{c}}, {{d}}) at the two
tokens, and ({{e}}, {{f}}) at the padding. What is the sentence vector by mean pooling,
as in equation (7.1), when it is scaled to **norm 1**? Two decimals.
""",
    starter="""
vector = ...  # two numbers, such as [0.12, 0.34]
""",
    solution="""
tokens = [({{a}}, {{b}}), ({{c}}, {{d}})]
mean = [sum(column) / 2 for column in zip(*tokens)]
norm = (mean[0] ** 2 + mean[1] ** 2) ** 0.5
vector = [mean[0] / norm, mean[1] / norm]
""",
    why="""
The padding is not part of the mean, whatever the encoder returned there. After the
scaling, only the direction is left, so the cosine of two sentences is a plain dot
product. For the same reason it does not matter whether you divide the sum by 2, by 3 or
not at all: only *which* vectors are in the sum counts.
""",
    hints=(
        "Which of the three vectors belong to the sentence?",
        "Take the mean of each of the two columns.",
        "The norm is the root of the sum of the squares. Divide both numbers by it.",
    ),
    mistakes="""
The padding is in your mean. Equation (7.1) multiplies it by 0.
- ({{c}}, {{d}})]
+ ({{c}}, {{d}}), ({{e}}, {{f}})]

That is the mean before it is scaled to norm 1.
- vector = [mean[0] / norm, mean[1] / norm]
+ vector = mean

That is the mean of all three positions, and it is not scaled to norm 1.
- ({{c}}, {{d}})]
+ ({{c}}, {{d}}), ({{e}}, {{f}})]
- sum(column) / 2
+ sum(column) / 3
- vector = [mean[0] / norm, mean[1] / norm]
+ vector = mean

That is the sum of the two vectors, neither divided nor scaled to norm 1.
- sum(column) / 2
+ sum(column)
- vector = [mean[0] / norm, mean[1] / norm]
+ vector = mean

The sum of the two is divided by 3, and not scaled to norm 1. There are two tokens.
- sum(column) / 2
+ sum(column) / 3
- vector = [mean[0] / norm, mean[1] / norm]
+ vector = mean

That is the vector of the first token alone: pooling with `[CLS]`, not the
mean.
- tokens = [({{a}}, {{b}}), ({{c}}, {{d}})]
+ tokens = [({{a}}, {{b}}), ({{a}}, {{b}})]

That is the vector of the second token alone.
- tokens = [({{a}}, {{b}}), ({{c}}, {{d}})]
+ tokens = [({{c}}, {{d}}), ({{c}}, {{d}})]

That is max pooling: the larger of the two numbers in each column.
- sum(column) / 2
+ max(column)

You divided by the sum of the two numbers. The norm is the root of the sum of their
squares.
- norm = (mean[0] ** 2 + mean[1] ** 2) ** 0.5
+ norm = mean[0] + mean[1]

You divided by the sum of the squares. Where is the root?
- ** 2) ** 0.5
+ ** 2)

You scaled each token to norm 1 before the mean. Here the mean is scaled.
- mean = [
+ tokens = [(x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in tokens]
+ mean = [

You took the mean of each token's two numbers, or swapped the two. The mean runs over
the tokens, in each column by itself.
- zip(*tokens)
+ tokens

You subtracted the second token. A mean adds.
- sum(column) / 2
+ (column[0] - column[1]) / 2

You scaled each token to norm 1 and took the mean of that. Here the mean is scaled.
- mean = [
+ tokens = [(x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in tokens]
+ mean = [
- vector = [mean[0] / norm, mean[1] / norm]
+ vector = mean

You divided by the larger of the two numbers. The norm is the root of the sum of their
squares.
- norm = (mean[0] ** 2 + mean[1] ** 2) ** 0.5
+ norm = max(mean)

You divided by the root of the mean of the squares. The norm is the root of their sum.
- norm = (mean[0] ** 2 + mean[1] ** 2) ** 0.5
+ norm = ((mean[0] ** 2 + mean[1] ** 2) / 2) ** 0.5
""",
    reference=reference,
    values=values,
    book={"a": 5, "b": 3, "c": 1, "d": 5, "e": 21, "f": -10},
    tolerance=0.006,
    equivalent={
        f"mean = [sum(column) {factor} for column in zip(*tokens)]": "Norm 1 follows."
        for factor in ("/ 1", "/ 3", "* 2")
    },
)
