"""Build the count that decides what byte-pair encoding merges first."""

from collections import Counter

from exercises.engine.exercise import Exercise


def cases(draw):
    yield {"ab": 1}
    yield {"banana": 2}
    yield {"aab": 2, "ba": 3}
    yield {"ca": 1, "cab": 1, "ab": 1, "dd": 2}
    yield {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    yield {"noon": 1, "onon": 1, "no": 2, "on": 1}
    yield {"aaaa": 1, "bcbc": 1}
    yield {"a": 9, "cb": 2, "ca": 2}
    yield {
        "".join(draw.choice(list("abc"), size=draw.integers(2, 6))): int(
            draw.integers(1, 9)
        )
        for _ in range(5)
    }


def reference(words):
    counts = Counter()
    for word, times in words.items():
        for place in range(len(word) - 1):
            counts[word[place : place + 2]] += times
    most = max(counts.values())
    return min(pair for pair in counts if counts[pair] == most), most


EXERCISE = Exercise(
    title="The first merge",
    kind="build",
    difficulty=1,
    minutes=10,
    prompt="""
Byte-pair encoding begins with letters and merges the most frequent pair of neighbours.
Find that pair: `words` says how often each word stands in the text. Return the pair, as
a text of two letters, and its count. Pairs may overlap: *aaa* holds *aa* twice. Of
several pairs with the same count, take the first in alphabetical order.
""",
    solution='''
def best_pair(words):
    """Return the most frequent pair of letters and its count.

    words: {word: how often it occurs}.
    """
    counts = {}
    for word, times in words.items():
        for first, second in zip(word, word[1:]):
            pair = first + second
            counts[pair] = counts.get(pair, 0) + times
    best = min(counts, key=lambda pair: (-counts[pair], pair))
    return best, counts[best]
''',
    why="""
A word that occurs a hundred times brings each of its pairs a hundred times, so words
are counted once and weighted. Pairs do not reach over the end of a word: no token will
ever hold the end of one word and the beginning of the next. And ties must be broken in
a way that does not depend on chance, or two machines learn two vocabularies.
""",
    hints=(
        "Which pairs does one word have? `zip(word, word[1:])` makes them.",
        "Add how often the word occurs, for each of its pairs.",
        "Then take the pair with the largest count; among equals, the smallest text.",
    ),
    mistakes="""
Each word counts once, however often it occurs. What is `times` for?
- 0) + times
+ 0) + 1

A pair counts once in each word. In “banana” there are two of “an”.
- zip(word, word[1:])
+ set(zip(word, word[1:]))

Pairs may overlap: “aaaa” holds “aa” three times, and `str.count` finds two.
-         for first, second in zip(word, word[1:]):
-             pair = first + second
-             counts[pair] = counts.get(pair, 0) + times
+         for pair in {a + b for a, b in zip(word, word[1:])}:
+             found = word.count(pair) * times
+             counts[pair] = counts.get(pair, 0) + found

Some of your pairs reach from one word into the next.
- in words.items():
+ in [(''.join(w * n for w, n in words.items()), 1)]:

That is the rarest pair.
- (-counts[pair], pair)
+ (counts[pair], pair)

Of pairs with the same count, you take the last in the alphabet.
- min(counts, key=lambda pair: (-counts[pair], pair))
+ max(counts, key=lambda pair: (counts[pair], pair))

Of pairs with the same count, you take the one that comes first in the text.
- (-counts[pair], pair)
+ -counts[pair]

Those are letters next to the next but one. Neighbours are asked for.
- zip(word, word[1:])
+ zip(word, word[2:] or word[1:])
""",
    reference=reference,
    cases=cases,
)
