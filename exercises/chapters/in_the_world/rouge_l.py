"""Find the bug: ROUGE-L that takes each word where it comes first."""

from itertools import combinations

from exercises.engine.exercise import Exercise

WORDS = ("the", "storm", "closed", "old", "bridge", "on")


def cases(draw):
    yield ["rain"], ["rain"]
    yield [], ["rain"]
    yield ["rain"], []
    yield [], []
    yield ["rain"], ["sun"]
    yield ["sun", "rain"], ["rain", "sun"]
    yield "a b c d".split(), "d a b c".split()
    yield "b c d a".split(), "a b c d".split()
    yield "a b a c a d".split(), "a c d".split()
    yield "d a b c x e f g".split(), "a b c d e f g".split()
    yield "g a b c d e f".split(), "f a b c d e g".split()
    yield "a x b y c z d".split(), "a b u c v d w".split()
    yield "a b p q c d e".split(), "c d e p q a b".split()
    for lengths in ((5, 7), (8, 6), (7, 7), (9, 10)):
        yield tuple(list(map(str, draw.choice(WORDS, size=n))) for n in lengths)
    # No walk that takes what comes first is right here, wherever it begins.
    yield "b d c d c e a e e a c".split(), "e b c a d e e e d c e c".split()
    yield "c a d d f f f b e f d".split(), "a e b d b f b c f".split()
    yield "c g f f e d a f d d b".split(), "e a c f e f f g f e b d".split()


def reference(given, wanted):
    """Look for ever shorter parts of one text in the other."""
    for length in range(len(given), 0, -1):
        for part in combinations(given, length):
            rest = iter(wanted)
            if all(word in rest for word in part):
                return 2 * length / (len(given) + len(wanted))
    return 0.0


