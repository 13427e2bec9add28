"""Predict what is right without a head, for four meanings of "without"."""

from functools import lru_cache

from exercises.engine.exercise import Exercise

import numpy as np

GAMES = np.arange(10)


def values(draw):
    while True:
        drawn = dict(task(int(draw.integers(1_000_000))))
        if reference(**drawn) != reference(**BOOK):
            return drawn


@lru_cache(maxsize=256)  # a search, and each mistake asks for its result
def task(seed):
    """Draw games that are right with the head, and differ without it."""
    draw = np.random.default_rng(seed)
    while True:
        adds = draw.permutation(GAMES % 2 == 0)
        sign = np.where(adds, 1, -1)
        usual = int(draw.integers(1, 5)) * int(draw.choice([-1, 1]))
        head = usual + sign * draw.integers(1, 7, len(GAMES))
        rest = sign * draw.integers(1, 8, len(GAMES)) - head
        early = head + draw.integers(2, 9, len(GAMES)) * int(draw.choice([-1, 1]))
        found = {
            "adds": adds.tolist(),
            "head": head.tolist(),
            "rest": rest.tolist(),
            "early": early.tolist(),
        }
        if is_clear(**found):
            return found | {"table": as_table(**found)}


def as_table(adds, head, rest, early):
    lines = ["game   op     head at B   head at “is”   the rest at “is”"]
    for n in GAMES:
        op = "add" if adds[n] else "take"
        lines.append(f"{n}      {op:6} {early[n]:6} {head[n]:12} {rest[n]:15}")
    return "\n".join(lines)


def right_games(adds, put, rest, among=GAMES):
    """Count the games whose answer is right if the head writes `put`."""
    says_add = (put + np.array(rest))[among] > 0
    return int((says_add == np.array(adds)[among]).sum())


def means(adds, head, early):
    """Return the means over all games, over those that add, and over both places."""
    head = np.array(head)
    return head.mean(), head[adds].mean(), np.mean([head, early])


def is_clear(adds, head, rest, early):
    """Whether no sum is near 0, and no two of a reader's answers are the same."""
    right = reference(adds, head, rest, early)
    if len(set(right[:3])) < 3:
        return False
    sums = np.add.outer([0, *means(adds, head, early)], rest)
    if min(np.abs(sums).min(), np.abs(np.roll(head, -1) + rest).min()) < 0.1:
        return False
    answers = [right, *wrong_ways(adds, head, rest, early), [10, 10, 10, 5]]
    says_less = right[1] / 10 < right[3] / 5  # the mean over games that only add
    return says_less and len(set(map(tuple, answers))) == len(answers)


def wrong_ways(adds, head, rest, early):
    """Return what a reader's mistakes give, in the order of the list below."""
    zero, mean, other, alone = reference(adds, head, rest, early)
    of_all, of_adds, of_places = means(adds, head, early)

    def count(put, among=GAMES):
        return right_games(adds, put, rest, among)

    says_add = [np.add(put, rest) > 0 for put in (0, of_all, np.roll(head, -1))]
    takes = np.logical_not(adds)
    return [
        [zero, zero, zero, count(0, adds)],
        [zero, count(of_places), other, alone],
        [zero, mean, other, count(of_all, adds)],
        [zero, mean, count(np.roll(head, 1)), alone],
        [zero, mean, count([*head[1:], head[-1]]), alone],
        [10 - zero, 10 - mean, 10 - other, 5 - alone],
        [mean, zero, other, alone],
        [zero, other, mean, alone],
        [*(int(says.sum()) for says in says_add), 5 - count(of_adds, takes)],
        [zero, mean, other, mean],
    ]


def reference(adds, head, rest, early, **_):
    of_all, of_adds, _ = means(adds, head, early)
    return [
        right_games(adds, 0, rest),
        right_games(adds, of_all, rest),
        right_games(adds, np.roll(head, -1), rest),
        right_games(adds, of_adds, rest, adds),
    ]


BOOK = dict(task(15))
WAYS = "adds, head, rest, early"

EXERCISE = Exercise(
    title="Four ways to go without a head",
    kind="predict",
    difficulty=2,
    minutes=10,
    prompt="""
In a tiny model, one head tells the rest what the operation was. What it writes is a
single number, at every place. At the place of *is*, the model answers as for **add** if
the head's number plus that of the rest is above 0, and as for **take** otherwise. Ten
games, all of them right:

```text
{{table}}
```

Now the head is cut off, at the place of *is* only. How many games are right if it
writes instead

1. zero;
2. its mean over the ten games;
3. what it writes in the next game of the table (game 9 gets that of game 0)?
4. And if you test the five *add* games alone, with the mean over these five: how many
   of the five are right?
""",
    starter="""
games_right = ...  # the four numbers, such as [7, 8, 5, 4]
""",
    solution="""
table = '''
{{table}}
'''
rows = [line.split() for line in table.splitlines()[2:]]
sign = np.array([{"add": 1, "take": -1}[row[1]] for row in rows])
head, rest = np.array([row[3:] for row in rows], float).T  # at the place of "is"

zero = np.sum(np.sign(rest) == sign)
mean = np.sum(np.sign(head.mean() + rest) == sign)
other = np.sum(np.sign(np.roll(head, -1) + rest) == sign)
add = sign == 1
alone = np.sum(np.sign(head[add].mean() + rest[add]) == 1)
games_right = [zero, mean, other, alone]
""",
    why="""
Zero takes away two things at once: what the head says about this game, and the number
that it writes in every game, on which the rest relies. Games can go wrong for the
second reason alone. The mean leaves the usual number in place and takes away only what
varies, and another game's number is one that the rest has met before.

But a mean takes away only what varies **in the set over which it is taken**. Over *add*
games alone it still says “add”, so the fourth number would look as if the head mattered
less than it does.
""",
    hints=(
        "Write down the number that replaces the head's, add it to the rest of each "
        "game, and compare the sign with the operation.",
        "The head is cut at the place of *is*, so take the mean of that column alone.",
        "For the fourth number, use the five games twice: for the mean, and for the "
        "count.",
    ),
    mistakes=f"""
You put zero in the head's place each time. Only the first number asks for that.
+ games_right = wrong_ways({WAYS})[0]

Your mean runs over both places. The head is cut at the place of “is”, so only what it
writes there counts.
+ games_right = wrong_ways({WAYS})[1]

The last number uses the mean over all ten games. The set has only the five add games,
in which the operation never varies.
+ games_right = wrong_ways({WAYS})[2]

Each of your games gets the number of the game before it. Take the next one's.
+ games_right = wrong_ways({WAYS})[3]

Your last game keeps its own number. It gets that of game 0.
+ games_right = wrong_ways({WAYS})[4]

Those are the games that go wrong. How many are right?
+ games_right = wrong_ways({WAYS})[5]

The first two numbers have changed places: zero comes first, then the mean.
+ games_right = wrong_ways({WAYS})[6]

The second and the third number have changed places: the mean comes before the next
game's.
+ games_right = wrong_ways({WAYS})[7]

You counted the games that are answered as for add. Right is what fits the operation of
the game.
+ games_right = wrong_ways({WAYS})[8]

The last number repeats the second. It asks for the add games and their own mean.
+ games_right = wrong_ways({WAYS})[9]

Those are shares. Count the games.
+ games_right = [right[0] / 10, right[1] / 10, right[2] / 10, right[3] / 5]

With the head in its place all games are right. Count again without it.
+ games_right = [10, 10, 10, 5]
""",
    reference=reference,
    values=values,
    book=BOOK,
)
