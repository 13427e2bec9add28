"""Explore: train two vocabularies, and measure each on both languages."""

from functools import cache

from exercises.engine.exercise import Exercise

LANGUAGES = ("English", "German")
LEARN, TEST = range(0, 1000, 2), range(1, 1000, 2)


def values(draw):
    return {"size": int(draw.integers(264, 320))}


@cache
def numbers(which, separator=" "):
    """Return a text of number words in each language, for LEARN or TEST."""
    from readymade.data.number_words import english, german

    return [separator.join(map(spoken, which)) for spoken in (english, german)]


@cache
def largest(text):
    """Return the largest vocabulary that is needed of what a text teaches."""
    from scratch.tokenization import BytePairEncoding

    return BytePairEncoding.train(text, 256 + 320)


@cache
def encoding(text, size):
    """Return what byte-pair encoding learns from a text.

    A vocabulary is the beginning of any larger one that is learned from the same text.
    """
    from scratch.tokenization import BytePairEncoding

    learned = largest(text)
    return BytePairEncoding(
        {token: place for token, place in learned.vocab.items() if place < size},
        learned.merges[: size - 256],
    )


def encodings(size, which=LEARN):
    """Return what is learned from the numbers of each language."""
    return [encoding(text, size) for text in numbers(which)]


@cache
def tokens_in(learned, text):
    return len(learned.encode(text))


def table(size, texts, each, which=LEARN):
    """Return the tokens of each text in each encoding, divided by `each`."""
    return [
        [tokens_in(e, text) / each for text in texts] for e in encodings(size, which)
    ]


def reference(size):
    return table(size, numbers(TEST), len(TEST))


