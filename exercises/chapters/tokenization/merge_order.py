"""Predict how learned merges cut a word."""

from exercises.engine.exercise import Exercise

# Words that come out otherwise if one reads them from the left, begins with the second
# merge, or merges letters only.
CUTS = (
    ("tomato", ("om", "to", "om a", "at")),
    ("banana", ("ba", "an", "an a", "na")),
    ("onion", ("ni", "on", "ni on", "io")),
)


def values(draw):
    word, merges = CUTS[draw.integers(len(CUTS))]
    pairs = [tuple(merge.split() if " " in merge else merge) for merge in merges]
    listed = "\n".join(
        f"{place}. `{first}` + `{second}`"
        for place, (first, second) in enumerate(pairs, 1)
    )
    return {"word": word, "merges": pairs, "listed": listed}


def reference(word, merges, listed):
    pieces = list(word)
    for pair in merges:
        place = 0
        while place < len(pieces) - 1:
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
            place += 1
    return pieces


EXERCISE = Exercise(
    title="Who merges first?",
    kind="predict",
    difficulty=1,
    minutes=5,
    prompt="""
A tokenizer has learned these merges, in this order:

{{listed}}

Into which pieces does it cut **{{word}}**?
""",
    starter="""
pieces = ...  # a list of texts, such as ["to", "ken"]
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
Merges are applied in the order in which they were learned, wherever they fit, not from
left to right. The pair that was more frequent in training goes first, and takes its
letters away from all that come later. So the same word is cut in the same way as when
the vocabulary was learned.
""",
    hints=(
        "Begin with single letters.",
        "Take merge 1 and apply it wherever it fits. Only then look at merge 2.",
        "A merge whose letters are already taken by an earlier one no longer fits.",
    ),
    mistakes="""
You merged from left to right, or began with the last merge. Which one comes first, of
all that fit?
+ pieces, place = list(word), 0
+ while place < len(pieces) - 1:
+     if (pieces[place], pieces[place + 1]) in merges:
+         pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
+         place = -1
+     place += 1

You applied the first merge only. The others come after it.
+ pieces = reference(word, merges[:1], listed)

You stopped too early, or merged letters only. What is merged may be merged again.
+ single = [pair for pair in merges if len(pair[0] + pair[1]) == 2]
+ pieces = reference(word, single, listed)

You began with the second merge. The first takes its letters first.
+ swapped = [merges[1], merges[0], *merges[2:]]
+ pieces = reference(word, swapped, listed)

These are the letters: nothing is merged.
+ pieces = list(word)

That is one piece. Do the merges lead all the way there?
+ pieces = [word]
""",
    reference=reference,
    values=values,
)
