"""Build the choice of a smallest set of heads, which is judged on other texts."""

from exercises.engine.exercise import Exercise

import numpy as np


def cases(draw):
    yield torn(0.75, most=4)
    yield torn(0.75, most=3)  # larger sets have higher shares
    yield torn(0.25, most=4)  # the empty set is enough, too
    for heads, texts, enough, carriers in (
        (2, 6, 0.75, (0,)),
        (3, 10, 0.75, (0, 2)),
        (3, 12, 0.8, (1, 2)),
        (4, 16, 0.7, (3,)),
        (4, 20, 0.9, (0, 1)),
        (3, 24, 1.0, (0, 1, 2)),
        (4, 40, 0.85, (1, 3)),
    ):
        yield made(draw, heads, texts, enough, carriers)


def torn(enough, most):
    """Return answers for which each way to choose a head takes another one."""
    wanted = np.arange(10, 18)
    choose = np.arange(8) < 4
    hits = {1: (0, 4), 2: (2, 4), 4: (most, 0), 8: (3, 2)}  # to choose on, to judge on
    answers = np.tile(wanted + 1, (16, 1))
    answers[0, 0] = wanted[0]
    for number in range(1, 16):
        first, last = hits.get(number, (4, 3))
        answers[number, :first] = wanted[:first]
        answers[number, 4 : 4 + last] = wanted[4 : 4 + last]
    return answers, wanted, choose, enough


