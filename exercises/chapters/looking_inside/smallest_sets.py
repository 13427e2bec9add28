"""Build the search for the smallest sets of heads that carry one thing."""

from itertools import combinations

from exercises.engine.exercise import Exercise

import numpy as np

HEADS = "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3".split()
# How many of 20 answers become the donor's, where 18 are asked for. If it is lost or in
# too few, all others change as well, but to another number.
HITS = {
    "all": 20,
    "more": 19,
    "enough": 18,
    "too few": 17,
    "lost": 6,
    "few": 3,
    "no": 0,
}
# The sets of letters a, b, …, in the order in which they are listed.
EXPERIMENTS = (
    "b lost, a all",
    "bc too few, ab more, abc all, c no",
    "ab no, b more, a few",
    "abc more, a no, bc too few, b lost, ab few, c no, ac lost",
    "bc no, abc all, ab enough, c few, ac more, b too few, a lost",
    """abcd all, bd enough, acd no, abc all, a enough, cd too few, bc lost, ad all,
    abd more, b lost, bcd more, c too few, ac no, ab no, d few""",
)


def cases(draw):
    for experiment in EXPERIMENTS:
        sets = [one.split(maxsplit=1) for one in experiment.split(",")]
        letters = sorted({letter for name, _ in sets for letter in name})
        named = np.sort(draw.choice(HEADS, len(letters), replace=False)).tolist()
        own = draw.integers(0, 20, 20)
        donor = own + draw.integers(2, 9, 20)
        answers = {}
        for name, became in sets:
            heads = " ".join(named[letters.index(letter)] for letter in name)
            hits = draw.permutation(20) < HITS[became]
            other = own + 1 if became in ("lost", "too few") else own
            answers[heads] = np.where(hits, donor, other).tolist()
        yield answers, own.tolist(), donor.tolist(), 0.9


def reference(answers, own, donor, share):
    carry = {
        frozenset(heads.split()): heads
        for heads, found in answers.items()
        if np.mean(np.equal(found, donor)) > share - 1e-9
    }
    smallest = []
    for heads, text in carry.items():
        parts = [
            frozenset(part)
            for size in range(1, len(heads))
            for part in combinations(heads, size)
        ]
        if not any(part in carry for part in parts):
            smallest.append(text)
    return smallest


EXERCISE = Exercise(
    title="The smallest sets of heads",
    kind="build",
    difficulty=3,
    minutes=15,
    prompt="""
Sets of heads were patched, one set at a time, from games with another A. `answers` has
what the model then answered: `{"0.1 1.3": [12, 9, …], "0.1": […], …}`, a number for
each game. `own` has the games' own results, `donor` the results with the other A, which
always differ.

A set **carries** A if the answer is the donor's in at least a share `share` of the
games. Return the smallest sets that do: those that carry A, while no set made of only
some of their heads does. A smallest set may be larger than another one. Return a list
of the texts, in the order of `answers`. Some sets may not have been tried.
""",
    solution='''
def smallest_sets(answers, own, donor, share):
    """Return a list of texts such as "0.1 1.3".

    answers: {text: list of numbers, one for each game};
    own, donor: lists of numbers; share, from 0 to 1.
    """
    carry = []
    for heads, found in answers.items():
        hits = sum(a == b for a, b in zip(found, donor))
        if hits / len(donor) >= share:
            carry.append(heads)
    return [
        heads
        for heads in carry
        if not any(set(other.split()) < set(heads.split()) for other in carry)
    ]
''',
    why="""
That a game loses its own sum says only that something was disturbed; that it gets the
*donor's* sum says that what was patched carries A. Single heads aren't enough as a
search: two heads may each hold a part of a number, and then neither changes an answer
alone. And a set that carries A still does, usually, with an idle head added, so only
sets without a smaller one inside tell you something. “Usually” is why the whole set of
smaller ones is looked at: a head that is added can also disturb.
""",
    hints=(
        "First list all sets that carry A: count the games whose answer is the "
        "donor's.",
        "`set(text.split())` has the heads of a text, and `<` between two sets asks "
        "whether the first is a part of the second, and smaller.",
        "Keep a set of the list if no other set of the list is a part of it.",
    ),
    mistakes="""
You return single heads only. Two heads may carry A together, while neither does alone.
- if not any(
+ if len(heads.split()) == 1 and not any(

You count the games that lose their own sum. They carry A only where the answer is the
donor's.
- sum(a == b for a, b in zip(found, donor))
+ sum(a != b for a, b in zip(found, own))

You keep larger sets that hold a smaller one which carries A by itself.
-         if not any(set(other.split()) < set(heads.split()) for other in carry)

You return only the sets with the fewest heads of all. A set is a smallest one if it
holds no smaller set that carries A, however many heads others need.
- if not any(set(other.split()) < set(heads.split()) for other in carry)
+ if len(heads) == min(map(len, carry))

You return sets of at most two heads. Three may be needed.
- if not any(
+ if len(heads.split()) < 3 and not any(

Every set is a part of itself: your comparison throws all sets out. Use `<`.
- split()) < set
+ split()) <= set

You ask for more than the share. Exactly the share is enough.
- >= share
+ > share

You ask for the donor's sum in all games. A share of them is enough.
- hits / len(donor) >= share
+ hits == len(donor)

One game with the donor's sum is enough for you. A share of all games is asked for.
- hits / len(donor) >= share
+ hits > 0

You divide by the games whose answer changed. Divide by all games: a set that changes
three of them doesn't carry A.
- hits / len(donor) >= share
+ hits / (sum(a != b for a, b in zip(found, own)) or 1) >= share

You compare texts: “0.1 1.3” is no stretch of “0.1 0.2 1.3”, and yet its heads are all
there. Compare sets of heads.
- set(other.split()) < set(heads.split())
+ other in heads and other != heads

You look for sets with one head less only. A carrying set may hold a much smaller one,
although none in between carries A.
- set(other.split()) < set(heads.split()) for
+ set(other.split()) < set(heads.split()) and len(other) == len(heads) - 4 for

The order is yours: sets are wanted in the order of `answers`.
-     return [
+     carry.sort(key=len)
+     return [

The sets that are thrown out hold any tried set, whether it carries A or not.
- for other in carry)
+ for other in answers)

Each of your sets is a list of heads. Return the texts as `answers` has them, such as
“0.1 1.3”.
-         heads
-         for heads in carry
+         heads.split()
+         for heads in carry
""",
    reference=reference,
    cases=cases,
)
