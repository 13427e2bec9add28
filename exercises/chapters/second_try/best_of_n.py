"""Build the unbiased estimate of best-of-n: how often the best of n tries is right."""

from itertools import combinations

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield [0.5], [True], 1
    yield [0.25, 0.75], [True, False], 2
    for count, n in ((4, 1), (4, 4), (5, 2), (5, 3), (6, 4), (7, 2), (7, 3)):
        scores = (draw.choice(90, count, replace=False) / 100).tolist()
        yield scores, mixed(draw, count), n
    tied = [0.5, 0.25, 0.5, 0.75, 0.25, 0.5, 0.75]  # the earlier of two equal ones
    yield tied, [True, False, False, True, True, False, False], 2
    yield tied, [False, True, True, False, True, False, True], 3
    # a verifier that knows: pass@n
    right = mixed(draw, 7)
    yield [float(one) for one in right], right, 3


def mixed(draw, count):
    """Draw which tries are right: some, but not all, and not the first half."""
    right = draw.permutation(count) < max(1, round(0.4 * count))
    return right.tolist()


def reference(scores, right, n):
    won = []
    for chosen in combinations(range(len(scores)), n):
        best = max(chosen, key=lambda place: scores[place])  # the first of equal ones
        won.append(right[best])
    return float(np.mean(won))


EXERCISE = Exercise(
    title="The best of n",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt="""
A verifier has scored N tries at one question, and you know which of them are right. How
often is the try with the highest score right if only n of the N had been made? To try
with the first n alone would waste most of what you have. Instead, take the **mean over
all choices** of n of the N tries.

Write `best_of(scores, right, n)`, which returns this share, without going through all
choices: for each try, count the choices in which it is the best. Of equal scores, the
earlier try in the list is the better one. `math.comb(k, n)` says how many ways there
are to choose n out of k; it is 0 if n is larger than k.
""",
    solution='''
from math import comb


def best_of(scores, right, n):
    """Return a number from 0 to 1.

    scores, right: lists of N numbers and of N booleans; n: at most N.
    """
    places = range(len(scores))
    order = sorted(places, key=lambda place: (scores[place], -place))
    won = 0
    for worse, place in enumerate(order):
        if right[place]:
            won += comb(worse, n - 1)
    return won / comb(len(scores), n)
''',
    why=r"""
A try is the best of its choice if the other n − 1 all come from the tries that are
worse. With $w$ worse ones, that leaves $\binom{w}{n-1}$ choices out of $\binom{N}{n}$.
So nothing has to be drawn: the mean over all choices has no noise of its own, and on
average over models' tries it is what n fresh ones would give.

With a verifier that knows the right answers, this is pass@n of chapter 15. With a
verifier that errs, look at the tries with the highest scores: the larger n, the more
depends on them alone. If a wrong answer has the highest score of all, the estimate ends
at 0 for n = N, however many of the others are right.
""",
    hints=(
        "Sort the tries, the worst first. Which of the others may be in a choice in "
        "which a given try is the best?",
        "A try with w worse ones is the best in `comb(w, n - 1)` choices.",
        "Add this up over the right tries, and divide by the number of all choices. "
        "For equal scores, sort by `(scores[place], -place)`.",
    ),
    mistakes="""
You take the first n tries alone. Take the mean over all choices of n.
-     return won / comb(len(scores), n)
+     best = max(range(n), key=lambda place: scores[place])
+     return float(right[best])

You take the try with the highest score of all N. In most choices of n, it isn't there.
-     return won / comb(len(scores), n)
+     return float(right[order[-1]])

That is the share of right tries, whatever their scores. The best of n is chosen by its
score.
-     return won / comb(len(scores), n)
+     return sum(right) / len(right)

That is pass@n: any right try of the n is enough for you. The one with the highest score
has to be right.
-     return won / comb(len(scores), n)
+     wrong = len(right) - sum(right)
+     return 1 - comb(wrong, n) / comb(len(right), n)

You sort the wrong way round: the lowest score wins.
- (scores[place], -place))
+ (-scores[place], -place))

Of equal scores, yours takes the later try. The earlier one is the better one.
- (scores[place], -place))
+ scores[place])

Of equal scores, both are the best of a choice in your count. Only the earlier one is.
- won += comb(worse, n - 1)
+ others = [scores[other] <= scores[place] for other in places]
+             won += comb(sum(others) - 1, n - 1)

Of equal scores, neither is the best of a choice in your count. The earlier one is.
- won += comb(worse, n - 1)
+ others = [scores[other] < scores[place] for other in places]
+             won += comb(sum(others), n - 1)

The try itself is one of the n, so only n − 1 others are chosen among the worse ones.
- comb(worse, n - 1)
+ comb(worse, n)

You choose the others among all tries but this one. They have to be worse.
- comb(worse, n - 1)
+ comb(len(scores) - 1, n - 1)

You count one worse try too many: the try itself is not worse than itself.
- comb(worse, n - 1)
+ comb(worse + 1, n - 1)

That is the number of choices. Divide it by the number of all choices.
- won / comb(len(scores), n)
+ won

You divide by the choices of n − 1. Choices of n are counted.
- / comb(len(scores), n)
+ / comb(len(scores), n - 1)

You draw with replacement, as if a try could be chosen twice. Each is in a choice once
at most.
- comb(worse, n - 1)
+ (worse + 1) ** n - worse**n
- / comb(len(scores), n)
+ / len(scores) ** n

You leave out the scores: the later a try in the list, the better it is for you.
- key=lambda place: (scores[place], -place))
+ key=lambda place: place)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
)
