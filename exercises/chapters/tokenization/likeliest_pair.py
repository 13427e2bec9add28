"""Build the score by which WordPiece, not byte-pair encoding, picks the next merge."""

from fractions import Fraction
from itertools import pairwise

from exercises.engine.exercise import Exercise


def cases(draw):
    yield {"ab": 1}
    yield {"cba": 2, "bc": 1}
    yield {"a": 2, "ab": 2}
    yield {"aaa": 1}
    yield {"abab": 2}
    yield {"ab": 2, "cd": 2, "ad": 4}  # a tie of two pairs
    yield {"cd": 2, "ab": 2, "cb": 4}
    yield {"aaab": 1, "ba": 2}
    yield {"banana": 2, "bandana": 3, "nab": 1}
    yield {"sea": 10, "tea": 5, "ten": 12, "net": 4, "seas": 5}
    yield {"abcde": 1, "edcba": 1, "de": 2, "cde": 1}
    for _ in range(2):
        yield random_words(draw)


def random_words(draw):
    """Return words of which one pair is the best by far, under any rounding."""
    while True:
        words = {
            "".join(draw.choice(list("abcd"), size=draw.integers(2, 6))): int(
                draw.integers(1, 9)
            )
            for _ in range(5)
        }
        first, second = sorted(scores(words).values(), reverse=True)[:2]
        if first > second * Fraction(101, 100):
            return words


def scores(words):
    letters = [(letter, n) for word, n in words.items() for letter in word]
    pairs = [(pair, n) for word, n in words.items() for pair in pairwise(word)]

    def count(counted, wanted):
        return sum(n for what, n in counted if what == wanted)

    return {
        pair: Fraction(
            count(pairs, pair), count(letters, pair[0]) * count(letters, pair[1])
        )
        for pair, _ in pairs
    }


def reference(words):
    found = scores(words)
    best = min(found, key=lambda pair: (-found[pair], pair))
    return "".join(best), float(found[best])


