"""Explore: what a split says about numbers that are put together from digits."""

from functools import cache, lru_cache

from exercises.engine.exercise import Exercise
from readymade.data import digits

import numpy as np

POOL, MEMORY, ASKED = 50, 1000, 300


def values(draw):
    """Draw digits and pairs for which no two ways give the same shares."""
    while True:
        start, seed = int(draw.integers(451)), int(draw.integers(1000))
        if all_differ(start, seed):
            return {"start": start, "seed": seed}


@cache
def pools(start):
    """Return pictures and labels of known and of new digits: (50, 64) and (50,)."""
    some = slice(start, start + POOL)
    return [
        (pictures[some].reshape(POOL, -1).astype(np.float64), labels[some])
        for pictures, labels in all_digits()
    ]


all_digits = cache(digits)


@lru_cache(maxsize=4)
def pairs_of(seed, stored=MEMORY, first=MEMORY):
    """Return the pairs in memory and those that are asked for, (pairs, 2).

    stored: how many are in memory; first: the first that is asked for.
    """
    pairs = np.random.default_rng(seed).integers(POOL, size=(MEMORY + ASKED, 2))
    return pairs[:stored], pairs[first:]


def distances(asked, stored, rule):
    """Return a number for each pair of pictures; the smallest is the nearest."""
    if rule == "product":
        return -asked @ stored.T
    squares = (asked**2).sum(-1)[:, None] + (stored**2).sum(-1)
    return squares - 2 * asked @ stored.T


def apart(start, which, rule="squares"):
    """Return how far each digit of a pool is from each known one, (50, 50)."""
    return distances(pools(start)[which][0], pools(start)[0][0], rule)


@lru_cache(maxsize=4)  # 300,000 distances each
def pairs_apart(start, seed, which, rule="squares", **how):
    """Return how far each pair asked for is from each in memory, (300, 1000)."""
    stored, asked = pairs_of(seed, **how)
    far = apart(start, which, rule)  # of a pair, the sum of both halves' distances
    return sum(far[asked[:, half]][:, stored[:, half]] for half in (0, 1))


@lru_cache(maxsize=4)
def whole(start, seed, which, rule="squares", **how):
    """Return what the nearest known pair says about the pairs asked for: (300, 2)."""
    nearest = pairs_apart(start, seed, which, rule, **how).argmin(1)
    return pools(start)[0][1][pairs_of(seed, **how)[0][nearest]]


def halves(start, seed, which, **how):
    """Return what the nearest known digit says about each half: (300, 2)."""
    nearest = apart(start, which).argmin(1)
    return pools(start)[0][1][nearest][pairs_of(seed, **how)[1]]


def right_in(start, seed, which, said, **how):
    """Return for each half of the pairs asked for whether it is right: (300, 2)."""
    return said == pools(start)[which][1][pairs_of(seed, **how)[1]]


def read(start, seed, **how):
    """Return which halves are right in the three ways that are asked for."""
    return [
        right_in(start, seed, 0, whole(start, seed, 0, **how), **how),
        right_in(start, seed, 1, whole(start, seed, 1, **how), **how),
        right_in(start, seed, 1, halves(start, seed, 1, **how), **how),
    ]


def reference(start, seed, **how):
    return [float(right.all(1).mean()) for right in read(start, seed, **how)]


@cache
def mistaken(start, seed):
    """Return what a reader may take for the three shares."""
    known, new, split = right = reference(start, seed)
    each = read(start, seed)
    (_, labels), (_, new_labels) = pools(start)
    digit = labels[apart(start, 1).argmin(1)] == new_labels
    named = (
        right_in(start, seed, which, whole(start, seed, which, "product"))
        for which in (0, 1)
    )
    return {
        "of digits": [float(one.mean()) for one in each],
        "any": [float(one.any(1).mean()) for one in each],
        "first": [float(one[:, 0].mean()) for one in each],
        "product": [*(float(one.all(1).mean()) for one in named), split],
        "swapped": [new, known, split],
        "one digit": [known, new, float(digit.mean())],
        "halves of digits": [known, new, float(each[2].mean())],
        "halves known": [known, new, 1.0],
        "both known": [known, known, split],
        "both new": [new, new, split],
        "wrong": [1 - one for one in right],
        "in memory": [1.0, new, split],
        "all in memory": reference(start, seed, stored=MEMORY + ASKED),
        "all asked": reference(start, seed, first=0),
        "counts": [round(ASKED * one) for one in right],
    }


@cache
def all_differ(start, seed):
    """Whether all ways give other shares, and equally near ones say the same.

    The shares are in the order that the explanation tells.
    """
    known, new, split = right = reference(start, seed)
    found = [right, *mistaken(start, seed).values()]
    far = np.abs(np.array(found)[:, None] - found).max(-1) + np.eye(len(found))
    in_order = known > split > new
    return in_order and far.min() > 0.0015 and not has_ties(start, seed)


def has_ties(start, seed):
    """Whether two known digits or pairs are equally near and have other labels."""
    labels = pools(start)[0][1]
    numbers = labels[pairs_of(seed)[0]] @ [10, 1]
    for which in (0, 1):
        pairs = pairs_apart(start, seed, which)
        for distance, named in ((apart(start, which), labels), (pairs, numbers)):
            near = distance < distance.min(1, keepdims=True) + 1e-6
            lowest = np.where(near, named, 100).min(1)
            if (lowest != np.where(near, named, -1).max(1)).any():
                return True
    return False


