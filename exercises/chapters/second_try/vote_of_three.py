"""Predict how often a vote of three tries is right."""

from itertools import permutations

from exercises.engine.exercise import Exercise
from scratch.voting import vote_wins


def values(draw):
    """Draw three probabilities in fiftieths."""
    while True:
        shares = 1 + draw.multinomial(47, [0.45, 0.35, 0.2])
        p, often, seldom = (shares / 50).tolist()
        if often > seldom and is_clear(p, often, seldom):
            return {"p": p, "often": often, "seldom": seldom}


def is_clear(p, often, seldom):
    """Whether nothing that a reader may take for the two numbers equals them."""
    wins = [*votes(p, often, seldom), *wrong_votes(p, often, seldom).values()]
    gaps = [abs(a - b) for a, b in permutations(wins, 2)]
    return min(gaps) > 0.002


def votes(p, often, seldom):
    """Return the probability of the right answer's win, then of the wrong ones'."""
    right = p**3 + 3 * p**2 * (1 - p) + 2 * p * often * seldom
    return right, 1 - right


def wrong_votes(p, often, seldom):
    """Return what a reader may take for the first number."""
    two, all_differ = p**3 + 3 * p**2 * (1 - p), 6 * p * often * seldom
    return {
        "no ties": two,
        "ties won": two + all_differ,
        "ties halved": two + all_differ / 2,
        "one order": two + all_differ / 6,
        "all three": p**3,
        "exactly two": 3 * p**2 * (1 - p),
        "no orders": p**3 + p**2 * (1 - p),
        "any": 1 - (1 - p) ** 3,
        "one try": p,
    }


def reference(p, often, seldom):
    wins = vote_wins(p, [often, seldom], 3)
    return [wins, wins - p]


EXERCISE = Exercise(
    title="A vote of three",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A model answers a question with the right number with probability {{p}}, with one wrong
number with probability {{often}} and with another wrong one with probability
{{seldom}}. It tries three times, independently, and the number that was given most
often wins. If all three tries differ, the number that was given **first** wins.

How probable is it that the right number wins, and by how much is that more than with a
single try? The second number is negative if the vote makes it worse. Give both to three
decimals.
""",
    starter="""
right_and_gain = ...  # such as [0.512, 0.112]
""",
    solution="""
p, often, seldom = {{p}}, {{often}}, {{seldom}}
at_least_two = p**3 + 3 * p**2 * (1 - p)
first_of_three = 2 * p * often * seldom  # all differ, the right one came first
right = at_least_two + first_of_three
right_and_gain = [right, right - p]
""",
    why=r"""
Three tries are right in a row with probability $p^3$, and exactly two of them with
$3p^2(1 - p)$, because the wrong one may come first, second or third. If all three
differ, they come in one of six orders, each with the probability $p \cdot q \cdot r$;
in two of these orders, the right number is the first.

How much a vote gains depends on the wrong answers, too. If the model always made the
same mistake, the vote would gain something only for $p$ above one half. The more the
wrong answers scatter, the less is enough, because they seldom agree.
""",
    hints=(
        "The right number wins in two cases: it is given at least twice, or all three "
        "differ and it comes first.",
        "Exactly two of three: in how many places can the wrong one stand?",
        "Three different numbers have six orders. In how many of them is the right one "
        "the first?",
    ),
    mistakes="""
Two tries that agree win. But if all three differ, the first wins, and it may be right.
+ wins = wrong_votes(p, often, seldom)["no ties"]
+ right_and_gain = [wins, wins - p]

If all three differ, you let the right number win always. It wins only if it came first.
+ wins = wrong_votes(p, often, seldom)["ties won"]
+ right_and_gain = [wins, wins - p]

If all three differ, you let the right number win in half of the cases. It is the first
in two of the six orders.
+ wins = wrong_votes(p, often, seldom)["ties halved"]
+ right_and_gain = [wins, wins - p]

If all three differ and the right number came first, the two wrong ones can follow in
two orders. You count one.
+ wins = wrong_votes(p, often, seldom)["one order"]
+ right_and_gain = [wins, wins - p]

That is the probability that all three tries are right. Two are enough to win.
+ wins = wrong_votes(p, often, seldom)["all three"]
+ right_and_gain = [wins, wins - p]

That is the probability that exactly two tries are right. Three right ones win as well,
and so may one.
+ wins = wrong_votes(p, often, seldom)["exactly two"]
+ right_and_gain = [wins, wins - p]

If two tries are right, the wrong one may be the first, the second or the third: that is
three times as probable as you say.
+ wins = wrong_votes(p, often, seldom)["no orders"]
+ right_and_gain = [wins, wins - p]

That is pass@3, the probability that at least one try is right. A vote can't see which
one that is.
+ wins = wrong_votes(p, often, seldom)["any"]
+ right_and_gain = [wins, wins - p]

You expect the vote to be right as often as a single try. Count the cases in which the
right number wins.
+ right_and_gain = [p, 0.0]

The first number is the probability that the vote is wrong.
+ right_and_gain = [1 - right[0], right[1]]

The first number is right. The second is the gain over a single try, the difference, not
the ratio.
+ right_and_gain = [right[0], right[0] / p]

The first number is right. The second has the wrong sign: it is what the vote has more.
+ right_and_gain = [right[0], -right[1]]

Those are percentages. Probabilities are wanted.
+ right_and_gain = [100 * right[0], 100 * right[1]]
""",
    reference=reference,
    values=values,
    book={"p": 0.45, "often": 0.35, "seldom": 0.2},
    tolerance=0.0006,
)
