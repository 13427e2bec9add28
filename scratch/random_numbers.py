"""The random numbers behind a drawn text, the same for both frameworks."""

from scratch.checks import require_at_least

import numpy as np


def uniform_numbers(seed: int | None, rows: int, steps: int) -> np.ndarray:
    """Draw a uniform random number for each token of each row.

    A row's numbers depend on the seed and its place only, not on how many are drawn.

    Args:
        seed: an integer from 0 on; None draws other numbers each time.
        rows: the number of texts.
        steps: the largest number of tokens in a text.

    Returns:
        float64 numbers u, 0 ≤ u < 1, of shape (rows, steps).
    """
    if seed is None:
        seed = np.random.SeedSequence().entropy
    require_at_least("seed", seed, 0)
    require_at_least("rows", rows, 1)
    require_at_least("steps", steps, 1)
    return np.stack(
        [np.random.default_rng([seed, row]).random(steps) for row in range(rows)]
    )
