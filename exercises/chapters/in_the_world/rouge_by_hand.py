"""Predict two ROUGE scores of a sentence."""

from collections import Counter
from itertools import pairwise

from exercises.engine.exercise import Exercise

WHO = ("the storm", "the mayor", "the old mayor", "the flood")
DID = ("closed", "opened", "closed", "moved")
WHAT = ("the bridge", "the old bridge", "the ferry", "the harbour", "the market")
WHEN = ("on friday", "in the night", "on the first day", "by friday")


def values(draw):
    while True:
        found = counts(sentence(draw, 2), sentence(draw, 1))
        # Lengths that differ by 1 give nearly the same number for two kinds of mean.
        if abs(found["n"] - found["m"]) > 1 and tell_apart(found):
            return found


def sentence(draw, things):
    who, did, when = (str(draw.choice(part)) for part in (WHO, DID, WHEN))
    first, *others = map(str, draw.permutation(WHAT)[:things])
    order = int(draw.integers(3))
    if order == 2:
        return f"{first} was {did} by {who} {when}"
    told = f"{who} {did} {' and '.join([first, *others])}"
    return f"{when} {told}" if order else f"{told} {when}"


def counts(given, wanted):
    """Return what is counted by hand, and what may be counted instead."""
    one, other = given.split(), wanted.split()
    pairs = [list(pairwise(words)) for words in (one, other)]
    return {
        "given": given,
        "wanted": wanted,
        "n": len(one),
        "m": len(other),
        "words": sum((Counter(one) & Counter(other)).values()),
        "pairs": sum((Counter(pairs[0]) & Counter(pairs[1])).values()),
        "different": len({*one} & {*other}),
        "repeated": sum(word in other for word in one),
    }


def tell_apart(found):
    """Whether whatever else may be counted is another number, and none is 0."""
    words = {found[key] for key in ("words", "different", "repeated")}
    return len(words) == 3 and 0 < found["pairs"] < found["words"]


BOOK = counts(
    "on friday the storm closed the ferry and the bridge",
    "the storm closed the old bridge on friday",
)


def reference(given, wanted, **_):
    one, other = given.split(), wanted.split()
    found = []
    for n in (1, 2):
        grams = [
            [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]
            for words in (one, other)
        ]
        left = list(grams[1])
        for gram in grams[0]:
            if gram in left:
                left.remove(gram)
        found.append(2 * (len(grams[1]) - len(left)) / (len(grams[0]) + len(grams[1])))
    return found


EXERCISE = Exercise(
    title="Two scores by hand",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A summary and its reference, without punctuation:

- summary: *{{given}}*
- reference: *{{wanted}}*

What are ROUGE-1 and ROUGE-2 of the summary, each as F1? Give three decimals.
""",
    starter="""
rouge = ...  # such as [0.456, 0.123]
""",
    solution="""
n, m = {{n}}, {{m}}  # words of the summary, and of the reference
rouge_1 = 2 * {{words}} / (n + m)
rouge_2 = 2 * {{pairs}} / (n - 1 + m - 1)
rouge = [rouge_1, rouge_2]
""",
    why="""
The texts have {{words}} words in common, if a repeated word counts as often as both
have it, and {{pairs}} pairs of neighbours. A text of n words has n − 1 pairs. A
score that looks at the order, too, is usually lower. And yet neither of the two
knows which words decide whether the sentence is true.
""",
    hints=(
        "The summary has {{n}} words and the reference {{m}}. Write one below the "
        "other and cross out what both have, one word for one word.",
        "For ROUGE-2, do the same with all pairs of neighbours. How many pairs has a "
        "text of {{n}} words?",
        "Each F1 is twice what is in common, divided by the sum of both numbers.",
    ),
    mistakes="""
You count different words. One that both have twice counts twice.
- 2 * {{words}}
+ 2 * {{different}}

You count every word of the summary that is in the reference. One that the summary has
more often counts only as often as the reference has it.
- 2 * {{words}}
+ 2 * {{repeated}}

Both are precision: you divide by the summary alone. F1 is wanted.
- 2 * {{words}} / (n + m)
+ {{words}} / n
- 2 * {{pairs}} / (n - 1 + m - 1)
+ {{pairs}} / (n - 1)

Both are recall: you divide by the reference alone. F1 is wanted.
- 2 * {{words}} / (n + m)
+ {{words}} / m
- 2 * {{pairs}} / (n - 1 + m - 1)
+ {{pairs}} / (m - 1)

Both are the mean of precision and recall. F1 is their harmonic mean.
- 2 * {{words}} / (n + m)
+ ({{words}} / n + {{words}} / m) / 2
- 2 * {{pairs}} / (n - 1 + m - 1)
+ ({{pairs}} / (n - 1) + {{pairs}} / (m - 1)) / 2

The 2 is missing in both: F1 is twice what is in common, divided by the sum.
- 2 * 
+ 

You divide by the number of all words that are in either text. F1 divides twice what is
in common by the sum of both.
- 2 * {{words}} / (n + m)
+ {{words}} / (n + m - {{words}})
- 2 * {{pairs}} / (n - 1 + m - 1)
+ {{pairs}} / (n + m - 2 - {{pairs}})

In ROUGE-2 you divide by words. A text of n words has n − 1 pairs.
- (n - 1 + m - 1)
+ (n + m)

In ROUGE-2 you take only one pair less than there are words in both texts together. Each
text has one less.
- (n - 1 + m - 1)
+ (n + m - 1)

Your ROUGE-2 counts words, not pairs of neighbours.
- 2 * {{pairs}}
+ 2 * {{words}}

You return what is in common. Divide twice of it by the sum of both numbers.
- 2 * {{words}} / (n + m)
+ {{words}}
- 2 * {{pairs}} / (n - 1 + m - 1)
+ {{pairs}}

ROUGE-1 comes first, then ROUGE-2.
- [rouge_1, rouge_2]
+ [rouge_2, rouge_1]

Those are percentages. Give numbers from 0 to 1.
- [rouge_1, rouge_2]
+ [100 * rouge_1, 100 * rouge_2]

Two numbers are asked for. ROUGE-2 is missing.
- [rouge_1, rouge_2]
+ rouge_1
""",
    reference=reference,
    values=values,
    book=BOOK,
    tolerance=0.0006,
)
