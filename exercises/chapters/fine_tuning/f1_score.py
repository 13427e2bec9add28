"""Build SQuAD's two scores, over several accepted answers."""

import re
import string
from collections import Counter

from exercises.engine.exercise import Exercise

WORDS = ("the", "a", "an", "old", "Bridge", "river,", "in", "1889", "Town.", "bridge")


def cases(draw):
    yield "", [""]
    yield "no", [""]
    yield "", ["no"]
    yield "Old town", ["old town"]
    yield "town, (old)!", ["town old"]
    yield "an old bridge", ["the old bridge"]
    yield "old town", ["town old"]
    yield "The bridge", ["bridge"]
    yield '"The" bridge', ["bridge"]
    yield "the other", ["or"]
    yield "Roman", ["rom"]
    yield "the A-Team", ["team"]
    yield "in and in", ["in or in"]
    yield "in the U.S.", ["in US", "in America"]
    yield "the", [""]
    yield "in and in and in", ["in and out", "and"]
    yield "bridge in a town", ["bridge", "the old bridge in the town"]
    yield "Bridge in 1889", ["a town", "it was in 1889, in a town"]
    for count in (1, 2, 3):
        yield text_of(draw), [text_of(draw) for _ in range(count)]


def text_of(draw):
    return " ".join(draw.choice(WORDS, size=draw.integers(3, 8)))


def tokens(text):
    """Return the words of a text as SQuAD's own program finds them."""
    kept = re.sub(f"[{re.escape(string.punctuation)}]", "", text.lower())
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def reference(answer, accepted):
    scores = []
    for text in accepted:
        got, wanted = tokens(answer), tokens(text)
        same = sum((Counter(got) & Counter(wanted)).values())
        if not got or not wanted:
            scores.append((got == wanted, got == wanted))
            continue
        precision, recall = same / len(got), same / len(wanted)
        both = precision + recall
        scores.append((got == wanted, 2 * precision * recall / both if both else 0))
    return tuple(float(max(column)) for column in zip(*scores, strict=True))


