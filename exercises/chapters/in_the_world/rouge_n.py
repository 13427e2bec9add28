"""Build ROUGE-N, over several references."""

import re

from exercises.engine.exercise import Exercise

WORDS = ("the", "the", "Storm", "closed", "bridge.", "On", "Friday,", "and", "TV")


def cases(draw):
    yield 1, ["rain"], ""
    yield 2, ["rain"], "rain"
    yield 1, ["rain"], "Sun!"
    yield 1, ["rain"], "Rain."
    yield 2, ["wind", "wind and rain", "more wind, rain"], "wind, rain"
    yield 2, ["it rains again"], "It rains. Again it rains"
    yield 1, ["rain and rain"], "rain rain rain"
    yield 1, ["wind, rain", "rain"], "wind"
    yield 1, ["the caf", "my café"], "A café by_night"
    yield (
        1,
        ["Rain again", "no rain again today or sun on Sunday"],
        "rain again, no sun",
    )
    yield 2, ["Wick won 4 to 1", "Wick drew 4-1"], "Wick won 4-1"
    yield 1, ["the end of the day, the start of the night", "the end of it"], "the end"
    for n in (1, 2, 3, 1, 2, 3, 2):
        given = text_of(draw, 14)
        yield n, [changed(draw, given, share) for share in (0.5, 0.2, 0.4)], given
    given = "TV: the storm closed the bridge. The bridge, closed on Friday, is the old"
    yield (
        2,
        [
            "tv: The storm closed the bridge on Friday; the bridge is closed. The old",
            "the storm closed the bridge. The bridge is the old one on the river",
            "closed on Friday: the bridge, the ferry and the old one on the river. The",
        ],
        f"{given} one on the river on Friday",
    )


def text_of(draw, length):
    return " ".join(map(str, draw.choice(WORDS, size=length)))


def changed(draw, text, share):
    """Return a text of which this share of the words is replaced or lost."""
    kept = [
        word if draw.uniform() > share else str(draw.choice(WORDS))
        for word in text.split()
    ]
    return " ".join(kept[: draw.integers(8, len(kept))])


def reference(n, references, summary):
    best = (0.0, 0.0, 0.0)
    for text in references:
        tables = []
        for part in (summary, text):
            words = [w for w in re.split(r"[^a-z0-9]+", part.lower()) if w]
            table = {}
            for end in range(n, len(words) + 1):
                gram = " ".join(words[end - n : end])
                table[gram] = table.get(gram, 0) + 1
            tables.append(table)
        one, other = tables
        common = sum(min(one[gram], other.get(gram, 0)) for gram in one)
        if common:
            precision = common / sum(one.values())
            recall = common / sum(other.values())
            f1 = 2 / (1 / precision + 1 / recall)
            if f1 > best[2] + 1e-12:
                best = precision, recall, f1
    return best


