"""Build the vote among answers as a model writes them."""

from exercises.engine.exercise import Exercise
from readymade.data.number_game import NUMBERS, REFUSAL, said_number

REFUSED = f"{REFUSAL} <|end|>"


def says(number, *steps):
    """Return an answer with this number, and other numbers in steps before it."""
    worked = "".join(
        f"two add {NUMBERS[one]} is {NUMBERS[one + 2]} . " for one in steps
    )
    return f"{worked}{said_number(number)} <|end|>"


def cases(draw):
    a, b, c, d = (int(one) for one in draw.choice(range(10, 40), 4, replace=False))
    low, high = min(a, b), max(a, b)
    cut = f"two add three is five . the answer is {NUMBERS[c]} ."  # no end
    lost = f"two add {NUMBERS[4]} is six . <|end|>"
    yield [says(a)]
    yield [lost, cut]
    yield [REFUSED, lost]
    yield [lost, lost, says(a), cut, cut]
    yield [says(a), says(b, 3), says(b, 4), says(a, 5), says(a, 6), says(b)]
    yield [says(low), says(high), says(high), says(low), says(c)]
    yield [says(high), says(low), says(low), says(high), says(c)]
    yield [REFUSED, says(a), says(b), REFUSED, says(c), says(b, 2), REFUSED]
    yield [says(c), REFUSED, says(a), says(a, 1), says(b), REFUSED, says(b, 1)]
    yield [cut, says(b), says(a), cut, cut, says(a, 3), says(d)]
    yield [says(d), says(b), says(d), says(b, 7), says(b, 8), says(d), says(d), says(a)]
    yield [says(a), says(a), says(b, 2), says(b, 3), says(b, 4), lost, lost, lost, lost]


def reference(answers):
    found = []
    for answer in answers:
        words = answer.split()
        if answer == REFUSED:
            found.append("refusal")
        elif len(words) > 4 and words[-5:-3] == ["answer", "is"]:
            found.append(NUMBERS.index(words[-3]))
    best = None
    for one in found:
        if best is None or found.count(one) > found.count(best):
            best = one
    return best


EXERCISE = Exercise(
    title="Who votes?",
    kind="build",
    difficulty=2,
    minutes=10,
    prompt="""
`answers` are the texts that a model of the number game wrote to one question, in the
order in which it tried. Write `vote`, which returns what most of them say:

- a number, for answers in which `number_in` finds one, whatever steps come before it;
- `"refusal"`, for answers that `refuses` recognizes: they have a vote, too;
- an answer in which neither is found, for example because it doesn't end, has no vote.

If several have the most votes, the one that was given first wins. Return `None` if
there is no vote at all. The starter imports both functions.
""",
    solution='''
from readymade.data.number_game import number_in, refuses


def vote(answers):
    """Return a number, "refusal" or None.

    answers: a list of texts, such as "the answer is ten . <|end|>".
    """
    votes = {}
    for answer in answers:
        said = "refusal" if refuses(answer) else number_in(answer)
        if said is not None:
            votes[said] = votes.get(said, 0) + 1
    return max(votes, key=votes.get, default=None)
''',
    why="""
A vote is only as good as the rule that says which answers are equal. Texts with
different steps differ although they give the same number, so the vote is about what
they *say*. Answers that say nothing must not vote: many of them together would win over
a number. A refusal does say something. Without its votes, two numbers that agree by
chance win over any number of refusals.

The dictionary keeps the order in which its keys came, and `max` returns the first of
equal ones.
""",
    hints=(
        "First turn each answer into what it says: a number, “refusal” or nothing.",
        "Count the votes in a dictionary, which keeps the order in which its keys "
        "came. Leave out `None`.",
        "`max(votes, key=votes.get, default=None)` returns the first of those with "
        "the most votes.",
    ),
    mistakes="""
The answers in which nothing is found vote together, for None. They have no vote.
-         if said is not None:
-             votes[said] = votes.get(said, 0) + 1
+         votes[said] = votes.get(said, 0) + 1

Refusals have no vote in your answer, so a few numbers win over many refusals.
- "refusal" if refuses(answer) else number_in(answer)
+ number_in(answer)

You let texts vote. Two texts with different steps may give the same number: let the
numbers vote.
-         said = "refusal" if refuses(answer) else number_in(answer)
-         if said is not None:
-             votes[said] = votes.get(said, 0) + 1
-     return max(votes, key=votes.get, default=None)
+         if refuses(answer) or number_in(answer) is not None:
+             votes[answer] = votes.get(answer, 0) + 1
+     best = max(votes, key=votes.get, default="")
+     return "refusal" if refuses(best) else number_in(best)

Of several with the most votes, yours returns the one that was given last. The first
wins.
- max(votes, key=votes.get, default=None)
+ max([*votes][::-1], key=votes.get, default=None)

Of several with the most votes, yours returns the largest number. The one that was given
first wins.
- max(votes, key=votes.get, default=None)
+ max(sorted(votes, key=str)[::-1], key=votes.get, default=None)

Of several with the most votes, yours returns the smallest number. The one that was
given first wins.
- max(votes, key=votes.get, default=None)
+ max(sorted(votes, key=str), key=votes.get, default=None)

Of several with the most votes, yours returns the one that reached them first. The one
that was given first wins.
-     return max(votes, key=votes.get, default=None)
+     best, most = None, max(votes.values(), default=0)
+     votes = {}
+     for answer in answers:
+         said = "refusal" if refuses(answer) else number_in(answer)
+         votes[said] = votes.get(said, 0) + 1
+         if said is not None and votes[said] == most:
+             return said

You return what the first answer says. Count the votes.
- max(votes, key=votes.get, default=None)
+ next(iter(votes), None)

You ask for more than half of the votes. The most are enough.
-     return max(votes, key=votes.get, default=None)
+     best = max(votes, key=votes.get, default=None)
+     return best if votes and 2 * votes[best] > sum(votes.values()) else None

An answer that doesn't end has no vote, even if a number stands in it.
- number_in(answer)
+ number_in(answer.removesuffix(" <|end|>") + " <|end|>")

You return how many votes it has. What it says is asked for.
- max(votes, key=votes.get, default=None)
+ max(votes.values(), default=None)

A refusal is returned as None, as if nobody had voted. Return the text “refusal”.
-     return max(votes, key=votes.get, default=None)
+     best = max(votes, key=votes.get, default=None)
+     return None if best == "refusal" else best

If nobody votes, yours is a refusal. Return None: an answer that ends nowhere refuses
nothing.
- default=None
+ default="refusal"

If refusals have the most votes, you return the most common number. They may win.
-     return max(votes, key=votes.get, default=None)
+     numbers = [one for one in votes if one != "refusal"] or votes
+     return max(numbers, key=votes.get, default=None)
""",
    reference=reference,
    cases=cases,
    equivalent={
        f"votes[said] = votes.get(said, {first}) + {step}": "Only the order counts."
        for first, step in ((-1, 1), (1, 1), (0, 2))
    },
)
