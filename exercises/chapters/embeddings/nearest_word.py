"""Explore: the nearest neighbour of a word in the real table."""

from functools import cache

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tensors, tokenizer

import numpy as np

WORDS = ("monday", "doctor", "paris", "violin", "coffee", "winter")


def values(draw):
    return {"word": WORDS[draw.integers(len(WORDS))]}


@cache
def table(scaled=True):
    """Return the rows of all tokens, as they are or scaled to length 1."""
    rows = tensors()["embeddings.word_embeddings.weight"]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if scaled else rows


def neighbour(word, place, scaled=True):
    """Return the token in this place, by dot product, and that product.

    scaled: of rows of length 1, so that the product is the cosine.
    """
    rows = table(scaled)
    products = rows @ rows[tokenizer().token_to_id(word)]
    found = int(np.argsort(-products)[place])
    return (tokenizer().id_to_token(found), float(products[found]))


def reference(word):
    return neighbour(word, 1)


EXERCISE = Exercise(
    title="Good neighbours",
    kind="explore",
    difficulty=2,
    minutes=15,
    prompt="""
In MiniLM's table of embeddings, which word is the nearest to **{{word}}**, and what is
the cosine of the two? The word itself does not count. Two decimals will do.
""",
    starter="""
from safetensors.numpy import load_file
from scratch.tokenization import WordPiece
from scratch.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
weights = load_file(minilm_path() / "model.safetensors")
token_table = weights["embeddings.word_embeddings.weight"]
word_and_cosine = ...  # such as ("cat", 0.25)
""",
    solution="""
from safetensors.numpy import load_file
from scratch.tokenization import WordPiece
from scratch.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
weights = load_file(minilm_path() / "model.safetensors")
token_table = weights["embeddings.word_embeddings.weight"]
lengths = np.linalg.norm(token_table, axis=1, keepdims=True)
directions = token_table / lengths
cosines = directions @ directions[tokenizer.vocab["{{word}}"]]
found = int(np.argsort(-cosines)[1])
word_and_cosine = (tokenizer.tokens[found], float(cosines[found]))
""",
    why="""
Nobody told the model which words belong together. It was trained to guess what a text
hides, and words that fit into the same gaps came to have like rows. So the nearest word
need not mean the same. It may well mean the opposite: it is the one that could stand in
its place.
""",
    hints=(
        "The word's row is number `tokenizer.vocab[word]`. The token of row `i` is "
        "`tokenizer.tokens[i]`.",
        "Divide every row by its length: then a dot product is a cosine.",
        "Sort by cosine, and leave out the first, which is {{word}} itself.",
    ),
    mistakes="""
That is the word itself.
+ word_and_cosine = (word, 1.0)

That is the second nearest. The nearest is more alike still.
+ from exercises.chapters.embeddings.nearest_word import neighbour
+ word_and_cosine = neighbour(word, 2)

That is the word that is least alike.
+ from exercises.chapters.embeddings.nearest_word import neighbour
+ word_and_cosine = neighbour(word, -1)

That is a dot product of the rows as they are. Long rows make it large: divide each by
its length.
+ from exercises.chapters.embeddings.nearest_word import neighbour
+ word_and_cosine = neighbour(word, 1, scaled=False)

The word is right. Its number is the angle, in radians, not the cosine.
+ word_and_cosine = (right[0], math.acos(right[1]))
""",
    reference=reference,
    values=values,
    tolerance=0.006,
)
