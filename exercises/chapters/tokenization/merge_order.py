"""Predict how learned merges cut a word."""

from itertools import pairwise

from exercises.engine.exercise import Exercise

# Words whose pieces differ if you read from the left, begin with the second merge, or
# merge letters only.
CUTS = (
    ("tomato", ("om", "to", "om a", "at")),
    ("banana", ("ba", "an", "an a", "na")),
    ("onion", ("ni", "on", "ni on", "io")),
)


def values(draw):
    word, merges = CUTS[draw.integers(len(CUTS))]
    pairs = pairs_of(merges)
    listed = "\n".join(
        f"{place}. `{first}` + `{second}`"
        for place, (first, second) in enumerate(pairs, 1)
    )
    return {"word": word, "merges": pairs, "listed": listed}


def pairs_of(merges):
    return [tuple(merge.split() if " " in merge else merge) for merge in merges]


def reference(word, merges, listed=""):
    pieces = list(word)
    for pair in merges:
        place = 0
        while place < len(pieces) - 1:
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
            place += 1
    return " ".join(pieces)


def pieces_can_be(ask, draw):
    """Whether the pieces spell a word, and merges make them and leave none undone."""
    pieces = ask().split()
    spelled = "".join(pieces).replace("#", "")
    merges = pairs_of(dict(CUTS).get(spelled, ()))
    if not merges:
        return f"Your pieces spell “{spelled}”, which is not the word."
    for piece in pieces:
        if len(piece) > 1 and piece not in map("".join, merges) and "#" not in piece:
            return f"No merge in the list makes “{piece}”."
    for pair in pairwise(pieces):
        if pair in merges:
            return (
                f"“{pair[0]}” and “{pair[1]}” are neighbours, and a merge joins them."
            )
    return None


EXERCISE = Exercise(
    title="Which merge comes first?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A tokenizer has learned these merges, in this order:

{{listed}}

Into which pieces does it cut **{{word}}**?
""",
    starter="""
pieces = ...  # with spaces between the pieces, such as "to ken"
""",
    solution="""
pieces = list("{{word}}")
for first, second in {{merges}}:
    merged = []
    for piece in pieces:
        if merged and (merged[-1], piece) == (first, second):
            merged[-1] += piece
        else:
            merged.append(piece)
    pieces = merged
pieces = " ".join(pieces)
""",
    why="""
Merges are applied in the order in which they were learned, wherever they fit, and not
from left to right. An early merge uses up its letters, so a later one may no longer
fit. In this way a word is cut exactly as it was when the vocabulary was learned.
""",
    hints=(
        "Start with single letters.",
        "Apply merge 1 wherever it fits. Only then look at merge 2.",
        "A merge does not fit if an earlier one has used one of its letters.",
    ),
    mistakes="""
You merged from left to right, took the longest token each time, or began with the last
merge. Of all merges that fit, which one comes first?
+ pieces, place = list(word), 0
+ while place < len(pieces) - 1:
+     if (pieces[place], pieces[place + 1]) in merges:
+         pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
+         place = -1
+     place += 1
+ pieces = " ".join(pieces)

You stopped after the first merge, or left out the second.
+ pieces = reference(word, merges[:1])

You stopped too early, left out the third merge, or merged letters only. A merged symbol
may be merged again.
+ single = [pair for pair in merges if len(pair[0] + pair[1]) == 2]
+ pieces = reference(word, single)

You began with the second merge, or left out the first.
+ swapped = [merges[1], merges[0], *merges[2:]]
+ pieces = reference(word, swapped)

These are the letters: nothing is merged.
+ pieces = " ".join(word)

That is the whole word in one piece. Is there a merge that makes it?
+ pieces = word

These are the right pieces with ## before them. That mark belongs to WordPiece.
+ pieces = right.replace(" ", " ##")

These are the right pieces in reverse order.
+ pieces = " ".join(right.split()[::-1])
""",
    reference=reference,
    values=values,
    checks=(pieces_can_be,),
)
