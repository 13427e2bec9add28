"""Predict how often a guess is kept, and from what a rejected one is replaced."""

from exercises.engine.exercise import Exercise

import numpy as np

WORDS = "ship", "sea", "shore", "storm"


def values(draw):
    """Draw probabilities in twentieths, so that two words may replace a guess."""
    while True:
        p, q = (1 + draw.multinomial(16, draw.dirichlet([1] * 4)) for _ in range(2))
        found = task(p / 20, q / 20)
        if (p > q).sum() == 2 and all(p != q) and is_clear(found["p"], found["q"]):
            return found


def task(p, q):
    p, q = np.array([p, q])
    parts = {"p": p, "q": q, "kept": np.minimum(p, q), "above": np.maximum(0, p - q)}
    found = {name: part.round(2).tolist() for name, part in parts.items()}
    rows = [
        f"| *{word}* | {one} | {other} |"
        for word, one, other in zip(WORDS, found["p"], found["q"], strict=True)
    ]
    return {"rows": "\n".join(rows), **found}


def is_clear(p, q):
    """Whether all that a reader may take for acceptance or remainder differs."""
    rates = [0, 0.5, 1, *acceptances(p, q)]
    shares = np.array(remainders(p, q))
    far = np.abs(shares[:, None] - shares).max(-1) + np.eye(len(shares))
    near = np.abs(np.subtract.outer(rates, rates)) + np.eye(len(rates))
    return near.min() > 0.002 and far.min() > 0.002


def shares_of(x):
    return np.array(x) / np.sum(x)


def acceptances(p, q):
    """Return the right rate, then those of a reader's mistakes."""
    p, q = np.array(p), np.array(q)
    right = np.minimum(p, q).sum()
    return [
        right,
        np.maximum(p, q).sum(),
        2 * right - 1,
        2 - 2 * right,
        1 - right,
        p @ q,
        np.minimum(1, p / q).mean(),
        q[p >= q].sum(),
    ]


def remainders(p, q):
    """Return the right one, then those of a reader's mistakes, each (words,)."""
    p, q = np.array(p), np.array(q)
    above = np.maximum(0, p - q)
    return [
        shares_of(above),
        above,
        shares_of(np.maximum(0, q - p)),
        shares_of(np.abs(p - q)),
        p - q,
        p,
        above / np.minimum(p, q).sum(),
    ]


def reference(p, q, **_):
    return [float(acceptances(p, q)[0]), *remainders(p, q)[0].tolist()]


EXERCISE = Exercise(
    title="How often is a guess kept?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt=r"""
The next word is one of four. The target gives them the probabilities $p$, the draft
guesses with the probabilities $q$, and a guess $x$ is kept with probability
$\min(1, p(x) / q(x))$:

| word | target $p$ | draft $q$ |
|---|---|---|
{{rows}}

What is the acceptance rate, and from which distribution is a rejected guess replaced,
so that the words have the probabilities $p$ in the end? Give the acceptance rate, then
the remainder's four probabilities in the order of the table, to three decimals.
""",
    starter="""
rate_and_remainder = ...  # such as [0.125, 0.25, 0.5, 0.0, 0.25]
""",
    solution="""
kept = {{kept}}  # the smaller of p and q, for each word
above = {{above}}  # p - q, or 0 where q is larger
rate_and_remainder = [sum(kept), *[one / sum(above) for one in above]]
""",
    why=r"""
A word is guessed *and* kept with probability $q \cdot \min(1, p/q) = \min(p, q)$, so
the acceptance rate is the sum of the minima. What is still missing to $p$ is
$p - \min(p, q) = \max(0, p - q)$. These numbers sum to the share of rejected guesses,
one minus the acceptance rate, and dividing by it makes them a distribution. Words that
the draft guesses too often never replace anything: they have got their share.
""",
    hints=(
        "A word is guessed and kept with probability q · min(1, p / q). Which is the "
        "smaller of two numbers?",
        "What does each word still lack, compared with p, when only kept guesses "
        "count?",
        "The remainder is max(0, p − q), divided by its sum.",
    ),
    mistakes="""
You summed the larger of p and q, which gives more than 1. A word is guessed and kept
with the smaller one.
+ rate_and_remainder = [acceptances(p, q)[1], *right[1:]]

The sum of |p − q| counts each difference twice, once where p is larger and once where q
is. One minus half of it is the acceptance rate.
+ rate_and_remainder = [acceptances(p, q)[2], *right[1:]]

The remainder is right. Your rate is the sum of |p − q|, and should be the sum of the
smaller of p and q.
+ rate_and_remainder = [acceptances(p, q)[3], *right[1:]]

The remainder is right. Your rate is that of rejected guesses.
+ rate_and_remainder = [acceptances(p, q)[4], *right[1:]]

The remainder is right. Your rate is the probability that two independent draws agree. A
guess is also kept if the target would have drawn another word.
+ rate_and_remainder = [acceptances(p, q)[5], *right[1:]]

The remainder is right. For the rate, you averaged min(1, p / q) over the words. Some
are guessed more often than others: weight each by q.
+ rate_and_remainder = [acceptances(p, q)[6], *right[1:]]

The remainder is right. Your rate counts the words that are always kept. The others are
kept sometimes.
+ rate_and_remainder = [acceptances(p, q)[7], *right[1:]]

The rate is right. Your remainder doesn't sum to 1: divide by one minus the rate.
+ rate_and_remainder = [right[0], *remainders(p, q)[1]]

The rate is right. Your remainder is that of q − p: words that the draft guesses too
often already. Take p − q.
+ rate_and_remainder = [right[0], *remainders(p, q)[2]]

The rate is right. Your remainder is |p − q|. Where q is the larger one, nothing is
missing, so those words get 0.
+ rate_and_remainder = [right[0], *remainders(p, q)[3]]

The rate is right. A probability can't be negative: where q is larger than p, the
remainder is 0. Then divide by the sum.
+ rate_and_remainder = [right[0], *remainders(p, q)[4]]

The rate is right. You draw from p again. Then words that the draft likes would come too
often, because kept guesses are added.
+ rate_and_remainder = [right[0], *p]

The rate is right. You divide the remainder by the rate of kept guesses. Divide by that
of rejected ones, one minus it.
+ rate_and_remainder = [right[0], *remainders(p, q)[6]]

The order is the rate first, then the remainder.
+ rate_and_remainder = [*right[1:], right[0]]

Those are percentages. Numbers from 0 to 1 are wanted.
+ rate_and_remainder = [100 * one for one in right]
""",
    reference=reference,
    values=values,
    book=task([0.5, 0.2, 0.2, 0.1], [0.2, 0.4, 0.05, 0.35]),
    tolerance=0.0006,
)
