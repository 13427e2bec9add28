"""Explore: occupations along a direction of the real table."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors, tokenizer

import numpy as np

# From the largest cosine to the smallest.
OCCUPATIONS = """
    dancer violinist maid reporter nurse librarian prosecutor student novelist
    psychologist biologist teacher secretary writer publisher sailor banker judge doctor
    journalist assistant pilot producer clerk senator therapist tutor diplomat
    photographer scientist minister economist designer physician politician musician
    singer researcher pianist officer author cook scholar gardener poet editor lecturer
    linguist shepherd driver inspector programmer astronaut lawyer translator merchant
    mathematician director boss physicist analyst farmer professor detective artist
    philosopher treasurer chemist historian surgeon sheriff comedian composer baker
    barber guitarist painter butcher president tailor priest fisherman actor engineer
    mechanic chef captain dentist soldier architect geologist sculptor carpenter
""".split()
# Of these the dot product is larger, although the cosine is smaller. Without the book's
# violinist, no answer is the book's.
LOUDER = {
    "maid": ("reporter",),
    "librarian": ("prosecutor", "student"),
    "prosecutor": ("student",),
    "psychologist": ("teacher",),
    "biologist": ("teacher", "secretary"),
    "sailor": ("banker", "judge", "doctor"),
    "banker": ("judge", "doctor"),
    "clerk": ("senator",),
    "driver": ("programmer",),
    "inspector": ("programmer",),
    "lawyer": ("merchant", "mathematician"),
    "translator": ("mathematician",),
    "boss": ("physicist",),
    "analyst": ("philosopher", "chemist"),
    "farmer": ("philosopher",),
    "professor": ("philosopher", "treasurer", "chemist"),
    "detective": ("philosopher", "treasurer", "chemist"),
    "artist": ("treasurer", "chemist", "historian"),
    "sheriff": ("comedian", "composer"),
    "guitarist": ("butcher",),
    "painter": ("butcher",),
    "president": ("tailor", "priest", "fisherman"),
    "tailor": ("fisherman",),
    "priest": ("fisherman",),
    "actor": ("engineer", "mechanic"),
    "captain": ("dentist", "geologist", "sculptor"),
    "dentist": ("geologist", "sculptor"),
}
PAIRS = (("she", "he"), ("her", "his"), ("woman", "man"))


def values(draw):
    """Draw five, of which the dot product picks another one than the cosine."""
    first = list(LOUDER)[draw.integers(len(LOUDER))]
    second = LOUDER[first][draw.integers(len(LOUDER[first]))]
    lower = [*OCCUPATIONS[OCCUPATIONS.index(first) + 1 :]]
    lower.remove(second)
    five = [first, second, *draw.choice(lower, size=3, replace=False)]
    return {"occupations": ", ".join(draw.permutation(five))}


def row(word):
    """Return the word's row, as it is."""
    return tensors()["embeddings.word_embeddings.weight"][tokenizer().token_to_id(word)]


def cosine(one, other):
    """Return the cosine of two vectors."""
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def highest(words, score):
    """Return the word with the highest score, and the score."""
    scores = {word: score(word) for word in words.split(", ")}
    word = max(scores, key=scores.get)
    return word, float(scores[word])


@cache
def direction(pairs=PAIRS):
    """Return the sum of the differences of the pairs' rows."""
    return sum(row(one) - row(other) for one, other in pairs)


@cache
def along(words, pairs=PAIRS, sign=1):
    """Return the word that is furthest along a direction, and its cosine with it."""
    towards = sign * direction(pairs)
    word, value = highest(words, lambda word: cosine(row(word), towards))
    return word, sign * value


@cache
def of_all_words():
    """Return the word of the whole vocabulary that is furthest along the direction."""
    table = tensors()["embeddings.word_embeddings.weight"]
    cosines = table @ direction() / np.linalg.norm(table, axis=1)
    found = int(cosines.argmax())
    cosine = float(cosines[found] / np.linalg.norm(direction()))
    return tokenizer().id_to_token(found), cosine


