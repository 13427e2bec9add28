"""Predict what layer norm makes of a row of two different numbers."""

from exercises.engine.exercise import Exercise


def values(draw):
    low = int(draw.integers(3, 20))
    # The scale is none of the deviations, and not the book's.
    return {
        "low": low,
        "high": low + 2 * int(draw.choice([4, 6, 7])),
        "scale": int(draw.choice([3, 8, 9, 10, 11, 12])),
        "bias": -int(draw.integers(2, 18)),
    }


def reference(low, high, scale, bias):
    return [float(bias + scale * sign) for sign in (-1, -1, 1, 1)]


EXERCISE = Exercise(
    title="Layer norm of four numbers",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
A layer norm over four numbers has learned the scale $\gamma = {{scale}}$ and the bias
$\beta = {{bias}}$, the same for all four. Its input is the row
{{low}}, {{low}}, {{high}}, {{high}}. What is its output? (The epsilon is too small to
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
All four numbers are equally far from their mean, so that distance is the standard
deviation, and the normalized row is −1, −1, 1, 1, whatever the two numbers were. Layer
norm keeps the pattern of the row and removes its mean and its size; scale and bias then
set new ones.
""",
    hints=(
        "What is the mean of the four, and how far is each from it?",
        "If all are equally far from the mean, what is the standard deviation?",
        "The normalized row is −1, −1, 1, 1. Now multiply by the scale and add the "
        "bias.",
    ),
    mistakes="""
The variance is a mean over all four numbers: divide the sum by 4, not by 3.
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

The mean is not subtracted. What is the mean of a normalized row?
- {{scale}} * (n - mean)
+ {{scale}} * n

The mean is not subtracted, neither from the numbers nor in the deviation: this is an
RMS norm, another layer.
- mean = sum(x) / 4
+ mean = 0

You made the smallest number 0 and the largest 1. Layer norm subtracts the mean and
divides by the standard deviation.
- (n - mean) / deviation
+ (n - {{low}}) / ({{high}} - {{low}})

The bias is left out.
-  + {{bias}}
+

The scale is left out.
- {{scale}} * (n - mean)
+ (n - mean)

The sign is reversed: the mean is subtracted from each number, not the number from
the mean.
- {{scale}} * (n - mean)
+ {{scale}} * (mean - n)

The bias is added, with its own sign. You subtracted it.
- + {{bias}}
+ - {{bias}}

You divided by twice the deviation: by the root of the sum of the squares, instead of
their mean, or by the difference of the two numbers.
- for n in x) / 4)
+ for n in x))

Scale and bias are swapped.
- {{scale}} * (n - mean) / deviation + {{bias}}
+ {{bias}} * (n - mean) / deviation + {{scale}}

The scale multiplies the whole normalized row, not only its positive numbers.
- {{scale}} * (n - mean) / deviation + {{bias}}
+ ({{scale}} if n > mean else 1) * (n - mean) / deviation + {{bias}}

The row is not divided by its standard deviation.
- mean) / deviation
+ mean)

Scale and bias come after the normalization. You applied them to the original row.
- {{scale}} * (n - mean) / deviation + {{bias}}
+ {{scale}} * n + {{bias}}
""",
    reference=reference,
    values=values,
    book={"low": 17, "high": 29, "scale": 5, "bias": -4},
    tolerance=1e-3,
)
