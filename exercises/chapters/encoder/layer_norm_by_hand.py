"""Predict what layer norm makes of a row of two different numbers."""

from exercises.engine.exercise import Exercise


def values(draw):
    low = int(draw.integers(3, 20))
    return {
        "low": low,
        "high": low + 2 * int(draw.integers(2, 6)),
        "scale": int(draw.choice([3, 5])),
        "bias": int(draw.choice([-4, -7])),
    }


def reference(low, high, scale, bias):
    return [float(bias + scale * sign) for sign in (-1, -1, 1, 1)]


EXERCISE = Exercise(
    title="Four numbers, normed",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A layer norm over four numbers has learned the scale $\gamma = {{scale}}$ and the bias
$\beta = {{bias}}$, the same for all four. In comes the row
{{low}}, {{low}}, {{high}}, {{high}}. What comes out? (The epsilon is too small to
matter.)
""",
    starter="""
row = ...  # four numbers, such as [1, 2, 3, 4]
""",
    solution="""
x = [{{low}}, {{low}}, {{high}}, {{high}}]
mean = sum(x) / 4
deviation = (sum((n - mean) ** 2 for n in x) / 4) ** 0.5
row = [{{scale}} * (n - mean) / deviation + {{bias}} for n in x]
""",
    why="""
All four stand equally far from their mean, and that distance is the standard deviation.
So the normed row is −1, −1, 1, 1, whatever the two numbers were: layer norm keeps the
pattern and throws away the level and the size. Then the layer's own scale and bias put
it where the layer wants it.
""",
    hints=(
        "What is the mean of the four, and how far is each from it?",
        "If all are equally far from the mean, what is the standard deviation?",
        "The normed row is −1, −1, 1, 1. Now scale, then bias.",
    ),
    mistakes="""
The variance is a mean over all four numbers: divide by 4, not by 3.
- for n in x) / 4)
+ for n in x) / 3)

You divided by the variance. Its root is the standard deviation.
- / 4) ** 0.5
+ / 4)

That is the row before scale and bias.
- {{scale}} * (n - mean) / deviation + {{bias}}
+ (n - mean) / deviation

The bias comes after the scale: it is not scaled itself.
- {{scale}} * (n - mean) / deviation + {{bias}}
+ {{scale}} * ((n - mean) / deviation + {{bias}})

The mean is not taken away. What is the mean of a normed row?
- {{scale}} * (n - mean)
+ {{scale}} * n

The row is not divided by its standard deviation.
- mean) / deviation
+ mean)
""",
    reference=reference,
    values=values,
    tolerance=1e-3,
)
