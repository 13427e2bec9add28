"""Handwritten digits, 8 × 8 pixels each: the pictures of chapter 21.

Source of `handwritten/digits.csv.gz`: "Optical Recognition of Handwritten Digits",
Alpaydin and Kaynak 1998, UCI Machine Learning Repository; its licence is in
`handwritten/NOTICE.txt`.
"""

import gzip
from pathlib import Path

from scratch.checks import require_seed

import numpy as np

PATH = Path(__file__).with_name("handwritten") / "digits.csv.gz"
HELD_OUT = 500
INK = 16  # the highest number of black pixels in a block

Labelled = tuple[np.ndarray, np.ndarray]


def digits(seed: int | None = 0) -> tuple[Labelled, Labelled]:
    """Return 1,797 pictures of handwritten digits, split in two.

    Both parts share writers. Without a seed, the last of the file are held out; it
    seems to go from writer to writer, but doesn't name them.

    Args:
        seed: determines which pictures are held out; None for the file's own order.

    Returns:
        Two pairs (pictures, labels), the second (500 pictures) held out. Pictures are
        float32 (pictures, 1, 8, 8) from 0 (paper) to 1 (ink), and labels int64
        (pictures,) from 0 to 9.

    Source: Alpaydin and Kaynak 1998.
    """
    require_seed(seed)
    lines = gzip.decompress(PATH.read_bytes()).decode().splitlines()
    rows = np.loadtxt(lines, np.int64, delimiter=",")
    if seed is not None:
        rows = np.random.default_rng(seed).permutation(rows)
    pictures = (rows[:, :-1] / INK).astype(np.float32).reshape(-1, 1, 8, 8)
    labels = rows[:, -1]
    return (
        (pictures[:-HELD_OUT], labels[:-HELD_OUT]),
        (pictures[-HELD_OUT:], labels[-HELD_OUT:]),
    )


def moved(pictures: np.ndarray, right: int = 0, down: int = 0) -> np.ndarray:
    """Return pictures moved by whole pixels, on paper that is blank around them.

    Args:
        pictures: (pictures, channels, height, width), 0 where they are blank.
        right, down: by how many pixels; below 0 for the other way.

    Returns:
        The same shape; what is moved over the edge is lost.
    """
    height, width = pictures.shape[2:]
    top, left = abs(down), abs(right)
    padded = np.pad(pictures, ((0, 0), (0, 0), (top, top), (left, left)))
    top, left = top - down, left - right
    return padded[:, :, top : top + height, left : left + width]
