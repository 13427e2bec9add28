"""Predict how far scores spread, before and after the scale."""

from exercises.engine.exercise import Exercise


def values(draw):
    # With 2, a product's deviation would be the sum of both, too. No root is the square
    # of a deviation.
    root = draw.choice([8, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20])
    return {
        "d_k": int(root) ** 2,
        "std": int(draw.integers(3, 8)),
    }


def reference(d_k, std):
    return [std**2 * d_k**0.5, float(std**2)]


EXERCISE = Exercise(
    title="How far do scores spread?",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
Queries and keys have $d_k = {{d_k}}$ numbers. All numbers are independent, with mean 0
and **standard deviation {{std}}**. What is the standard deviation of the dot product of
a query with a key? What is it after the division by $\sqrt{d_k}$? Both answers are
whole numbers.
""",
    starter="""
spread = ...  # before and after, such as [100, 10]
""",
    solution="""
one_product = {{std}} * {{std}}
spread = [one_product * {{d_k}} ** 0.5, one_product]
""",
    why=r"""
The standard deviation of a product of two independent numbers with mean 0 is the
product of their standard deviations, here {{std}} times {{std}}. Variances add up, so a
sum of {{d_k}} products has {{d_k}} times the variance and $\sqrt{ {{d_k}} }$ times the
standard deviation. The division removes the effect of $d_k$ and nothing else: queries
and keys with large entries still make the softmax sharp.
""",
    hints=(
        "Begin with $d_k = 1$: the product of one number with one number.",
        "In a sum of independent numbers, which adds up: the standard deviation or the "
        "variance?",
        r"Before: the standard deviation of one product, times $\sqrt{d_k}$.",
    ),
    mistakes="""
You took the numbers to have standard deviation 1. Here it is {{std}}, so what does one
product have?
- one_product = {{std}} * {{std}}
+ one_product = 1

These are variances. The standard deviation is the root of the variance.
+ spread = [right[0] ** 2, right[1] ** 2]

You took the variance of one product, {{std}} to the power of 4. Its root is the
standard deviation.
+ spread = [right[1] ** 2 * d_k**0.5, right[1] ** 2]

You divided a variance. Take its root first.
+ spread = [right[0] ** 2, right[0] ** 2 / d_k**0.5]

After the division it would be 1 if queries and keys had standard deviation 1. These
have {{std}}.
- 0.5, one_product]
+ 0.5, 1]

You divided by `d_k` itself. Divide by its root.
- 0.5, one_product]
+ 0.5, one_product / {{d_k}} ** 0.5]

Both factors vary: the deviation of their product is {{std}} times {{std}}.
- one_product = {{std}} * {{std}}
+ one_product = {{std}}

Before the division, `d_k` products are added. Do standard deviations add up like that?
- one_product * {{d_k}} ** 0.5
+ one_product * {{d_k}}

Do standard deviations add up? Yours did before the division, and the root of `d_k` was
left over after it.
+ spread = [right[1] * d_k, right[0]]

Your two numbers are swapped. Give the one before the division first.
+ spread = right[::-1]

Both of your numbers are the same. What does the division by the root of `d_k` change?
+ spread = [right[0], right[0]]

Your two numbers are the same, and the first is that of one product. How many are added?
+ spread = [right[1], right[1]]

The first number is right. After the division, what is left is the deviation of one
product, of two factors.
+ spread = [right[0], std]

The first number is right. Divide it by the root of `d_k`, once: what is left?
+ spread = [right[0], std * d_k**0.5]

Both factors of a product vary, and a sum of `d_k` products has `d_k` times the
variance, not the deviation.
+ spread = [std * d_k, std * d_k**0.5]

You divided, but a dot product is a sum of products. What is the deviation of the sum?
+ spread = [std, std / d_k**0.5]

A product of numbers with deviation {{std}} has another one. And do deviations add up?
+ spread = [std * d_k, std]

You took the numbers to have standard deviation 1, and added deviations. Variances add
up.
+ spread = [d_k, d_k**0.5]

You added the deviations of the two factors. That of a product is their product.
+ spread = [2 * std * d_k**0.5, 2 * std]

You took {{std}} as the variance of a number. It is the standard deviation.
+ spread = [(std * d_k) ** 0.5, std**0.5]

Before the division, you have the deviation of one product. A dot product adds `d_k` of
them.
+ spread = [std**2, std**2 / d_k**0.5]

You took the root of the first number. Divide it by the root of `d_k`.
+ spread = [right[0], right[0] ** 0.5]

You multiplied by the root of `d_k`. Divide by it.
+ spread = [right[0], right[0] * d_k**0.5]
""",
    reference=reference,
    values=values,
    book={"d_k": 256, "std": 3},
)
