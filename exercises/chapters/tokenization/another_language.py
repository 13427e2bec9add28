"""Explore: what a sentence costs in a language that the vocabulary does not know."""

from exercises.engine.exercise import Exercise
from exercises.engine.minilm import tokenizer

ENGLISH = "the weather is fine today and we walk in the garden"
OTHERS = {
    "German": "das wetter ist heute sehr schön und wir spazieren durch den garten",
    "French": "il fait très beau aujourd'hui et nous marchons dans le jardin",
    "Dutch": "het weer is mooi vandaag en we wandelen door de tuin",
}


def values(draw):
    language = list(OTHERS)[draw.integers(len(OTHERS))]
    return {"language": language, "sentence": OTHERS[language], "english": ENGLISH}


def pieces_for_a_word(sentence, special=0):
    pieces = tokenizer().encode(sentence, add_special_tokens=False).tokens
    return (len(pieces) + special) / len(sentence.split())


def reference(language, sentence, english):
    return [pieces_for_a_word(english), pieces_for_a_word(sentence)]


EXERCISE = Exercise(
    title="The price of another language",
    kind="explore",
    difficulty=2,
    minutes=10,
    prompt="""
The vocabulary of MiniLM, a small BERT, was learned from English. How many pieces does
its tokenizer need for a word, on average, in this sentence and in its translation?

- English: “{{english}}”
- {{language}}: “{{sentence}}”

Words are what stands between spaces; leave out the special tokens. Two decimals.
""",
    starter="""
from scratch.tokenization import WordPiece
from scratch.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
pieces_a_word = ...  # English and the other, such as [1.25, 3.5]
""",
    solution="""
from scratch.tokenization import WordPiece
from scratch.weights import minilm_path

tokenizer = WordPiece.from_file(minilm_path() / "vocab.txt")
pieces_a_word = []
for sentence in ["{{english}}", "{{sentence}}"]:
    pieces = tokenizer.tokenize(sentence)
    words = sentence.split()
    pieces_a_word.append(len(pieces) / len(words))
""",
    why="""
Every frequent English word has a piece of its own, so English costs one piece a word.
What the vocabulary has not seen falls into short pieces, and a model that is paid by
the piece, in memory, time or money, charges the other language much more. It also
understands less: meanings were learned for pieces that it now hardly meets.
""",
    hints=(
        "`sentence.split()` gives the words.",
        "`tokenizer.tokenize(sentence)` gives the pieces, without special tokens.",
        "Divide the number of pieces by the number of words.",
    ),
    mistakes="""
You counted `[CLS]` and `[SEP]` among the pieces.
+ from exercises.chapters.tokenization.another_language import (
+     pieces_for_a_word,
+ )
+ pieces_a_word = [pieces_for_a_word(s, 2) for s in (english, sentence)]

Those are words for a piece. Pieces for a word are asked for.
+ pieces_a_word = [1 / number for number in right]

Those are letters for a piece.
+ from exercises.chapters.tokenization.another_language import (
+     pieces_for_a_word,
+ )
+ pieces_a_word = [
+     len(s.replace(' ', '')) / len(s.split()) / pieces_for_a_word(s)
+     for s in (english, sentence)
+ ]

Those are the pieces of the whole sentences.
+ pieces_a_word = [
+     round(number * len(s.split()))
+     for number, s in zip(right, (english, sentence))
+ ]

English comes first.
+ pieces_a_word = right[::-1]
""",
    reference=reference,
    values=values,
    tolerance=0.006,
)