EXERCISE = Exercise(
    title="How WordPiece chooses",
    kind="build",
    difficulty=2,
    minutes=15,
    prompt="""
The program that learned BERT's vocabulary was never published. By a common account it
also merges, but it prefers pairs whose letters rarely occur apart: their score is the
count of the pair, divided by those of its two letters:

`score(ab) = count(ab) / (count(a) · count(b))`

`words` tells how often each word occurs in a text, and all three counts are taken over
that text. Return the pair with the highest score, as a string of two letters, and the
score. Overlapping pairs count: *aaa* contains *aa* twice. If several pairs have the
same score, return the one that is first in alphabetical order.
""",
    solution='''
def likeliest_pair(words):
    """Return the pair with the highest score, and the score.

    words: {word: how often it occurs}.
    """
    letters, pairs = {}, {}
    for word, times in words.items():
        for letter in word:
            letters[letter] = letters.get(letter, 0) + times
        for a, b in zip(word, word[1:]):
            pairs[a + b] = pairs.get(a + b, 0) + times
    scores = {
        pair: count / (letters[pair[0]] * letters[pair[1]])
        for pair, count in pairs.items()
    }
    best = min(scores, key=lambda pair: (-scores[pair], pair))
    return best, scores[best]
''',
    why="""
If letters were drawn independently, the count of *ab* would be proportional to the
product of the counts of *a* and *b*. The score compares the real count with that: it is
high for letters that belong together, such as *q* and *u*, and low for two letters that
are merely frequent. The original paper merges the pair that raises the likelihood of
the training text most. Google has not published its training program; the ratio is the
form of that rule in [the Hugging Face
course](https://huggingface.co/learn/llm-course/chapter6/6).
""",
    hints=(
        "You need two dictionaries: the counts of letters and the counts of pairs.",
        "A word that occurs 5 times adds 5 to each of its letters and to each of its "
        "pairs.",
        "`min(scores, key=lambda pair: (-scores[pair], pair))` takes the highest score "
        "and, among equal ones, the first in the alphabet.",
    ),
    mistakes="""
That is the most frequent pair, which byte-pair encoding would choose. Divide its count
by the counts of both letters before you compare.
- pair: count / (letters[pair[0]] * letters[pair[1]])
+ pair: count

You compare the counts of pairs, not their scores: the score is right, but for the most
frequent pair.
- (-scores[pair], pair)
+ (-pairs[pair], pair)

The pair is right, but you return its count instead of its score.
- return best, scores[best]
+ return best, pairs[best]

You count each word once. `words` says how often it occurs.
- letters.get(letter, 0) + times
+ letters.get(letter, 0) + 1
- pairs.get(a + b, 0) + times
+ pairs.get(a + b, 0) + 1

Your pairs count as often as their word occurs, but your letters only once per word.
- letters.get(letter, 0) + times
+ letters.get(letter, 0) + 1

Your letters count as often as their word occurs, but your pairs only once per word.
- pairs.get(a + b, 0) + times
+ pairs.get(a + b, 0) + 1

You divide by the sum of the two counts. Their product is asked for.
- letters[pair[0]] * letters[pair[1]]
+ letters[pair[0]] + letters[pair[1]]

You divide by the count of the first letter only.
- (letters[pair[0]] * letters[pair[1]])
+ letters[pair[0]]

You divide by the count of the second letter only.
- (letters[pair[0]] * letters[pair[1]])
+ letters[pair[1]]

You divide by the first count and then multiply by the second: parentheses are missing.
- (letters[pair[0]] * letters[pair[1]])
+ letters[pair[0]] * letters[pair[1]]

You divide with `//`, which rounds down to a whole number.
- count / (
+ count // (

That is the pair with the lowest score.
- (-scores[pair], pair)
+ (scores[pair], pair)

Of pairs with the same score, you return the last in the alphabet.
- min(scores, key=lambda pair: (-scores[pair], pair))
+ max(scores, key=lambda pair: (scores[pair], pair))

Of pairs with the same score, you return the one that comes first in the text.
- (-scores[pair], pair)
+ -scores[pair]

You count a pair only once per word, but “banana” contains “an” twice.
- in zip(word, word[1:]):
+ in set(zip(word, word[1:])):

You count a letter only once per word, but “banana” contains “a” three times.
- for letter in word:
+ for letter in set(word):

You count letters and pairs only once per word. Every occurrence counts.
- for letter in word:
+ for letter in set(word):
- in zip(word, word[1:]):
+ in set(zip(word, word[1:])):

Pairs may overlap: “aaa” contains “aa” twice, and `str.count` finds one.
-         for a, b in zip(word, word[1:]):
-             pairs[a + b] = pairs.get(a + b, 0) + times
+         for pair in {a + b for a, b in zip(word, word[1:])}:
+             pairs[pair] = pairs.get(pair, 0) + word.count(pair) * times

You count the first letter only where it begins a pair, and the second only where it
ends one. Count each of them everywhere.
-         for letter in word:
-             letters[letter] = letters.get(letter, 0) + times
-         for a, b in zip(word, word[1:]):
+         for a, b in zip(word, word[1:]):
+             letters[a, 0] = letters.get((a, 0), 0) + times
+             letters[b, 1] = letters.get((b, 1), 0) + times
- letters[pair[0]] * letters[pair[1]]
+ letters[pair[0], 0] * letters[pair[1], 1]

You count a letter once for each pair that it is in, so letters inside a word count
twice.
-         for letter in word:
-             letters[letter] = letters.get(letter, 0) + times
-         for a, b in zip(word, word[1:]):
+         for a, b in zip(word, word[1:]):
+             letters[a] = letters.get(a, 0) + times
+             letters[b] = letters.get(b, 0) + times

You work with shares of the text instead of counts.
-     scores = {
-         pair: count / (letters[pair[0]] * letters[pair[1]])
+     of_letters, of_pairs = sum(letters.values()), sum(pairs.values())
+     scores = {
+         pair: count / of_pairs * of_letters**2 / (letters[pair[0]] * letters[pair[1]])

You return the logarithm of the score. The score itself is asked for.
- return best, scores[best]
+ return best, math.log(scores[best])

Some of your pairs reach from one word into the next.
- for word, times in words.items():
+ for word, times in [("".join(w * n for w, n in words.items()), 1)]:

You return the pair as a tuple of two letters. Join them into one string.
- return best, scores[best]
+ return tuple(best), scores[best]

The score comes second, after the pair.
- return best, scores[best]
+ return scores[best], best

You leave out the last pair of each word.
- zip(word, word[1:])
+ zip(word, word[1:-1] or word[1:])

You count “ab” and “ba” as one pair. The order of the letters matters.
- pairs[a + b] = pairs.get(a + b, 0) + times
+ a, b = sorted((a, b))
+             pairs[a + b] = pairs.get(a + b, 0) + times

You take the square root of the product. Divide by the product itself.
- (letters[pair[0]] * letters[pair[1]])
+ math.sqrt(letters[pair[0]] * letters[pair[1]])

Your score is rounded. Return it as it is.
- return best, scores[best]
+ return best, round(scores[best], 2)

You divide by the count of all letters. Divide by the counts of the two in the pair.
- (letters[pair[0]] * letters[pair[1]])
+ sum(letters.values())

You divide by the larger of the two counts. Divide by their product.
- (letters[pair[0]] * letters[pair[1]])
+ max(letters[pair[0]], letters[pair[1]])

You divide by the smaller of the two counts. Divide by their product.
- (letters[pair[0]] * letters[pair[1]])
+ min(letters[pair[0]], letters[pair[1]])

You divide by the sum of both counts, less the count of the pair. Divide by the product
of both counts.
- letters[pair[0]] * letters[pair[1]]
+ letters[pair[0]] + letters[pair[1]] - count

Of pairs with the same score, you return the one that comes last in the text.
- min(scores, key=lambda pair: (-scores[pair], pair))
+ max(reversed(scores), key=lambda pair: scores[pair])

You joined the words by spaces and counted the space as a letter.
- for word, times in words.items():
+ for word, times in [(" ".join(" ".join([w] * n) for w, n in words.items()), 1)]:

Your score is rounded. Return all of its decimals.
- return best, scores[best]
+ return best, round(scores[best], 4)
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
    equivalent={
        "letters[letter] = letters.get(letter, 0) - times": (
            "Both counts change their signs, and their product stays."
        ),
    },
)