def made(draw, heads, texts, enough, carriers):
    """Return answers that are mostly the donor's where all carriers are exchanged."""
    sets = np.arange(2**heads)
    wanted = draw.integers(10, 20, size=texts)
    other = wanted + draw.integers(1, 5, size=texts)
    held = (sets[:, None] >> np.array(carriers) & 1).mean(1)  # the share of carriers
    chance = np.where(held == 1, 0.93, 0.25 + 0.4 * held)
    found = draw.random((len(sets), texts)) < chance[:, None]
    choose = np.zeros(texts, bool)
    choose[draw.permutation(texts)[: texts // 2]] = True
    found[-1] |= choose  # with all heads exchanged, it is always enough
    return np.where(found, wanted, other), wanted, choose, enough


def reference(answers, wanted, choose, enough):
    judged = ~choose
    best = None
    for number, row in enumerate(answers):
        hits = row == wanted
        share = hits[choose].mean()
        key = (-int(number).bit_count(), share, -number)
        if number and share >= enough and (best is None or key > best[0]):
            best = key, number
    number = best[1]
    share = float((answers[number] == wanted)[judged].mean())
    others = float((answers[len(answers) - 1 - number] == wanted)[judged].mean())
    return number, share, others


EXERCISE = Exercise(
    title="A smallest set, and the rest",
    kind="build",
    difficulty=3,
    minutes=25,
    prompt="""
A model answered each of some texts with every set of its heads exchanged for those of a
donor. `answers` has shape (sets, texts): row `i` holds the answers with every head `k`
exchanged for which `i >> k & 1` is 1, so row 0 is the model untouched, and the last row
has all heads exchanged. `wanted` (texts,) holds the donors' answers. `choose` (texts,)
is True where a text may be used to choose.

Take the sets (not the empty one) that give the donor's answer in **at least** the share
`enough` of the texts to choose on. Of these, choose the one with the **fewest heads**;
of several equally small ones, the one with the highest share on these texts; and of
several such, the first. There is always one.

Return three numbers: the set's number `i`; the share of the donor's answers **on the
other texts** with this set exchanged; and the same share with all the *other* heads
exchanged in its place. The arguments are NumPy arrays.
""",
    solution='''
def smallest_circuit(answers, wanted, choose, enough):
    """Return (set, its share, the share of all other heads).

    answers (sets, texts); wanted, choose (texts,).
    """
    hits = answers == wanted
    chosen_on = hits[:, choose].mean(1)
    judged_on = hits[:, ~choose].mean(1)
    good = [i for i, n in enumerate(chosen_on) if i and n >= enough]
    best = min(good, key=lambda i: (i.bit_count(), -chosen_on[i]))
    rest = judged_on[-1 - best]  # the set with all other bits
    return best, judged_on[best], rest
''',
    why="""
Among many sets, some are good on a few texts by luck, and the best of them is partly
lucky. So the set is chosen on some texts and judged on others. The first share asks
whether these heads are *sufficient*. The second asks whether they are *necessary*: if
the other heads carry the answer as well, the model has it twice, and your set is one
circuit of several.
""",
    hints=(
        "`answers == wanted` is a table of hits. Its mean over some columns, for each "
        "row, is the share of each set.",
        "`i.bit_count()` is the number of heads of a set. `min` with a key that is a "
        "tuple compares the second entry where the first ones are equal.",
        "The set of all other heads has the bits that the chosen one lacks. All heads "
        "together have the number `len(answers) - 1`.",
    ),
    mistakes="""
The empty set is no circuit: with it, nothing is exchanged.
- if i and n
+ if n

You choose the set on all texts. Those with `choose` are for choosing, the others for
judging.
- chosen_on = hits[:, choose].mean(1)
+ chosen_on = hits.mean(1)

You choose the set on the texts that it is judged on.
- hits[:, choose]
+ hits[:, ~choose]

The shares are those of the texts that the set was chosen on. Judge it on the others.
- judged_on = hits[:, ~choose].mean(1)
+ judged_on = chosen_on

The shares are those of all texts. Judge the set on those that it wasn't chosen on.
- judged_on = hits[:, ~choose].mean(1)
+ judged_on = hits.mean(1)

The two kinds of texts are swapped.
- hits[:, choose]
+ hits[:, ~choose]
- judged_on = hits[:, ~choose]
+ judged_on = hits[:, choose]

You take the set with the highest share, however large it is. The fewest heads come
first.
- (i.bit_count(), -chosen_on[i])
+ (-chosen_on[i], i.bit_count())

You take the first set that is enough. Its number says nothing about how many heads it
has: set 3 has two, set 4 has one.
- best = min(good, key=lambda i: (i.bit_count(), -chosen_on[i]))
+ best = good[0]

Of several sets of the same size, you take the first. The highest share on the texts to
choose on decides.
- (i.bit_count(), -chosen_on[i])
+ i.bit_count()

Of several sets of the same size, you take the one that is best on the texts to judge
on. Look only at the others.
- -chosen_on[i])
+ -judged_on[i])

You take the largest of the sets that are enough.
- min(good
+ max(good

More than `enough` is required in your answer. At least as many is enough.
- n >= enough
+ n > enough

The last number is that of no head exchanged. Exchange all heads but the chosen ones.
- judged_on[-1 - best]
+ judged_on[0]

The last number is that of all heads exchanged. Exchange all but the chosen ones.
- judged_on[-1 - best]
+ judged_on[-1]

The last number is what is left to 1. The share with the other heads exchanged is a
measurement of its own.
- judged_on[-1 - best]
+ 1 - judged_on[best]

The set that you judge last is one too far. All heads together have the number
`len(answers) - 1`.
- -1 - best
+ -best

You count an answer that has changed as the donor's. It may have become a third one.
- hits = answers == wanted
+ hits = answers != answers[0]

You return how many heads the set has. Its number `i` is asked for.
- return best,
+ return best.bit_count(),

You count the texts. Their share is asked for.
- return best, judged_on[best], rest
+ many = (~choose).sum()
+     return best, judged_on[best] * many, rest * many

The last two numbers are swapped: that of the chosen set comes first.
- judged_on[best], rest
+ rest, judged_on[best]

You leave out the set's number. Return three numbers.
- return best, judged_on
+ return judged_on
""",
    reference=reference,
    cases=cases,
)