EXERCISE = Exercise(
    title="A vocabulary of your own",
    kind="explore",
    difficulty=3,
    minutes=20,
    prompt="""
Train two byte-pair encodings of {{size}} tokens: one on the **even** numbers from 0 to
998 in English words, one on the same numbers in German words, each list joined by
spaces into one text. Then encode the **odd** numbers from 1 to 999, joined in the same
way, in both languages with both encodings. How many tokens does a number need on
average? Give two rows, first that of the encoding learned from English, then that of
the encoding learned from German. Each row has English first, then German, to two
decimals.
""",
    starter="""
from readymade.data.number_words import english, german
from scratch.tokenization import BytePairEncoding

per_number = ...  # such as [[5.25, 12.5], [11.0, 6.75]]
""",
    solution="""
from readymade.data.number_words import english, german
from scratch.tokenization import BytePairEncoding

per_number = []
for learned in (english, german):
    text = " ".join(learned(n) for n in range(0, 1000, 2))
    encoding = BytePairEncoding.train(text, vocab_size={{size}})
    row = []
    for spoken in (english, german):
        test = " ".join(spoken(n) for n in range(1, 1000, 2))
        row.append(len(encoding.encode(test)) / 500)
    per_number.append(row)
""",
    why="""
Each encoding needs far more tokens for the language that it was not trained on. It has
not seen any of the odd numbers, but in its own language it has seen most of the words
or parts of words that they are made of. A vocabulary fits the kind of text that it was
learned from. One of the same size that is learned from both languages lies in between
for each.
""",
    hints=(
        '`" ".join(english(n) for n in range(0, 1000, 2))` is the English text.',
        "`BytePairEncoding.train(text, vocab_size={{size}})` returns an encoding, and "
        "`len(encoding.encode(test))` counts the tokens of a text.",
        "Each row has one encoding and two texts. There are 500 numbers to divide by.",
    ),
    mistakes="""
Rows and columns are swapped: a row is one encoding, on English and on German.
+ per_number = [list(row) for row in zip(*right)]

The rows are in the wrong order: the encoding learned from English comes first.
+ per_number = right[::-1]

The columns are in the wrong order: English comes first in each row.
+ per_number = [row[::-1] for row in right]

Rows and columns are both in the wrong order: English comes first.
+ per_number = [row[::-1] for row in right[::-1]]

You encoded the numbers that the encodings were learned from. Take the odd ones.
+ per_number = table(size, numbers(LEARN), 500)

Those are the tokens of all 500 numbers. Divide by 500.
+ per_number = [[500 * number for number in row] for row in right]

You divided by 1000. Only every second number below 1000 is odd.
+ per_number = [[number / 2 for number in row] for row in right]

You divided by 499, but there are 500 odd numbers below 1000.
+ per_number = [[number * 500 / 499 for number in row] for row in right]

Those are tokens per word. A number may have several words: divide by the 500 numbers.
+ words = [len(text.split()) for text in numbers(TEST)]
+ per_number = [[500 * n / w for n, w in zip(row, words)] for row in right]

Those are characters per token. Tokens per number are asked for.
+ sizes = [len(text) for text in numbers(TEST)]
+ per_number = [[size / (500 * n) for n, size in zip(row, sizes)] for row in right]

Those are bytes per token. Tokens per number are asked for.
+ sizes = [len(text.encode()) for text in numbers(TEST)]
+ per_number = [[size / (500 * n) for n, size in zip(row, sizes)] for row in right]

Your encodings made {{size}} merges. The 256 bytes are part of the {{size}} tokens.
+ per_number = table(size + 256, numbers(TEST), 500)

You encoded the numbers one by one, without the space before each. Join them first.
+ per_number = [
+     [
+         sum(tokens_in(e, number) for number in text.split("|")) / 500
+         for text in numbers(TEST, "|")
+     ]
+     for e in encodings(size)
+ ]

You joined the numbers by line breaks, or put a space after each. Join them by spaces.
+ per_number = table(size, numbers(TEST, chr(10)), 500)

You joined the numbers without spaces. The encodings learned from texts with spaces.
+ per_number = table(size, numbers(TEST, ""), 500)

You encoded all numbers. Take the odd ones.
+ per_number = table(size, numbers(range(1000)), 1000)

Your encodings learned from all numbers. Let them learn from the even ones.
+ per_number = table(size, numbers(TEST), 500, range(1000))

You have even and odd the wrong way round. Learn from the even numbers, and encode the
odd ones.
+ per_number = table(size, numbers(LEARN), 500, TEST)

Your encodings learned nothing: those are bytes per number.
+ per_number = [[len(text.encode()) / 500 for text in numbers(TEST)]] * 2

You trained both encodings on English. The second row is for the German one.
+ per_number = [right[0], right[0]]

You trained both encodings on German. The first row is for the English one.
+ per_number = [right[1], right[1]]

You trained one encoding on both languages together. Train two.
+ both = encoding(" ".join(numbers(LEARN)), size)
+ per_number = [[tokens_in(both, text) / 500 for text in numbers(TEST)]] * 2

Each column is the same language twice. Encode both languages with both encodings.
+ per_number = [[right[0][0]] * 2, [right[1][1]] * 2]

You encoded the numbers that the encodings were learned from, and divided by 1000.
+ per_number = table(size, numbers(LEARN), 1000)

That is one token too many per number. A space belongs to the token after it.
+ per_number = [[number + 1 for number in row] for row in right]

Those are numbers per token. Tokens per number are asked for.
+ per_number = [[1 / number for number in row] for row in right]

The first row should be one encoding on both languages. Yours is each encoding on its
own language.
+ per_number = [[right[0][0], right[1][1]], [right[0][1], right[1][0]]]
""",
    reference=reference,
    values=values,
    book={"size": 300},
    tolerance=0.001,
    equivalent=dict.fromkeys(
        (
            'text = " ".join(learned(n) for n in range(0, 999, 2))',
            'test = " ".join(spoken(n) for n in range(1, 1001, 2))',
        ),
        "The last number of a range is not in it.",
    ),
)
