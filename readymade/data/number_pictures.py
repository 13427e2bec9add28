"""Pictures of numbers and their German words: chapter 21's task.

A number is written with pictures of single digits side by side.

Source: the digits are `digits()`; the words are computed as in `NumberWords`.
"""

from collections.abc import Iterable, Sequence

from readymade.data.handwritten_digits import digits
from readymade.data.number_words import NumberWords
from scratch.checks import require_at_least, require_fraction, require_seed

import numpy as np

SIDE = 8  # of a digit's picture, in pixels
# Beside a seed, so that numbers aren't drawn as `pictures` draws with the same one.
NUMBERS = 1


class NumberPictures:
    """Pictures of numbers to German words, with held-out numbers and pictures.

    `train_numbers` and `test_numbers` are arrays, one for each count of digits, from 1
    on. They have no number in common but those of one digit, all of which are in both,
    because a digit that was never seen has no name. Pictures of train numbers and of
    test numbers share no picture of a digit, unless they are asked to. `vocabulary` is
    that of the German words.

    Args:
        longest: how many digits the longest number has.
        held_out: the share of the numbers to hold out.
        seed: determines which numbers and which pictures of digits are held out.

    Raises:
        TypeError, ValueError: an argument makes no sense.
    """

    def __init__(self, longest: int = 4, held_out: float = 0.2, seed: int = 0) -> None:
        require_at_least("longest", longest, 1)
        require_fraction("held_out", held_out)
        require_seed(seed)
        self.longest = longest
        self.words = NumberWords(1, 1)
        self.vocabulary = self.words.target
        self.train_numbers = [np.arange(10)]
        self.test_numbers = [np.arange(10)]
        generator = np.random.default_rng(seed)
        for count in range(2, longest + 1):
            numbers = generator.permutation(np.arange(10 ** (count - 1), 10**count))
            cut = int(held_out * len(numbers))
            self.train_numbers.append(numbers[cut:])
            self.test_numbers.append(numbers[:cut])
        self.pools = [by_label(*part) for part in digits(seed)]

    def draw(self, numbers: Sequence[int], count: int, seed: int = 0) -> np.ndarray:
        """Return numbers drawn from lists such as `train_numbers`.

        Args:
            numbers: the lists; each is as likely as any other.
            count: how many to draw.
            seed: decides which.
        """
        generator = np.random.default_rng([seed, NUMBERS])
        which = generator.integers(0, len(numbers), count)
        place = generator.random(count)
        return np.array(
            [
                numbers[one][int(p * len(numbers[one]))]
                for one, p in zip(which, place, strict=True)
            ]
        )

    def pictures(
        self,
        numbers: Iterable[int],
        held_out: bool = False,
        seed: int = 0,
        width: int | None = None,
    ) -> np.ndarray:
        """Return a picture of each number, its last digit at the right edge.

        Args:
            numbers: from 0 on.
            held_out: whether to write with the held-out pictures of digits.
            seed: decides which picture of a digit is taken.
            width: how many digits a picture has room for; None for the longest.

        Returns:
            Float32, (numbers, 1, 8, 8 · width), from 0 (paper) to 1 (ink).

        Raises:
            ValueError: a number has more digits than there is room for.
        """
        width = self.longest if width is None else width
        numbers = np.asarray(numbers, np.int64)
        wrong = (numbers < 0) | (numbers >= 10**width)
        if wrong.any():
            raise ValueError(
                f"numbers holds {numbers[wrong][0]}: wanted numbers from 0 to "
                f"{10**width - 1}"
            )
        pool, starts = self.pools[held_out]
        generator = np.random.default_rng(seed)
        paper = np.zeros((len(numbers), 1, SIDE, SIDE * width), np.float32)
        for place in range(width):
            digit = numbers // 10**place % 10
            # 0 is written, but no number begins with it
            written = (numbers >= 10**place) | (place == 0)
            first, after = starts[digit], starts[digit + 1]
            row = first + (generator.random(len(numbers)) * (after - first)).astype(int)
            right = SIDE * (width - place)
            paper[written, :, :, right - SIDE : right] = pool[row[written]]
        return paper

    def encode(self, numbers: Iterable[int]) -> np.ndarray:
        """Return the ids of the German words, (numbers, longest length), int64.

        A row ends with an end token and is padded after it, as in `NumberWords`.
        """
        return self.words.encode(numbers)[1]

    def exact_matches(
        self, predicted_ids: np.ndarray, numbers: Sequence[int]
    ) -> np.ndarray:
        """Return for each number whether its predicted word is exactly right.

        As `NumberWords.exact_matches`.
        """
        return self.words.exact_matches(predicted_ids, numbers)


def by_label(pictures, labels):
    """Return pictures sorted by label, where each label's begin, and the last end."""
    pictures = pictures[np.argsort(labels, kind="stable")]
    return pictures, np.searchsorted(np.sort(labels), np.arange(11))