def reference(occupations):
    return along(occupations)


EXERCISE = Exercise(
    title="She and he",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
In MiniLM's table, the differences row(*she*) − row(*he*), row(*her*) − row(*his*) and
row(*woman*) − row(*man*) point in similar directions. Add the three. Which of these
occupations has the row with the largest cosine with the sum, and what is the cosine?

**{{occupations}}**

Use the rows as they are, and give four decimals.
""",
    starter="""
from safetensors.numpy import load_file
from scratch.tokenization import WordPiece
from readymade.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
weights = load_file(minilm_path() / "model.safetensors")
token_table = weights["embeddings.word_embeddings.weight"]
word_and_cosine = ...  # such as ("cat", 0.2468)
""",
    solution="""
from safetensors.numpy import load_file
from scratch.tokenization import WordPiece
from readymade.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
weights = load_file(minilm_path() / "model.safetensors")
token_table = weights["embeddings.word_embeddings.weight"]

def row(word):
    return token_table[tokenizer.vocab[word]]


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


pairs = [("she", "he"), ("her", "his"), ("woman", "man")]
direction = sum(row(one) - row(other) for one, other in pairs)
words = "{{occupations}}".split(", ")
cosines = {word: cosine(row(word), direction) for word in words}
word_and_cosine = max(cosines.items(), key=lambda item: item[1])
""",
    why="""
Each of these cosines is small: those of ordinary words scatter just as widely (standard
deviation 0.07). What is telling is the order. Of 93 occupations, *dancer* and
*violinist* are at one end, *carpenter* and *sculptor* at the other, most likely because
the training texts mention some of them with *she* more often than others. A model
learns the stereotypes of its texts together with their language. [Bolukbasi et al.
(2016)](https://arxiv.org/abs/1607.06520) found this in word vectors, and [Caliskan et
al. (2017)](https://arxiv.org/abs/1608.07187) compared it with tests of human bias.
""",
    hints=(
        "The row of a word is `token_table[tokenizer.vocab[word]]`. Subtract rows, and "
        "add the three differences.",
        "The cosine of two vectors is their dot product, divided by both norms "
        "(`np.linalg.norm`).",
        "Compute the cosine of each occupation's row with the sum, and take the "
        "largest.",
    ),
    mistakes="""
Your direction points from she to he, so you found the other end.
+ word_and_cosine = along(occupations, tuple(pair[::-1] for pair in PAIRS))

That is the occupation with the smallest cosine. The largest is asked for, and the sign
counts.
+ word_and_cosine = along(occupations, sign=-1)

The word is right, but its cosine has the wrong sign.
+ word_and_cosine = (right[0], -right[1])

The order is the word, then its cosine.
+ word_and_cosine = right[::-1]

That is the direction from he to she alone. Add the differences of the other two pairs.
+ word_and_cosine = along(occupations, (("she", "he"),))

That is the direction from his to her alone. Add the differences of the other two pairs.
+ word_and_cosine = along(occupations, (("her", "his"),))

That is the direction from man to woman alone. Add the differences of the other two
pairs.
+ word_and_cosine = along(occupations, (("woman", "man"),))

The word is right. Give its cosine as well, as the second item.
+ word_and_cosine = right[0]

Woman and man are missing in your direction. Add all three differences.
+ word_and_cosine = along(occupations, PAIRS[:2])

You took him for his. The second pair is her and his.
+ pairs = (("she", "he"), ("her", "him"), ("woman", "man"))
+ word_and_cosine = along(occupations, pairs)

You scaled the rows to norm 1 before you subtracted them. Use the rows as they are.
+ def unit(word):
+     return row(word) / np.linalg.norm(row(word))
+ towards = sum(unit(one) - unit(other) for one, other in PAIRS)
+ word_and_cosine = highest(occupations, lambda word: cosine(row(word), towards))

You scaled the differences to norm 1 before you added them. Add them as they are.
+ def unit(pair):
+     return direction((pair,)) / np.linalg.norm(direction((pair,)))
+ towards = sum(map(unit, PAIRS))
+ word_and_cosine = highest(occupations, lambda word: cosine(row(word), towards))

You took the mean of three cosines. Add the differences first, and take one cosine with
their sum.
+ def score(word):
+     return sum(cosine(row(word), direction((pair,))) for pair in PAIRS) / 3
+ word_and_cosine = highest(occupations, score)

You added three cosines. Add the differences first, and take one cosine with their sum.
+ def score(word):
+     return sum(cosine(row(word), direction((pair,))) for pair in PAIRS)
+ word_and_cosine = highest(occupations, score)

That is the cosine with she itself. Use the differences of the rows.
+ she = row("she")
+ word_and_cosine = highest(occupations, lambda word: cosine(row(word), she))

That is the cosine with the sum of she, her and woman. Subtract he, his and man.
+ them = row("she") + row("her") + row("woman")
+ word_and_cosine = highest(occupations, lambda word: cosine(row(word), them))

That is the cosine with the sum of all six rows. Subtract he, his and man.
+ them = sum(row(one) + row(other) for one, other in PAIRS)
+ word_and_cosine = highest(occupations, lambda word: cosine(row(word), them))

That is a dot product with the rows as they are. For a cosine, divide it by both norms.
+ word_and_cosine = highest(occupations, lambda word: row(word) @ direction())

The word is right. Its number is the dot product; divide it by both norms.
+ word_and_cosine = (right[0], row(right[0]) @ direction())

You chose the word by the dot product. Its cosine is right, but another one's is larger.
+ loudest, _ = highest(occupations, lambda word: row(word) @ direction())
+ word_and_cosine = (loudest, cosine(row(loudest), direction()))

You divided by the norm of the occupation's row only. Divide by that of the direction,
too.
+ def score(word):
+     return row(word) @ direction() / np.linalg.norm(row(word))
+ word_and_cosine = highest(occupations, score)

You divided by the norm of the direction only. Divide by that of the occupation's row,
too.
+ def score(word):
+     return row(word) @ direction() / np.linalg.norm(direction())
+ word_and_cosine = highest(occupations, score)

You scaled the rows to norm 1, or added differences of cosines. Add the differences of
the rows as they are, and take one cosine with the sum.
+ def score(word):
+     cosines = [[cosine(row(word), row(one)) for one in pair] for pair in PAIRS]
+     return sum(towards - away for towards, away in cosines)
+ word_and_cosine = highest(occupations, score)

You compare distances: that is the row nearest to the direction, as a Euclidean
distance. A cosine compares directions only.
+ def score(word):
+     return -np.linalg.norm(row(word) - direction())
+ found = highest(occupations, score)
+ word_and_cosine = (found[0], -found[1])

That is a negative distance. A cosine is the dot product, divided by both norms.
+ def score(word):
+     return -np.linalg.norm(row(word) - direction())
+ word_and_cosine = highest(occupations, score)

That is the cosine with she minus the cosine with he. Add the differences of all three
pairs of rows, and take one cosine with the sum.
+ def score(word):
+     return cosine(row(word), row("she")) - cosine(row(word), row("he"))
+ word_and_cosine = highest(occupations, score)

The word is right. Its number is the angle in radians, not the cosine.
+ word_and_cosine = (right[0], math.acos(right[1]))

The word is right. Its number is the angle in degrees, not the cosine.
+ word_and_cosine = (right[0], math.degrees(math.acos(right[1])))

You searched the whole vocabulary. Only the listed occupations count.
+ word_and_cosine = of_all_words()
""",
    reference=reference,
    values=values,
    book={"occupations": "writer, reporter, violinist, pilot, boss"},
    tolerance=0.00005,
    equivalent={
        "cosines = {word: cosine(direction, row(word)) for word in words}": (
            "A cosine is the same both ways."
        ),
    },
)