EXERCISE = Exercise(
    title="ROUGE with several references",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt=r"""
Two people seldom write the same summary of a text, so a summary may be compared with
several references. Write ROUGE-N for that, in plain Python:

- Lower case first; then a word is any run of the letters a to z and digits, and the
  rest is dropped: `4-1` is two words.
- An **n-gram** is `n` words in a row, wherever sentences end. A text in which an
  n-gram occurs twice and one in which it occurs three times have it in common twice.
- **Precision** is the share of the summary's n-grams that are in common, **recall**
  that of the reference's, and **F1** is their harmonic mean. All three are 0 if nothing
  is in common.

Return all three for the reference with the largest F1, the first of them if there are
several.
""",
    solution='''
import re
from collections import Counter


def rouge_n(n, references, summary):
    """Return precision, recall and F1, three numbers.

    references: a list of texts; summary: a text.
    """

    def grams(text):
        words = re.findall("[a-z0-9]+", text.lower())
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    best = 0.0, 0.0, 0.0
    found = grams(summary)
    for text in references:
        right = grams(text)
        common = sum((Counter(found) & Counter(right)).values())
        if common:
            precision, recall = common / len(found), common / len(right)
            f1 = 2 * precision * recall / (precision + recall)
            best = max(best, (precision, recall, f1), key=lambda one: one[2])
    return best
''',
    why="""
`Counter(a) & Counter(b)` keeps the smaller of both counts. Without this **clipping**, a
summary could earn a reference's frequent word again and again: “the the the” would be
full of right words. Recall alone rewards a summary that is far too long, and precision
alone one that is far too short. The best reference counts because nobody can agree with
all of them at once. What is counted are words in common, wherever they stand: whether
the sentence is true doesn't enter anywhere.
""",
    hints=(
        "Write a function that returns the list of a text's n-grams, as tuples. "
        "`re.findall` finds the words.",
        "`words[i : i + n]` is an n-gram. At which `i` are exactly `n` words left?",
        "`Counter(found) & Counter(right)` has each n-gram as often as both have it: "
        "add up its values.",
    ),
    mistakes=r"""
You count every n-gram of the summary that occurs in the reference. One that the summary
repeats counts as often as both have it.
- sum((Counter(found) & Counter(right)).values())
+ sum(one in right for one in found)

You count every n-gram of the reference that occurs in the summary. One that the
reference repeats counts as often as both have it.
- sum((Counter(found) & Counter(right)).values())
+ sum(one in found for one in right)

You count an n-gram that is in common once, however often both have it.
- sum((Counter(found) & Counter(right)).values())
+ len(set(found) & set(right))

You turned the n-grams into sets. One that occurs twice counts twice.
- return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
+ return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}

Precision and recall are exchanged: precision is a share of the summary's n-grams.
- common / len(found), common / len(right)
+ common / len(right), common / len(found)

Your F1 is the mean of precision and recall. It is their harmonic mean.
- 2 * precision * recall / (precision + recall)
+ (precision + recall) / 2

The 2 is missing in your F1.
- 2 * precision
+ precision

Your F1 is the product of precision and recall. It is their harmonic mean.
- 2 * precision * recall / (precision + recall)
+ precision * recall

Your F1 is the square root of the product of precision and recall, their geometric mean.
The harmonic one is wanted.
- 2 * precision * recall / (precision + recall)
+ (precision * recall) ** 0.5

Your n-grams end where a sentence ends. They go on into the next one.
-         words = re.findall("[a-z0-9]+", text.lower())
-         return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
+         found = []
+         for sentence in re.split(r"[.!?;:]", text.lower()):
+             words = re.findall("[a-z0-9]+", sentence)
+             found += [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
+         return found

The last n-gram is missing: with as many words as `n`, there is one.
- len(words) - n + 1
+ len(words) - n

Your last n-grams are cut short: fewer than `n` words are no n-gram.
- len(words) - n + 1
+ len(words)

Your n-grams do not overlap. One begins at every word.
- len(words) - n + 1)
+ 0, len(words) - n + 1, n)

You compare n-grams without regard to the order of their words.
- tuple(words[i : i + n])
+ tuple(sorted(words[i : i + n]))

You count words, whatever `n` is.
- tuple(words[i : i + n]) for i in range(len(words) - n + 1)
+ word for word in words

You count runs of characters. An n-gram is `n` words.
- tuple(words[i : i + n]) for i in range(len(words) - n + 1)
+ " ".join(words)[i : i + n] for i in range(len(" ".join(words)) - n + 1)

Upper and lower case are still different.
- "[a-z0-9]+", text.lower()
+ "[A-Za-z0-9]+", text

You look for lower-case letters before the text is in lower case, so every capital cuts
a word.
- text.lower()
+ text

The punctuation is still there: “bridge.” is not “bridge”.
- re.findall("[a-z0-9]+", text.lower())
+ text.lower().split()

Punctuation is removed, but it also parts words: “4-1” is “4” and “1”.
- re.findall("[a-z0-9]+", text.lower())
+ re.sub("[^a-z0-9 ]", "", text.lower()).split()

You drop the digits. They are part of a word.
- [a-z0-9]
+ [a-z]

You return the mean over the references. The one with the largest F1 counts.
- best = 0.0, 0.0, 0.0
+ best = np.zeros(3)
- best = max(best, (precision, recall, f1), key=lambda one: one[2])
+ best = best + np.array([precision, recall, f1]) / len(references)
- return best
+ return best.tolist()

You return the largest precision, the largest recall and the largest F1. All three
belong to one reference.
- max(best, (precision, recall, f1), key=lambda one: one[2])
+ tuple(map(max, best, (precision, recall, f1)))

You choose the reference by its recall. The largest F1 decides.
- one[2]
+ one[1]

You choose the reference by its precision. The largest F1 decides.
- one[2]
+ one[0]

You compare with the first reference only.
- for text in references:
+ for text in references[:1]:

You compare with the last reference only.
- for text in references:
+ for text in references[-1:]:

All references are joined into one text. Compare with each of them.
- for text in references:
+ for text in [" ".join(references)]:

Of references with the same F1, the first is wanted.
- best = max(best, (precision, recall, f1), key=lambda one: one[2])
+ best = max((precision, recall, f1), best, key=lambda one: one[2])

You also find the underscore and letters with accents. A word has the letters a to z and
digits only.
- "[a-z0-9]+"
+ r"\w+"

Your last reference wins, whatever its F1 is.
- max(best, (precision, recall, f1), key=lambda one: one[2])
+ precision, recall, f1

If nothing is in common, all three numbers are 0. You divide by 0.
-         if common:
+         if True:

You return F1 alone. Precision and recall come before it.
- return best
+ return best[2]

F1 comes last, after precision and recall.
- return best
+ return best[2], best[0], best[1]

Your numbers are percentages. Return numbers from 0 to 1.
- return best
+ return tuple(100 * one for one in best)

You return the worst reference. The one with the largest F1 counts.
- best = 0.0, 0.0, 0.0
+ best = 2.0, 2.0, 2.0
- best = max(
+ best = min(
- return best
+ return best if best[0] < 2 else (0.0, 0.0, 0.0)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
)
