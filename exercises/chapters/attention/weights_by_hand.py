"""Predict attention weights from scores that are easy to exponentiate."""

from exercises.engine.exercise import Exercise

import numpy as np


def values(draw):
    # So far apart that half of the third weight changes the second decimal. The weights
    # differ from their two decimals by less than the tolerance.
    numbers = [int(draw.choice([3, 5, 6, 7])), int(draw.integers(14, 21))]
    first, second = draw.permutation(numbers)
    return {"first": int(first), "second": int(second)}


def reference(first, second):
    return np.array([first, second, 0]) / (first + second)


def they_sum_to_one(ask, draw):
    total = np.sum(ask())
    if abs(total - 1) > 0.02:
        return f"Your weights sum to {total:.3g}. Weights sum to 1."
    return None


EXERCISE = Exercise(
    title="Weights by hand",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
One query meets three keys. Its scores, already divided by $\sqrt{d_k}$, are
$\ln {{first}}$, $\ln {{second}}$ and $\ln 1$. The third key is masked.

What are the three weights? Work them out to two decimals, without running anything.
""",
    starter="""
weights = ...  # three numbers, such as [0.5, 0.3, 0.2]
""",
    solution="""
exponentials = [{{first}}, {{second}}, 0]  # e to the ln {{second}} is {{second}}
weights = [e / sum(exponentials) for e in exponentials]
""",
    why=r"""
The exponential undoes the logarithm, so all that is left to compute is a sum. A masked
key takes no part in that sum: its score becomes $-\infty$ **before** the softmax, and
its exponential becomes 0. The other two share the whole weight, and the three weights
sum to 1.
""",
    hints=(
        r"What is $e^{\ln 5}$?",
        r"A masked key has the score $-\infty$. What is its exponential?",
        "Divide each exponential by the sum of all three.",
    ),
    mistakes="""
The third key is masked. Which score does the mask give it?
- {{second}}, 0]
+ {{second}}, 1]

You masked after the softmax: the weights no longer sum to 1.
- sum(exponentials)
+ (sum(exponentials) + 1)

These are the scores' own shares. Where is the exponential?
+ total = math.log({{first}} * {{second}})
+ weights = [math.log(k) / total for k in ({{first}}, {{second}}, 1)]

You added the mask as 1 and 0. What has to be added to a score to hide its key?
+ exponentials = [math.e * {{first}}, math.e * {{second}}, 1]
+ weights = [e / sum(exponentials) for e in exponentials]

These are exponentials.
+ weights = [{{first}}, {{second}}, 0]

Softmax gives the largest score the largest weight, but not all of it.
+ weights = [float({{first}} > {{second}}), float({{second}} > {{first}}), 0]

You raised e to the power of {{first}} and {{second}}. The scores are their logarithms.
+ exponentials = [math.exp({{first}}), math.exp({{second}}), 0]
+ weights = [e / sum(exponentials) for e in exponentials]

You divided the third weight equally. The other two take it in proportion to their own.
- [e / sum(exponentials) for e in exponentials]
+ [
+     round((e + 0.5) / (sum(exponentials) + 1), 2) if e else 0 for e in exponentials
+ ]

The first two are swapped. Which of them has the larger score?
+ weights = [right[1], right[0], 0]

Two equal weights would need two equal scores.
+ weights = [0.5, 0.5, 0]

These are percentages. Weights sum to 1.
+ weights = [round(100 * right[0]), round(100 * right[1]), 0]

The first two are right. The third key is masked: what is its weight?
+ weights = [right[0], right[1], 1]

You masked the first key. The mask hides the third.
+ weights = [0, {{second}} / ({{second}} + 1), 1 / ({{second}} + 1)]

Your mask is the wrong way round: it leaves the third key only. It hides the third.
+ weights = [0, 0, 1]

You masked the second key. The mask hides the third.
+ weights = [{{first}} / ({{first}} + 1), 0, 1 / ({{first}} + 1)]

These are scores. A softmax turns them into weights.
+ weights = [math.log({{first}}), math.log({{second}}), 0]

Three equal weights would need three equal scores, and one of the keys is masked.
+ weights = [1 / 3, 1 / 3, 1 / 3]
""",
    reference=reference,
    values=values,
    book={"first": 5, "second": 9},
    checks=(they_sum_to_one,),
    tolerance=0.0037,
)
