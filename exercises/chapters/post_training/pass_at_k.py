"""Predict pass@k from a few right answers among many."""

from math import comb

from exercises.engine.exercise import Exercise


def values(draw):
    n = int(draw.choice([16, 20, 24, 32, 40]))
    return {
        "n": n,
        "right_ones": int(draw.integers(2, n // 4)),
        "k": int(draw.choice([2, 3, 4, 5, 8])),
    }


def reference(n, right_ones, k):
    return 1 - comb(n - right_ones, k) / comb(n, k)


EXERCISE = Exercise(
    title="At least one of several tries",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
A model has answered one question {{n}} times, and {{right_ones}} of the answers are
right. What is the unbiased estimate of pass@{{k}}, the probability that at least one of
{{k}} tries is right, to three decimals?
""",
    starter="""
estimate = ...  # such as 0.123
""",
    solution="""
from math import comb

wrong = {{n}} - {{right_ones}}
estimate = 1 - comb(wrong, {{k}}) / comb({{n}}, {{k}})
""",
    why=r"""
Draw $k$ of the $n$ answers at random, without putting any back: there are
$\binom{n}{k}$ ways, and in $\binom{n-c}{k}$ of them all are wrong. The obvious formula,
$1 - (1 - c/n)^k$, is too small on average, because it treats the measured share $c/n$
as if it were the true one.
""",
    hints=(
        "What is the probability that all the tries are wrong?",
        "Choose the tries among the {{n}} answers, each at most once: how many choices "
        "hold wrong answers alone?",
        "`math.comb(n, k)` counts the choices. Subtract the share of bad ones from 1.",
    ),
    mistakes="""
That is the plain formula, 1 − (1 − c/n)^k, which is biased. Choose without putting
back.
+ estimate = 1 - (1 - right_ones / n) ** k

That is the probability that all tries are wrong.
+ estimate = 1 - right

That is pass@1, the share of right answers.
+ estimate = right_ones / n

That is the probability that all tries are right.
+ from math import comb
+ estimate = comb(right_ones, k) / comb(n, k)

You multiply the share of right answers by the number of tries. Two tries can be right
at once.
+ estimate = k * right_ones / n

That is a percentage. A number from 0 to 1 is wanted.
+ estimate = 100 * right
""",
    reference=reference,
    values=values,
    tolerance=0.0006,
)
