"""Short reviews, half of them positive, to train a classifier on.

Source of `reviews.txt`: written for this book, under the licence of the book's text
(CC BY 4.0).
"""

import random
from pathlib import Path

from scratch.checks import require_at_least

POSITIVE, NEGATIVE = 1, 0


def reviews(
    test_size: int = 60, seed: int = 0
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return 240 labelled one-sentence reviews, split in two.

    Half of each split is positive. The reviews were written in pairs: each topic (a
    soup, a train, a teacher) is praised in one and criticised in another.

    Args:
        test_size: number of reviews held out, even, from 2 to 238.
        seed: decides which reviews are held out, and their order.

    Returns:
        Two lists, (train, test), of (sentence, label); the label is 1 for praise and 0
        for complaint.

    Raises:
        ValueError: `test_size` is odd or leaves a split empty.
    """
    path = Path(__file__).with_name("reviews.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    require_at_least("test_size", test_size, 2)
    if test_size % 2 or test_size >= len(lines):
        raise ValueError(
            f"test_size is {test_size}: wanted an even number from 2 to "
            f"{len(lines) - 2}"
        )
    generator = random.Random(seed)
    train, test = [], []
    for sign, label in (("+", POSITIVE), ("-", NEGATIVE)):
        group = [(line[2:], label) for line in lines if line.startswith(sign)]
        generator.shuffle(group)
        test += group[: test_size // 2]
        train += group[test_size // 2 :]
    generator.shuffle(train)
    generator.shuffle(test)
    return train, test
