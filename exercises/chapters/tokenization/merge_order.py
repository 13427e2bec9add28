"""Predict how learned merges cut a word."""

from itertools import pairwise

from exercises.engine.exercise import Exercise

# Words whose pieces differ if you read from the left, begin with the second merge, or
# merge letters only.
CUTS = (
    ("aardvark", ("rd", "ar", "a rd", "va")),
    ("abracadabra", ("ac", "ra", "ac a", "br")),
    ("alfalfa", ("al", "fa", "al fa", "lf")),
    ("amalgam", ("ma", "am", "g am", "ga")),
    ("ananas", ("as", "na", "n as", "an")),
    ("arrears", ("rr", "ar", "e ar", "re")),
    ("assassin", ("si", "ss", "si n", "as")),
    ("assess", ("as", "ss", "e ss", "es")),
    ("banana", ("ba", "an", "an a", "na")),
    ("bandana", ("nd", "an", "a nd", "da")),
    ("barbarian", ("ri", "ar", "ar b", "ba")),
    ("beginning", ("nn", "in", "in g", "ni")),
    ("coincidence", ("en", "nc", "d en", "in")),
    ("competition", ("et", "ti", "p et", "it")),
    ("condition", ("io", "on", "io n", "co")),
    ("constitution", ("st", "ti", "u ti", "ut")),
    ("corridor", ("do", "or", "or r", "co")),
    ("couscous", ("sc", "us", "u sc", "ou")),
    ("dedicated", ("te", "ed", "ed i", "de")),
    ("drinking", ("ri", "in", "in g", "ki")),
    ("engineering", ("en", "ng", "en g", "in")),
    ("entertaining", ("ng", "in", "a in", "ai")),
    ("excellence", ("xc", "ce", "n ce", "nc")),
    ("horror", ("ro", "or", "h or", "ho")),
    ("inconvenient", ("ve", "en", "i en", "ie")),
    ("independence", ("de", "en", "n de", "pe")),
    ("initiation", ("ia", "ti", "t ia", "at")),
    ("interesting", ("nt", "in", "t in", "st")),
    ("marmalade", ("ar", "ma", "m ar", "rm")),
    ("mathematics", ("th", "at", "th e", "ma")),
    ("mississippi", ("is", "si", "is si", "ss")),
    ("monotone", ("no", "on", "t on", "ot")),
    ("monsoon", ("ns", "on", "o on", "so")),
    ("nonfiction", ("nf", "on", "i on", "ti")),
    ("pepper", ("ep", "pe", "pe r", "pp")),
    ("perspective", ("er", "pe", "er s", "sp")),
    ("possess", ("es", "ss", "ss es", "os")),
    ("prototype", ("ro", "ot", "p ro", "to")),
    ("references", ("ef", "re", "e re", "fe")),
    ("remember", ("re", "em", "m em", "me")),
    ("repetition", ("io", "ti", "e ti", "et")),
    ("ringing", ("gi", "in", "r in", "ri")),
    ("rococo", ("ro", "oc", "oc o", "co")),
    ("salsa", ("al", "sa", "s al", "ls")),
    ("sassafras", ("as", "sa", "r as", "ra")),
    ("sentence", ("se", "en", "en c", "te")),
    ("seventeen", ("ee", "en", "t ee", "ve")),
    ("singing", ("gi", "in", "gi n", "si")),
    ("sorcerer", ("ce", "er", "r ce", "re")),
    ("spinning", ("ng", "in", "p in", "pi")),
    ("statistics", ("is", "ti", "t is", "st")),
    ("successes", ("se", "es", "se s", "ce")),
    ("teepee", ("ep", "ee", "ep ee", "pe")),
    ("teetering", ("ee", "te", "t ee", "et")),
    ("tenement", ("nt", "en", "en e", "te")),
    ("thermometer", ("rm", "er", "e rm", "te")),
    ("thinking", ("nk", "in", "i nk", "ki")),
    ("tomato", ("om", "to", "om a", "at")),
    ("treasurer", ("ur", "re", "s ur", "tr")),
    ("voodoo", ("od", "oo", "od oo", "do")),
    ("wanderer", ("de", "er", "n de", "re")),
    ("winning", ("nn", "in", "in g", "ni")),
)
BOOK = ("onion", ("ni", "on", "ni on", "io"))


def values(draw):
    return task(*CUTS[draw.integers(len(CUTS))])


def task(word, merges):
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
    merges = pairs_of(dict([*CUTS, BOOK]).get(spelled, ()))
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
        "A merge fits only where its two parts stand side by side as whole pieces. A "
        "letter inside a merged piece is no longer a piece.",
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
    book=task(*BOOK),
    checks=(pieces_can_be,),
)
