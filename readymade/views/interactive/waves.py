"""Sinusoidal positions, one position and one entry at a time."""

from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_at_least, require_even

import numpy as np

_BASE = 10_000
_FIRST = 20  # the position that is shown at first


def position_waves(d_model: int = 64, max_len: int = 200) -> InteractiveFigure:
    """Return sinusoidal positions with sliders for the position and the entry.

    Args:
        d_model: the size of a position's vector, even.
        max_len: the number of positions, more than 20.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.

    Source: Vaswani et al. 2017, section 3.5.
    """
    require_at_least("d_model", d_model, 2)
    require_even("d_model", d_model, "sines and cosines are pairs")
    require_at_least("max_len", max_len, _FIRST + 1)
    angles = np.arange(max_len)[:, None] / _BASE ** (np.arange(0, d_model, 2) / d_model)
    products = np.cos(angles - angles[_FIRST]).sum(axis=1)  # equation (2.4)
    return InteractiveFigure(
        "waves",
        "Sinusoidal positions",
        {"d_model": d_model, "max_len": max_len, "base": _BASE, "position": _FIRST},
        (770, 820),
        _curve(products),
        f"The dot product of position {_FIRST} with each position from 0 to "
        f"{max_len - 1}: {d_model / 2:.0f} at position {_FIRST} itself, "
        f"{products[_FIRST + 1]:.1f} one position further, and smaller, in waves, "
        f"far away.",
    )


def _curve(products):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, axes = plt.subplots(figsize=(7, 2.8))
        axes.plot(products, color=COLORS["blue"])
        axes.axvline(_FIRST, color=COLORS["vermilion"], linestyle="--", linewidth=1)
        axes.set(xlabel="position", ylabel=f"dot product with position {_FIRST}")
        return as_png(figure)
