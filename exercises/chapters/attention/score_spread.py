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
and **standard deviation {{std}}**. What is the standard deviation of the dot product of
a query with a key? What is it after the division by $\sqrt{d_k}$? Both are whole
numbers.
""",
    starter="""
spread = ...  # before and after, such as [100, 10]
""",
    solution="""
one_product = {{std}} * {{std}}
spread = [one_product * {{d_k}} ** 0.5, one_product]
""",
    why=r"""
The product of two independent numbers with mean 0 has the product of their standard
deviations as its own, {{std}} times {{std}}. Variances add up, so a sum of {{d_k}}
products has {{d_k}} times the variance and $\sqrt{ {{d_k}} }$ times the standard
deviation. The scale removes what the length brought in and nothing else: large queries
and keys still make a sharp softmax.
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

Both of your numbers are the same. What does the division by the root of `d_k` change?
+ spread = [right[0], right[0]]

Your two numbers are the same, and the first is that of one product. How many are added?
+ spread = [right[1], right[1]]

Before, you are right. After the scale, what is left is one product, of two factors.
+ spread = [right[0], std]

Before, you are right. Divide by the root of `d_k`, once: what is left?
+ spread = [right[0], std * d_k**0.5]

Both factors of a product spread, and a sum of `d_k` products has `d_k` times the
variance, not the deviation.
+ spread = [std * d_k, std * d_k**0.5]

You took {{std}} as the variance of a number. It is the standard deviation.
+ spread = [(std * d_k) ** 0.5, std**0.5]

Before the scale, you have the deviation of one product. A dot product adds `d_k` of
them.
+ spread = [std**2, std**2 / d_k**0.5]

You multiplied by the root of `d_k`; the scale divides by it.
+ spread = [right[0], right[0] * d_k**0.5]
""",
    reference=reference,
    values=values,
)
