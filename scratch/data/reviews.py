"""Short reviews, half of them glad and half of them cross, to train a classifier on."""

import random
from pathlib import Path

POSITIVE, NEGATIVE = 1, 0


def reviews(test_size=60, seed=0):
    """Return 240 labelled one-sentence reviews, split in two.

    Half of each split is positive. The reviews were written for this book: everyday
    things (a soup, a train, a teacher), praised once and scolded once in other words.

    Args:
        test_size: number of reviews held out, even, from 2 to 238.
        seed: decides which reviews are held out, and their order.

    Returns:
        ``(train, test)``, two lists of ``(sentence, label)`` in which the label is 1
        for praise and 0 for complaint.

    Raises:
        ValueError: if ``test_size`` is odd or leaves a split empty.
    """
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    if test_size % 2 or not 0 < test_size < len(lines):
        raise ValueError(
            f"test_size must be even and between 2 and {len(lines) - 2}, "
            f"got {test_size!r}"
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