EXERCISE = Exercise(
    title="Known digits in new numbers",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
`digits()` returns training and held-out pictures. Of each, take the **50 pictures from
number {{start}} on** (counted from 0): 50 known and 50 new digits. Draw pairs of them,
`pairs = np.random.default_rng({{seed}}).integers(50, size=(1300, 2))`. A pair is a
picture of two digits side by side. The first 1,000 pairs, of *known* digits, are the
memory. The last 300 pairs are asked for. A pair is read by its nearest neighbour: the
picture in memory with the smallest squared distance, summed over all pixels. It is read
right if **both** digits are right.

What share of the 300 is read right

1. if they are made of *known* digits, which happens if the pictures are put together
   first and split afterwards;
2. if they are made of *new* digits (same `pairs`);
3. if they are made of new digits, and each half is read on its own, by the nearest of
   the 50 known digits?

Give three shares, to three decimals.
""",
    starter="""
shares = ...  # such as [0.123, 0.456, 0.789]
""",
    solution="""
from readymade.data import digits

(known, labels), (new, new_labels) = digits()
some = slice({{start}}, {{start}} + 50)
known, labels = known[some].reshape(50, 64), labels[some]
new, new_labels = new[some].reshape(50, 64), new_labels[some]
pairs = np.random.default_rng({{seed}}).integers(50, size=(1300, 2))
stored, asked = pairs[:1000], pairs[1000:]


def nearest(pictures, memory):
    squares = (memory**2).sum(1) - 2 * pictures @ memory.T
    return squares.argmin(1)


def share(read, wanted):
    return float((read == wanted).all(1).mean())


memory = known[stored].reshape(1000, 128)
shares = []
for pool, named in ((known, labels), (new, new_labels)):
    found = nearest(pool[asked].reshape(300, 128), memory)
    shares.append(share(labels[stored[found]], named[asked]))
halves = labels[nearest(new, known)][asked]
shares.append(share(halves, new_labels[asked]))
""",
    why="""
The first number flatters. None of the asked pairs has to be in memory for that: their
halves are, in other pairs, pixel by pixel. If numbers are put together first and split
at random afterwards, the test holds digits that training has seen, only in other
pairs. So hold out the *digits* before they are put together, as `NumberPictures`
does. The same is true of moved copies: make them after the split.

The third way knows that a number has parts, so it can read numbers that are not in
memory at all. Whole pictures need a neighbour for each of the hundred numbers. That
numbers can be put together is an assumption, like those of a convolution; where it is
true, it is worth many examples.
""",
    hints=(
        "`known[pairs]` has the shape (1300, 2, 1, 8, 8). For a distance, the order of "
        "the pixels doesn't matter, as long as it is the same on both sides.",
        "The squared distance of q and m is q² − 2 q · m + m², and q² is the same for "
        "all m: compare m² − 2 q · m.",
        "For the third number, find the nearest known digit of each of the 50 new "
        "ones, then look up what each half of the 300 pairs is read as.",
    ),
    mistakes="""
Those are the shares of digits that are read right. A pair is right if both are.
+ shares = mistaken(start, seed)["of digits"]

You count a pair as right if one of its digits is. Both have to be.
+ shares = mistaken(start, seed)["any"]

You only look at the first digit. Both have to be right.
+ shares = mistaken(start, seed)["first"]

The third number is right. For the others, you took the largest product, which prefers
pictures with much ink. Take the smallest distance.
+ shares = mistaken(start, seed)["product"]

The first two numbers have changed places: known digits come first.
+ shares = mistaken(start, seed)["swapped"]

The first two numbers are right. The third is the share of the 50 new digits that are
read right. Count the 300 pairs of which both halves are.
+ shares = mistaken(start, seed)["one digit"]

The first two numbers are right. The third is the share of halves. A pair is right if
both halves are.
+ shares = mistaken(start, seed)["halves of digits"]

The first two numbers are right. For the third, your halves are known digits, each of
which finds itself. Take new ones.
+ shares = mistaken(start, seed)["halves known"]

Your first two numbers are both of known digits. The second is of new ones.
+ shares = mistaken(start, seed)["both known"]

Your first two numbers are both of new digits. The first is of known ones.
+ shares = mistaken(start, seed)["both new"]

Those are the shares that are read wrong.
+ shares = mistaken(start, seed)["wrong"]

For the first number, you asked for pairs of the memory, each of which finds itself. Ask
for the last 300 pairs.
+ shares = mistaken(start, seed)["in memory"]

Your memory holds all 1,300 pairs, so each that is asked for finds itself. The first
1,000 belong in it.
+ shares = mistaken(start, seed)["all in memory"]

You ask for all 1,300 pairs, and the first 1,000 are in memory. Ask for the last 300.
+ shares = mistaken(start, seed)["all asked"]

Those are counts. Divide them by the 300 pairs.
+ shares = mistaken(start, seed)["counts"]
""",
    reference=reference,
    values=values,
    book={"start": 340, "seed": 950},
    tolerance=0.0006,
    equivalent={
        "shares.append(share(named[asked], labels[stored[found]]))": "It is symmetric.",
        "shares.append(share(new_labels[asked], halves))": "It is symmetric.",
    },
)