EXERCISE = Exercise(
    title="Scores by SQuAD's rules",
    kind="build",
    difficulty=2,
    minutes=20,
    prompt=r"""
Write SQuAD's two scores for questions with several accepted answers. Before texts are
compared, they are normalized, in this order: lower case; no punctuation, that is, none
of the characters in `punctuation`; no articles, that is, none of the words *a*, *an*
and *the*; the rest is cut into words at white space.

- **Exact match** is 1 if both have the same words in the same order, otherwise 0.
- **F1** is $2c / (n + m)$, where $n$ and $m$ are the numbers of words of both and $c$
  the number of words that they have in common. A word that one text has twice and the
  other three times counts twice. If neither has any words, F1 is 1.

Each score is the best over the accepted answers. Use plain Python, without
`scratch.answering`.
""",
    solution='''
from string import punctuation


def scores(answer, accepted):
    """Return exact match and F1, two numbers.

    answer: a text, "" for no answer; accepted: a list of texts.
    """

    def words(text):
        text = "".join(c for c in text.lower() if c not in punctuation)
        return [word for word in text.split() if word not in ("a", "an", "the")]

    exact, f1 = 0.0, 0.0
    found = words(answer)
    for text in accepted:
        right = words(text)
        common = sum(min(found.count(w), right.count(w)) for w in set(right))
        total = len(found) + len(right)
        exact = max(exact, float(found == right))
        f1 = max(f1, 2 * common / total if total else 1.0)
    return exact, f1
''',
    why="""
$2c / (n + m)$ is the harmonic mean of precision, $c / n$, and recall, $c / m$. It gives
part of the credit to an answer that is too long or too short. The order of the rules
matters: an article next to a quotation mark is found only after the punctuation has
been removed. Two scores are reported because neither is enough: exact match punishes a
missing first name as hard as nonsense, and F1 ignores the order of the words.
""",
    hints=(
        "Write a function that returns the list of a text's normalized words. Use it "
        "for the answer and for every accepted answer.",
        "`text.lower()`, then keep the characters that are not in `punctuation`, then "
        "`split()`, then drop the articles.",
        "For each word, `min(found.count(word), right.count(word))` is what both have "
        "in common. Add that up over the different words of one of them.",
    ),
    mistakes=r"""
Upper and lower case are still different.
- text.lower()
+ text

The punctuation is still there.
- "".join(c for c in text.lower() if c not in punctuation)
+ text.lower()

Lower case is not enough: punctuation and articles are still there.
-         text = "".join(c for c in text.lower() if c not in punctuation)
-         return [word for word in text.split() if word not in ("a", "an", "the")]
+         return text.lower().split()

The articles are still there.
- if word not in ("a", "an", "the")]
+ ]

The articles are removed inside words as well: “banana” is one word.
- if c not in punctuation)
+ if c not in punctuation)
+         for article in ("the", "an", "a"):
+             text = text.replace(article, "")

You remove the articles before the punctuation, so one in quotation marks is kept.
-         text = "".join(c for c in text.lower() if c not in punctuation)
-         return [word for word in text.split() if word not in ("a", "an", "the")]
+         kept = [w for w in text.lower().split() if w not in ("a", "an", "the")]
+         text = " ".join(kept)
+         return "".join(c for c in text if c not in punctuation).split()

You remove “the” only. “a” and “an” are articles, too.
- ("a", "an", "the")
+ ("the",)

“an” is an article, too.
- ("a", "an", "the")
+ ("a", "the")

You remove an article only where the text begins with it.
-         return [word for word in text.split() if word not in ("a", "an", "the")]
+         kept = text.split()
+         return kept[1:] if kept and kept[0] in ("a", "an", "the") else kept

You put a space where punctuation was, so “U.S.” is two words, “u” and “s”. Without its
punctuation it is one, “us”.
- "".join(c for c in text.lower() if c not in punctuation)
+ "".join(" " if c in punctuation else c for c in text.lower())

You count a common word once, however often both texts have it.
- sum(min(found.count(w), right.count(w)) for w in set(right))
+ len(set(found) & set(right))

You turned the words into sets. A word that occurs twice counts twice.
- sum(min(found.count(w), right.count(w)) for w in set(right))
+ len(set(found) & set(right))
- len(found) + len(right)
+ len(set(found)) + len(set(right))

You count every word of the answer that is in the accepted one. A word counts as often
as both have it.
- min(found.count(w), right.count(w)) for w in set(right)
+ w in right for w in found

You count every word of the accepted answer that is in the answer. A word counts as
often as both have it.
- min(found.count(w), right.count(w)) for w in set(right)
+ w in found for w in right

That is precision. F1 also divides by the words of the accepted answer.
- 2 * common / total if total else 1.0
+ common / len(found) if found else float(not right)

That is recall. F1 also divides by the words of the answer.
- 2 * common / total if total else 1.0
+ common / len(right) if right else float(not found)

That is the mean of precision and recall. F1 is their harmonic mean.
- 2 * common / total if total else 1.0
+ (common / len(found) + common / len(right)) / 2 if found and right else exact

You divide by the number of all different words. F1 divides twice the common words by
the sum of both lengths.
- 2 * common / total if total else 1.0
+ common / len({*found, *right}) if total else 1.0

The 2 is missing in your F1.
- 2 * common
+ common

If neither text has any words, F1 is 1.
- else 1.0
+ else 0.0

If one of the two has no words and the other has some, F1 is 0.
- if total else 1.0
+ if found and right else 1.0

Your exact match ignores the order of the words.
- found == right
+ sorted(found) == sorted(right)

Your exact match compares the texts as they are. Normalize them first.
- found == right
+ answer == text

Your exact match is 1 if the accepted answer is a part of the answer. Both must be
equal.
- found == right
+ " ".join(right) in " ".join(found)

You compare with the first accepted answer only.
- for text in accepted:
+ for text in accepted[:1]:

You compare with the last accepted answer only.
- for text in accepted:
+ for text in accepted[-1:]:

You return the mean over the accepted answers. The best is wanted.
- exact = max(exact, float(found == right))
+ exact += float(found == right) / len(accepted)
- f1 = max(f1, 2 * common / total if total else 1.0)
+ f1 += (2 * common / total if total else 1.0) / len(accepted)

You return the worst over the accepted answers. The best is wanted.
- exact, f1 = 0.0, 0.0
+ exact, f1 = 1.0, 1.0
- max(exact
+ min(exact
- max(f1
+ min(f1

All accepted answers are joined into one text. Compare with each of them.
- for text in accepted:
+ for text in [" ".join(accepted)]:

You count characters. F1 counts words.
- return [word for word in text.split() if word not in ("a", "an", "the")]
+ kept = [word for word in text.split() if word not in ("a", "an", "the")]
+         return list(" ".join(kept))

Your F1 is a percentage. Return a number from 0 to 1.
- return exact, f1
+ return exact, 100 * f1

Both scores are percentages. Return numbers from 0 to 1.
- return exact, f1
+ return 100 * exact, 100 * f1

F1 comes second, after exact match.
- return exact, f1
+ return f1, exact

You remove the articles before the punctuation, so “A-Team” loses its first letter.
- text = "".join(c for c in text.lower() if c not in punctuation)
+ import re
+
+         text = re.sub(r"\b(a|an|the)\b", " ", text.lower())
+         text = "".join(c for c in text if c not in punctuation)

You remove “a” first, and inside words as well, so that “an” leaves its “n”.
- if c not in punctuation)
+ if c not in punctuation)
+         for article in ("a", "an", "the"):
+             text = text.replace(article, "")

Two empty texts are equal: both scores are 1.
- float(found == right)
+ float(found == right and total > 0)
- else 1.0
+ else 0.0

That is the mean of precision and recall, 0 where a text is empty. F1 is their harmonic
mean.
- 2 * common / total if total else 1.0
+ (common / len(found) + common / len(right)) / 2 if found and right else 0.0

You divide by the longer of the two texts. F1 divides twice the common words by the sum
of both lengths.
- 2 * common / total if total else 1.0
+ common / max(len(found), len(right)) if total else 1.0

Exact match is right. Your F1 is that of the last accepted answer, not the best one.
- f1 = max(f1, 2 * common / total if total else 1.0)
+ f1 = 2 * common / total if total else 1.0

You remove punctuation only at the ends of a word. “U.S.” keeps its inner full stop.
-         text = "".join(c for c in text.lower() if c not in punctuation)
-         return [word for word in text.split() if word not in ("a", "an", "the")]
+         kept = [word.strip(punctuation) for word in text.lower().split()]
+         return [word for word in kept if word not in ("a", "an", "the")]

Digits are not punctuation. You removed them.
- if c not in punctuation)
+ if c.isalpha() or c.isspace())

If neither text has any words, you divide by 0. F1 is 1 then.
- 2 * common / total if total else 1.0
+ 2 * common / total

You cut at every single space, so an empty text has one empty word. `split()` without an
argument cuts at white space of any length.
- in text.split()
+ in text.split(" ")

You turn the words into sets, which know neither the order nor how often a word occurs.
- return [word for word in text.split() if word not in ("a", "an", "the")]
+ return {word for word in text.split() if word not in ("a", "an", "the")}
- sum(min(found.count(w), right.count(w)) for w in set(right))
+ len(found & right)

You turn the words into sets and divide by the number of all different words. F1 counts
a word as often as both have it, and divides by the sum of both lengths.
- return [word for word in text.split() if word not in ("a", "an", "the")]
+ return {word for word in text.split() if word not in ("a", "an", "the")}
- sum(min(found.count(w), right.count(w)) for w in set(right))
+ len(found & right)
- 2 * common / total
+ common / len(found | right)

You look for articles before the text is in lower case, so “The” is kept.
- text.lower()
+ text
- return [word for
+ return [word.lower() for

Exact match is a truth value. Return a number, 1 or 0.
- exact, f1 = 0.0
+ exact, f1 = False
- float(found == right)
+ found == right
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
    equivalent={
        "exact = max(float(found == right), exact)": "The larger has no order.",
        "f1 = max(2 * common / total if total else 1.0, f1)": "As above.",
        "common = sum(min(found.count(w), right.count(w)) for w in set(found))": (
            "What only one of them has counts 0 times."
        ),
        "common = sum(min(right.count(w), found.count(w)) for w in set(right))": (
            "The smaller has no order."
        ),
    },
)