EXERCISE = Exercise(
    title="The longest way through",
    kind="find the bug",
    difficulty=3,
    minutes=20,
    prompt="""
ROUGE-L is the F1 of the **longest common subsequence**: of the most words that both
texts have in the same order, whatever stands between them. The function below agrees
with `rouge-score` on nearly all summaries. But for “Friday saw the old bridge closed”
and “the old bridge closed on Friday” it finds one word in common instead of four.
Find out why, and repair it.
""",
    bug="Each word is still taken where it comes first",
    solution='''
def rouge_l(given, wanted):
    """Return ROUGE-L, F1, a number from 0 to 1.

    given, wanted: the lists of words of a summary and of
    its reference. If nothing is in common, it is 0.
    """
    longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
    for word in given:
        before, longest = longest, [0]
        for place, other in enumerate(wanted):
            if word == other:
                longest.append(before[place] + 1)
            else:
                longest.append(max(before[place + 1], longest[place]))
    length = longest[-1]
    return 2 * length / (len(given) + len(wanted)) if length else 0.0
''',
    why="""
To take a word wherever it comes first can be wrong: “Friday” is the last word of the
reference, so nothing can follow it. Whether a word is worth taking depends on what
comes after it. `longest[j]` is the best for the words of the summary so far and the
first `j` words of the reference. If the two last words are equal, they can always be
paired; otherwise one of them is left out, whichever leaves more. This is **dynamic
programming**: it takes as many steps as the product of both lengths, while there are
exponentially many ways to choose.
""",
    hints=(
        "Follow the function word by word: what is left of the reference once “Friday” "
        "has been found?",
        "Let `longest[j]` be the best for the words of `given` so far and the first j "
        "words of `wanted`. How does one more word of `given` change it?",
        "If the word equals word `j` of `wanted`, it is 1 more than the best without "
        "either of them. Otherwise it is the better of two: without the one, and "
        "without the other.",
    ),
    mistakes="""
Each word is still taken where it comes first. What does that cost the words after it?
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place = 0, 0
+     for word in given:
+         if word in wanted[place:]:
+             place = wanted.index(word, place) + 1
+             length += 1

You walk through the reference now instead of the summary, but each word is still taken
where it comes first.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place = 0, 0
+     for word in wanted:
+         if word in given[place:]:
+             place = given.index(word, place) + 1
+             length += 1

You begin at the end, but each word is still taken at the first place found.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place, back = 0, 0, wanted[::-1]
+     for word in given[::-1]:
+         if word in back[place:]:
+             place = back.index(word, place) + 1
+             length += 1

The better of two walks, through the one text and through the other, can still miss the
longest.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = 0
+     for one, two in ((given, wanted), (wanted, given)):
+         found, place = 0, 0
+         for word in one:
+             if word in two[place:]:
+                 place = two.index(word, place) + 1
+                 found += 1
+         length = max(length, found)

You try every word as the first, but each word after it is still taken where it comes
first.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = 0
+     for first in range(len(given)):
+         found, place = 0, 0
+         for word in given[first:]:
+             if word in wanted[place:]:
+                 place = wanted.index(word, place) + 1
+                 found += 1
+         length = max(length, found)

That is the longest common run of words, a substring. In a subsequence, other words may
stand between them.
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+                 longest.append(0)
+         best = max(*longest, best) if wanted else 0
+     length = best
-     for word in given:
+     best = 0
+     for word in given:

`SequenceMatcher` takes the longest common run first, and then looks to its left and to
its right. Another choice of words can be longer.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     from difflib import SequenceMatcher
+
+     found = SequenceMatcher(None, given, wanted, autojunk=False)
+     length = sum(block.size for block in found.get_matching_blocks())

Your words need not be in the same order: that is ROUGE-1.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(min(given.count(w), wanted.count(w)) for w in set(given))

You count the different words that both have, in any order.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = len({*given} & {*wanted})

You count the words of the summary that the reference has, in any order and however
often.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(word in wanted for word in given)

You compare words at equal places only. A word more in one text moves all the others.
-     longest = [0] * (len(wanted) + 1)  # with the first 0, 1, … words of wanted
-     for word in given:
-         before, longest = longest, [0]
-         for place, other in enumerate(wanted):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(a == b for a, b in zip(given, wanted))

A word of the reference is used several times: after a pair, both words are used up.
- longest.append(before[place] + 1)
+ longest.append(before[place + 1] + 1)

A word of the summary is used several times: after a pair, both words are used up.
- longest.append(before[place] + 1)
+ longest.append(longest[place] + 1)

If the words differ, you only leave out the one of the reference. The one of the summary
may be left out instead.
- max(before[place + 1], longest[place])
+ longest[place]

If the words differ, you only leave out the one of the summary. The one of the reference
may be left out instead.
- max(before[place + 1], longest[place])
+ before[place + 1]

If the words differ, you leave out both. One of them may still be needed.
- max(before[place + 1], longest[place])
+ before[place]

The subsequence is right, but that is precision, its share of the summary.
- 2 * length / (len(given) + len(wanted))
+ length / len(given)

The subsequence is right, but that is recall, its share of the reference.
- 2 * length / (len(given) + len(wanted))
+ length / len(wanted)

The subsequence is right, but the 2 is missing in F1.
- 2 * length
+ length

The subsequence is right, but you return its length. F1 is wanted.
- 2 * length / (len(given) + len(wanted)) if length else 0.0
+ length

The subsequence is right, but you divide by the longer of both texts.
- 2 * length / (len(given) + len(wanted))
+ length / max(len(given), len(wanted))

The subsequence is right, but you return the mean of precision and recall. F1 is their
harmonic mean.
- 2 * length / (len(given) + len(wanted))
+ (length / len(given) + length / len(wanted)) / 2

If both texts are empty, you divide by 0.
-  if length else 0.0
+
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
    equivalent={
        "return 2 * length / (len(given) + len(wanted)) if wanted else 0.0": (
            "A length of 0, divided by any number of words, is 0."
        )
    },
)
