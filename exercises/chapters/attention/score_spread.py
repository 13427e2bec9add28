"""Predict how far scores spread, before and after the scale."""

from exercises.engine.exercise import Exercise


def values(draw):
    return {
        "d_k": int(draw.choice([16, 64, 256])),
        "std": int(draw.choice([2, 3])),
    }


def reference(d_k, std):
    return [std**2 * d_k**0.5, float(std**2)]


EXERCISE = Exercise(
    title="How far do they spread?",
    kind="predict",
    difficulty=2,
    minutes=5,
    prompt=r"""
Queries and keys have $d_k = {{d_k}}$ numbers. All numbers are independent, with mean 0
and **standard deviation {{std}}**. What is the standard deviation of a query's dot
product with a key? And what is it after the division by $\sqrt{d_k}$?
""",
    starter="""
spread = ...  # before and after, such as [100, 10]
""",
    solution="""
one_product = {{std}} * {{std}}
spread = [one_product * {{d_k}} ** 0.5, one_product]
""",
    why=r"""
A product of two independent numbers with mean 0 has the product of their standard
deviations. Variances add, so {{d_k}} of them make the variance {{d_k}} times as large
and the standard deviation $\sqrt{ {{d_k}} }$ times. The scale takes away what the
length brought in, and nothing else: queries and keys that are large still make a sharp
softmax.
""",
    hints=(
        "Begin with $d_k = 1$: the product of one number with one number.",
        "In a sum of independent numbers, which adds up: the standard deviation or the "
        "variance?",
        r"Before: the standard deviation of one product, times $\sqrt{d_k}$.",
    ),
    mistakes="""
These are variances. What is the root of a variance called?
+ spread = [right[0] ** 2, right[1] ** 2]

You divided a variance. Take its root first.
+ spread = [right[0] ** 2, right[0] ** 2 / d_k**0.5]

After the scale it would be 1 if queries and keys had standard deviation 1. These have
{{std}}.
- 0.5, one_product]
+ 0.5, 1]

The scale is the root of `d_k`. You divided by `d_k` itself.
- 0.5, one_product]
+ 0.5, one_product / {{d_k}} ** 0.5]

Both factors spread: a product of two has {{std}} times {{std}}.
- one_product = {{std}} * {{std}}
+ one_product = {{std}}

Before the scale, `d_k` products are added. Do standard deviations add up like that?
- one_product * {{d_k}} ** 0.5
+ one_product * {{d_k}}

Do standard deviations add up? Yours did before the scale, and the root of `d_k` was
left over after it.
+ spread = [right[1] * d_k, right[0]]

After the scale comes last, before it comes first.
+ spread = right[::-1]
""",
    reference=reference,
    values=values,
)
