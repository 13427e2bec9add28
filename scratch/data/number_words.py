"""Numbers in words, English to German: the language pair of chapter 8.

Between 21 and 99 the two languages say tens and units in opposite orders (thirty-four,
vierunddreißig), so that a translator has to look across, and every answer can be
checked.
"""

import random
import re

import numpy as np
from num2words import num2words

PAD, BOS, EOS = "[PAD]", "[BOS]", "[EOS]"
LIMIT = 1_000_000

_UNITS = "null|eins|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
_TENS = "zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig"
# Longer morphemes come before those that they begin with.
_MORPHEME = re.compile(f"sechzehn|siebzehn|{_TENS}|hundert|tausend|und|{_UNITS}")


def english(number):
    """Return the English words of an integer: 434 → "four hundred thirty-four"."""
    return num2words(number, lang="en").replace(",", "").replace(" and ", " ")


def german(number):
    """Return the German word of an integer: 434 → "vierhundertvierunddreißig"."""
    # num2words writes "hunderteinstausend" where German has "hunderteintausend".
    return num2words(number, lang="de").replace("einstausend", "eintausend")


def english_tokens(number):
    """Return the English words one by one: 34 → [thirty, four]."""
    return re.findall("[a-z]+", english(number))


def german_tokens(number):
    """Return the German morphemes one by one: 34 → [vier, und, dreißig]."""
    return _MORPHEME.findall(german(number))


class Vocabulary:
    """A two-way table between the tokens of one language and their ids.

    Ids 0, 1 and 2 are padding, the beginning and the end of a sequence; the other
    tokens follow in alphabetical order.
    """

    def __init__(self, tokens):
        self.tokens = [PAD, BOS, EOS, *sorted(set(tokens))]
        self.ids = {token: index for index, token in enumerate(self.tokens)}

    pad_id, bos_id, eos_id = 0, 1, 2

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        """Return the ids of ``tokens`` and the end of the sequence after them."""
        unknown = [token for token in tokens if token not in self.ids]
        if unknown:
            raise ValueError(f"tokens must be in the vocabulary, got {unknown[0]!r}")
        return [self.ids[token] for token in tokens] + [self.eos_id]

    def decode(self, ids):
        """Return the tokens of ``ids`` up to the first end, without special ones."""
        tokens = []
        for index in ids:
            if index == self.eos_id:
                break
            if index not in (self.pad_id, self.bos_id):
                tokens.append(self.tokens[index])
        return tokens


class NumberWords:
    """English to German number words, 0 to 999,999, split by number.

    Args:
        train_size: how many numbers to train on.
        test_size: how many others to hold out.
        seed: decides which numbers are drawn.

    Attributes:
        source, target: the two ``Vocabulary`` tables.
        train_numbers, test_numbers: lists of integers without a common element.

    Raises:
        ValueError: if the sizes are not positive or exceed the numbers there are.
    """

    def __init__(self, train_size=5_000, test_size=1_000, seed=0):
        for name, size in (("train_size", train_size), ("test_size", test_size)):
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size!r}")
        if train_size + test_size > LIMIT:
            raise ValueError(
                f"train_size + test_size must be at most {LIMIT}, "
                f"got {train_size + test_size}"
            )
        numbers = random.Random(seed).sample(range(LIMIT), train_size + test_size)
        self.train_numbers = numbers[:train_size]
        self.test_numbers = numbers[train_size:]
        # Both vocabularies are those of the language, whichever numbers were drawn.
        smallest = [*range(100), *range(100, 1_001, 100)]
        self.source = Vocabulary(t for n in smallest for t in english_tokens(n))
        self.target = Vocabulary(t for n in smallest for t in german_tokens(n))

    def encode(self, numbers):
        """Return ``(source_ids, target_ids)`` of ``numbers``, rows padded at the end.

        Both are int64 arrays of shape (numbers, longest length), with an end token
        after each sequence and no beginning token: ``shift_right`` puts that there.
        """
        source = [self.source.encode(english_tokens(n)) for n in numbers]
        target = [self.target.encode(german_tokens(n)) for n in numbers]
        return _padded(source), _padded(target)

    def exact_matches(self, predicted_ids, numbers):
        """Return a boolean for each number: is the predicted word right to the letter?

        Args:
            predicted_ids: integers of shape (numbers, length), as ``generate`` returns.
            numbers: the numbers that were translated, in the same order.
        """
        if len(predicted_ids) != len(numbers):
            raise ValueError(
                f"predicted_ids must have {len(numbers)} rows, one for each of the "
                f"numbers, got {len(predicted_ids)}"
            )
        words = ["".join(self.target.decode(row)) for row in np.asarray(predicted_ids)]
        return np.array(
            [word == german(n) for word, n in zip(words, numbers, strict=True)]
        )


def _padded(rows):
    """Return ``rows`` of ids as one array, shorter rows filled with padding."""
    padded = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded
