"""Find the bug: ROUGE-L that takes each word where it comes first."""

from itertools import combinations

from exercises.engine.exercise import Exercise

WORDS = ("the", "storm", "closed", "old", "bridge", "on")


def cases(draw):
    yield ["rain"], ["rain"]
    yield ["rain"], []
    yield [], ["rain"]
    yield [], []
    yield ["sun"], ["rain"]
    yield ["rain", "sun"], ["sun", "rain"]
    yield "d a b c".split(), "a b c d".split()
    yield "a b c d".split(), "b c d a".split()
    yield "a c d".split(), "a b a c a d".split()
    yield "a b c d e f g".split(), "d a b c x e f g".split()
    yield "f a b c d e g".split(), "g a b c d e f".split()
    yield "a b u c v d w".split(), "a x b y c z d".split()
    yield "c d e p q a b".split(), "a b p q c d e".split()
    for lengths in ((7, 5), (6, 8), (7, 7), (10, 9)):
        yield tuple(list(map(str, draw.choice(WORDS, size=n))) for n in lengths)
    # No walk that takes what comes first is right here, wherever it begins.
    yield "e b c a d e e e d c e c".split(), "b d c d c e a e e a c".split()
    yield "a e b d b f b c f".split(), "c a d d f f f b e f d".split()
    yield "e a c f e f f g f e b d".split(), "c g f f e d a f d d b".split()


def reference(reference, summary):
    """Look for ever shorter parts of one text in the other."""
    for length in range(len(summary), 0, -1):
        for part in combinations(summary, length):
            rest = iter(reference)
            if all(word in rest for word in part):
                return 2 * length / (len(summary) + len(reference))
    return 0.0


EXERCISE = Exercise(
    title="The longest way through",
    kind="find the bug",
    difficulty=3,
    minutes=20,
    prompt="""
ROUGE-L is the F1 of the **longest common subsequence**: of the most words that both
texts have in the same order, whatever stands between them. The function below agrees
with `rouge-score` on nearly all summaries. But for the summary “Friday saw the old
bridge closed” and the reference “the old bridge closed on Friday” it finds one word in
common instead of four. Find out why, and repair it.
""",
    bug="Each word is still taken where it comes first",
    solution='''
def rouge_l(reference, summary):
    """Return ROUGE-L, F1, a number from 0 to 1.

    reference, summary: the lists of words of both. If they
    have no word in common, it is 0.
    """
    longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
    for word in summary:
        before, longest = longest, [0]
        for place, other in enumerate(reference):
            if word == other:
                longest.append(before[place] + 1)
            else:
                longest.append(max(before[place + 1], longest[place]))
    length = longest[-1]
    return 2 * length / (len(summary) + len(reference)) if length else 0.0
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
        "Let `longest[j]` be the best for the words of the summary so far and the "
        "first j words of the reference. How does one more word of the summary "
        "change it?",
        "If the word equals word j of the reference, it is 1 more than the best "
        "without both. Otherwise it is the better of two: without the one, and "
        "without the other.",
    ),
    mistakes="""
Each word is still taken where it comes first. What does that cost the words after it?
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place = 0, 0
+     for word in summary:
+         if word in reference[place:]:
+             place = reference.index(word, place) + 1
+             length += 1

You walk through the reference now instead of the summary, but each word is still taken
where it comes first.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place = 0, 0
+     for word in reference:
+         if word in summary[place:]:
+             place = summary.index(word, place) + 1
+             length += 1

You begin at the end, but each word is still taken at the first place found.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length, place, back = 0, 0, reference[::-1]
+     for word in summary[::-1]:
+         if word in back[place:]:
+             place = back.index(word, place) + 1
+             length += 1

The better of two walks, through the one text and through the other, can still miss the
longest.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = 0
+     for one, two in ((summary, reference), (reference, summary)):
+         found, place = 0, 0
+         for word in one:
+             if word in two[place:]:
+                 place = two.index(word, place) + 1
+                 found += 1
+         length = max(length, found)

You try every word as the first, but each word after it is still taken where it comes
first.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = 0
+     for first in range(len(summary)):
+         found, place = 0, 0
+         for word in summary[first:]:
+             if word in reference[place:]:
+                 place = reference.index(word, place) + 1
+                 found += 1
+         length = max(length, found)

That is the longest common run of words, a substring. In a subsequence, other words may
stand between them.
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+                 longest.append(0)
+         best = max(*longest, best) if reference else 0
+     length = best
-     for word in summary:
+     best = 0
+     for word in summary:

`SequenceMatcher` takes the longest common run first, and then looks to its left and to
its right. Another choice of words can be longer.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     from difflib import SequenceMatcher
+
+     found = SequenceMatcher(None, summary, reference, autojunk=False)
+     length = sum(block.size for block in found.get_matching_blocks())

Your words need not be in the same order: that is ROUGE-1.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(min(summary.count(w), reference.count(w)) for w in set(summary))

You count the different words that both have, in any order.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = len({*summary} & {*reference})

You count the words of the summary that the reference has, in any order and however
often.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(word in reference for word in summary)

You compare words at equal places only. A word more in one text moves all the others.
-     longest = [0] * (len(reference) + 1)  # with the first 0, 1, … words
-     for word in summary:
-         before, longest = longest, [0]
-         for place, other in enumerate(reference):
-             if word == other:
-                 longest.append(before[place] + 1)
-             else:
-                 longest.append(max(before[place + 1], longest[place]))
-     length = longest[-1]
+     length = sum(a == b for a, b in zip(summary, reference))

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
- 2 * length / (len(summary) + len(reference))
+ length / len(summary)

The subsequence is right, but that is recall, its share of the reference.
- 2 * length / (len(summary) + len(reference))
+ length / len(reference)

The subsequence is right, but the 2 is missing in F1.
- 2 * length
+ length

The subsequence is right, but you return its length. F1 is wanted.
- 2 * length / (len(summary) + len(reference)) if length else 0.0
+ length

The subsequence is right, but you divide by the longer of both texts.
- 2 * length / (len(summary) + len(reference))
+ length / max(len(summary), len(reference))

The subsequence is right, but you return the mean of precision and recall. F1 is their
harmonic mean.
- 2 * length / (len(summary) + len(reference))
+ (length / len(summary) + length / len(reference)) / 2

If both texts are empty, you divide by 0.
-  if length else 0.0
+
""",
    reference=reference,
    cases=cases,
    tolerance=1e-6,
    equivalent={
        f"return 2 * length / (len(summary) + len(reference)) if {words} else 0.0": (
            "A length of 0, divided by any number of words, is 0."
        )
        for words in ("summary", "reference")
    },
)
