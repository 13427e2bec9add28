"""Rotary positions: a query's and a key's arrows, and their score."""

from collections.abc import Sequence

from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_at_least, require_even

import numpy as np

_CLOCKS = 8  # pairs that are drawn
_QUERY, _KEY = 12, 5  # the positions that are shown at first


def rotary_angles(
    d_k: int = 64,
    bases: Sequence[float] = (100.0, 10_000.0, 500_000.0),
    max_len: int = 200,
) -> InteractiveFigure:
    """Return the arrows of a query and a key with sliders for the two positions.

    Query and key are equal, and each of their pairs of numbers is an arrow to the right
    before it is rotated. The score is that of vectors of length 1.

    Args:
        d_k: the size of a query, even and at least 16.
        bases: of the angles, to choose from; the second, or the only one, comes first.
        max_len: the number of positions, more than 12.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.

    Source: Su et al. 2021, section 3.2.
    """
    require_at_least("d_k", d_k, 2 * _CLOCKS)
    require_even("d_k", d_k, "two numbers are a point in the plane")
    require_at_least("max_len", max_len, _QUERY + 1)
    base = bases[min(1, len(bases) - 1)]
    angles = np.arange(max_len)[:, None] * base ** (-np.arange(0, d_k, 2) / d_k)
    scores = np.cos(angles).mean(axis=1)
    return InteractiveFigure(
        "rotary",
        "Rotary angles by position and distance",
        {
            "d_k": d_k,
            "bases": list(bases),
            "base": base,
            "max_len": max_len,
            "at": {"query": _QUERY, "key": _KEY},
            "drawn": [i * d_k // (2 * _CLOCKS) for i in range(_CLOCKS)],
        },
        (560, 780),
        _clocks(angles, scores, d_k),
        f"Above, the arrows of {_CLOCKS} pairs of numbers, the query's at position "
        f"{_QUERY} and the key's at position {_KEY}: the first pair has turned far, "
        f"the last hardly at all. Below, the score against the distance of the two; "
        f"at distance {_QUERY - _KEY} it is {scores[_QUERY - _KEY]:.2f}.",
        parts=("controls.js", "plot.js"),
    )


def _clocks(angles, scores, d_k):
    import matplotlib.pyplot as plt

    with figure_style():
        names = [f"pair {i * d_k // (2 * _CLOCKS)}" for i in range(_CLOCKS)]
        figure, panels = plt.subplot_mosaic(
            [names, ["score"] * _CLOCKS], figsize=(7, 3.6), height_ratios=[1, 2]
        )
        for i, name in enumerate(names):
            axes = panels[name]
            axes.add_patch(plt.Circle((0, 0), 1, fill=False, linewidth=0.5))
            for place, color in ((_QUERY, "vermilion"), (_KEY, "blue")):
                angle = angles[place, i * d_k // (2 * _CLOCKS)]
                arrow = {"arrowstyle": "-|>", "color": COLORS[color], "linewidth": 1.5}
                tip = np.cos(angle), np.sin(angle)
                axes.annotate("", tip, (0, 0), arrowprops=arrow)
            axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
            axes.set_title(name, fontsize=8)
            axes.axis("off")
        panels["score"].plot(scores, color=COLORS["blue"])
        panels["score"].axvline(
            _QUERY - _KEY, color=COLORS["vermilion"], linestyle="--", linewidth=1
        )
        panels["score"].set(xlabel="distance (tokens)", ylabel="score of unit vectors")
        return as_png(figure)
