"""Predict how learned merges cut a word."""

from exercises.engine.exercise import Exercise

# Words whose pieces differ if you read from the left, begin with the second merge,
# merge letters only, or cut by ear.
CUTS = (
    ("tomato", ("om", "to", "om a", "at"), ("to ma to", "tom ato", "t om ato")),
    ("banana", ("ba", "an", "an a", "na"), ("ba nana", "bana na", "b anana")),
    ("onion", ("ni", "on", "ni on", "io"), ("on ion", "oni on", "o n ion")),
)


def values(draw):
    word, merges, by_ear = CUTS[draw.integers(len(CUTS))]
    pairs = [tuple(merge.split() if " " in merge else merge) for merge in merges]
    listed = "\n".join(
        f"{place}. `{first}` + `{second}`"
        for place, (first, second) in enumerate(pairs, 1)
    )
    return {"word": word, "merges": pairs, "listed": listed, "by_ear": by_ear}


def reference(word, merges, **_):
    pieces = list(word)
    for pair in merges:
        place = 0
        while place < len(pieces) - 1:
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
            place += 1
    return pieces


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
pieces = ...  # a list of strings, such as ["to", "ken"]
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
+ pieces = list(word)

That is the whole word in one piece. Is there a merge that makes it?
+ pieces = [word]

You cut the word by ear. Only pairs that are in the list are merged.
+ pieces = by_ear[0].split()

No merge in the list makes your first piece.
+ pieces = by_ear[1].split()

No merge in the list makes your last piece.
+ pieces = by_ear[2].split()

These are the right pieces with ## before them. That mark belongs to WordPiece.
+ pieces = [right[0], *("##" + piece for piece in right[1:])]

These are the right pieces in reverse order.
+ pieces = right[::-1]
""",
    reference=reference,
    values=values,
)
