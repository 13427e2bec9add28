"""Number words in English and German: the translation task of chapter 9.

From 21 to 99, the two languages order tens and units differently (thirty-four,
vierunddreißig), so a translator has to reorder. Every answer can be checked exactly.

Source: no data is bundled; the package `num2words` (LGPL), a dependency,
computes the words.
"""

import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from scratch.checks import require_at_least
from scratch.tokenization import pad_rows

import numpy as np
from num2words import num2words

PAD, BOS, EOS = "[PAD]", "[BOS]", "[EOS]"
LIMIT = 1_000_000

_UNITS = "null|eins|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
_TENS = "zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig"
# Longer morphemes come before those that they begin with.
_MORPHEME = re.compile(f"sechzehn|siebzehn|{_TENS}|hundert|tausend|und|{_UNITS}")
# num2words is slow, and a course asks for the same numbers often.
_ONCE = lru_cache(maxsize=10_000, typed=True)


@_ONCE
def english(number: int) -> str:
    """Return the English words of an integer.

    Example:
        >>> english(434)
        'four hundred thirty-four'
    """
    return num2words(number, lang="en").replace(",", "").replace(" and ", " ")


@_ONCE
def german(number: int) -> str:
    """Return the German word of an integer.

    Example:
        >>> german(434)
        'vierhundertvierunddreißig'
    """
    # num2words writes "hunderteinstausend" where German has "hunderteintausend".
    return num2words(number, lang="de").replace("einstausend", "eintausend")


def english_tokens(number: int) -> list[str]:
    """Return the English words of an integer one by one.

    Example:
        >>> english_tokens(34)
        ['thirty', 'four']
    """
    return re.findall("[a-z]+", english(number))


def german_tokens(number: int) -> list[str]:
    """Return the German morphemes of an integer one by one.

    Example:
        >>> german_tokens(34)
        ['vier', 'und', 'dreißig']
    """
    return _MORPHEME.findall(german(number))


class Vocabulary:
    """A two-way table between the tokens of one language and their ids.

    Ids 0, 1 and 2 are padding, the beginning and the end of a sequence; the other
    tokens follow in alphabetical order.

    Args:
        tokens: the tokens of the language; repeated ones count once.
    """

    pad_id, bos_id, eos_id = 0, 1, 2

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = [PAD, BOS, EOS, *sorted(set(tokens))]
        self.ids = {token: index for index, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of `tokens`, followed by the end of the sequence.

        Raises:
            ValueError: a token is not in the vocabulary.

        Example:
            >>> Vocabulary(["one", "two"]).encode(["two", "one"])
            [4, 3, 2]
        """
        for place, token in enumerate(tokens):
            if token not in self.ids:
                raise ValueError(
                    f"tokens[{place}] is {token!r}: wanted one of the vocabulary's"
                )
        return [self.ids[token] for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens of `ids` up to the first end, without special ones.

        Example:
            >>> Vocabulary(["one", "two"]).decode([1, 4, 3, 2, 0])
            ['two', 'one']
        """
        tokens = []
        for index in ids:
            if index == self.eos_id:
                break
            if index not in (self.pad_id, self.bos_id):
                tokens.append(self.tokens[index])
        return tokens


class NumberWords:
    """English to German number words, 0 to 999,999, with held-out numbers.

    `source` and `target` are the vocabularies of the two languages. `train_numbers` and
    `test_numbers` have no number in common.

    Args:
        train_size: how many numbers to train on.
        test_size: how many others to hold out.
        seed: determines which numbers are drawn.

    Raises:
        TypeError: a size is not an integer.
        ValueError: a size is below 1, or they exceed the numbers there are.
    """

    def __init__(
        self, train_size: int = 5_000, test_size: int = 1_000, seed: int = 0
    ) -> None:
        require_at_least("train_size", train_size, 1)
        require_at_least("test_size", test_size, 1)
        if train_size + test_size > LIMIT:
            raise ValueError(
                f"train_size + test_size is {train_size + test_size}: wanted at most "
                f"{LIMIT}"
            )
        numbers = random.Random(seed).sample(range(LIMIT), train_size + test_size)
        self.train_numbers = numbers[:train_size]
        self.test_numbers = numbers[train_size:]
        # The vocabularies do not depend on the numbers that were drawn.
        smallest = [*range(100), *range(100, 1_001, 100)]
        self.source = Vocabulary(t for n in smallest for t in english_tokens(n))
        self.target = Vocabulary(t for n in smallest for t in german_tokens(n))

    def encode(self, numbers: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of `numbers` in both languages, rows padded at the end.

        Returns:
            (source_ids, target_ids), int64 arrays (numbers, longest length), with an
            end token after each sequence and no beginning token, which `shift_right`
            adds.
        """
        numbers = list(numbers)
        source = [self.source.encode(english_tokens(n)) for n in numbers]
        target = [self.target.encode(german_tokens(n)) for n in numbers]
        return tuple(
            pad_rows(rows, max(map(len, rows)), 0) for rows in (source, target)
        )

    def exact_matches(
        self, predicted_ids: np.ndarray, numbers: Sequence[int]
    ) -> np.ndarray:
        """Return for each number whether its predicted translation is exactly right.

        Args:
            predicted_ids: integers (numbers, length), as `generate` returns them.
            numbers: the numbers that were translated, in the same order.

        Returns:
            Booleans (numbers,).

        Raises:
            ValueError: there is not one row for each number.
        """
        if len(predicted_ids) != len(numbers):
            raise ValueError(
                f"predicted_ids has {len(predicted_ids)} rows: wanted {len(numbers)}, "
                "one for each of numbers"
            )
        words = ["".join(self.target.decode(row)) for row in np.asarray(predicted_ids)]
        return np.array(
            [word == german(n) for word, n in zip(words, numbers, strict=True)]
        )
