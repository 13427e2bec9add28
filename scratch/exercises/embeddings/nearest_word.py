"""Explore: the nearest neighbour of a word in the real table."""

from functools import cache

from scratch.exercises import Exercise, Mistake
from scratch.exercises.real_model import tensors, tokenizer

import numpy as np

WORDS = ("monday", "doctor", "paris", "violin", "seven", "winter")


def values(draw):
    return {"word": WORDS[draw.integers(len(WORDS))]}


@cache
def words():
    """Return the tokens that are whole words, and their rows, scaled to length 1."""
    ids = {word: i for word, i in tokenizer().get_vocab().items() if word.isalpha()}
    rows = tensors()["embeddings.word_embeddings.weight"][list(ids.values())]
    return list(ids), rows / np.linalg.norm(rows, axis=1, keepdims=True)


def neighbour(word, place):
    """Return the word that comes in this place, by cosine, and its cosine."""
    names, rows = words()
    cosines = rows @ rows[names.index(word)]
    found = np.argsort(-cosines)[place]
    return (names[found], float(cosines[found]))


def reference(word):
    return neighbour(word, 1)


FROM = "from scratch.exercises.embeddings.nearest_word import neighbour\n"

EXERCISE = Exercise(
    title="Good neighbours",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
In MiniLM's table of embeddings, which word is the nearest to **{{word}}**, and what is
the cosine of the two? Only tokens that are words count: `token.isalpha()` is true.
{{word}} itself does not. Two decimals will do.
""",
    starter="""
word_and_cosine = ...  # such as ("cat", 0.25)
""",
    solution={
        "torch": """
from scratch.tokenization import WordPiece
from scratch.weights import load_checkpoint, minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
model, _ = load_checkpoint()
with torch.no_grad():
    rows = model.embeddings.tokens.weight
    unit = rows / rows.norm(dim=1, keepdim=True)
    cosines = unit @ unit[tokenizer.vocab["{{word}}"]]
order = cosines.argsort(descending=True).tolist()
found = [i for i in order if tokenizer.tokens[i].isalpha()][1]
word_and_cosine = (tokenizer.tokens[found], float(cosines[found]))
""",
        "tensorflow": """
from scratch.tokenization import WordPiece
from scratch.weights import load_checkpoint, minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
model, _ = load_checkpoint(framework="tensorflow")
rows = model.embeddings.tokens.embeddings
unit = rows / tf.norm(rows, axis=1, keepdims=True)
word = unit[tokenizer.vocab["{{word}}"]]
cosines = tf.linalg.matvec(unit, word)
order = tf.argsort(cosines, direction="DESCENDING").numpy()
found = [i for i in order if tokenizer.tokens[i].isalpha()][1]
word_and_cosine = (tokenizer.tokens[found], float(cosines[found]))
""",
    },
    why="""
Nobody told the model which words belong together. It was trained to guess what a text
hides, and words that fit into the same gaps came to have like rows. So the nearest word
need not mean the same. It may well mean the opposite: it is the one that could stand in
its place.
""",
    hints=(
        "The table is `model.embeddings.tokens`; its rows are in the order of "
        "`tokens`, of the tokenizer that chapter 1 loads.",
        "Divide every row by its length: then a dot product is a cosine.",
        "Sort by cosine, keep the words, and leave out the first, which is {{word}} "
        "itself.",
    ),
    mistakes=(
        Mistake("That is the word itself.", "word_and_cosine = (word, 1.0)"),
        Mistake(
            "That is the second nearest. The nearest is more alike still.",
            FROM + "word_and_cosine = neighbour(word, 2)",
        ),
        Mistake(
            "That is the word that is least alike.",
            FROM + "word_and_cosine = neighbour(word, -1)",
        ),
        Mistake(
            "The word is right. Its number is the angle, in radians, not the cosine.",
            "word_and_cosine = (right[0], math.acos(right[1]))",
        ),
    ),
    reference=reference,
    values=values,
    tolerance=0.006,
)
