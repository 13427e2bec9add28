"""A feed-forward layer of one number: the sum of a few hinges."""

from readymade.views.attention.inputs import as_array
from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure

import numpy as np
from numpy.typing import ArrayLike

_REACH = 3  # the largest input that is drawn


def hinge_units(
    weight_1: ArrayLike,
    bias_1: ArrayLike,
    weight_2: ArrayLike,
    target: ArrayLike,
) -> InteractiveFigure:
    """Return a feed-forward layer of one number, whose weights the reader sets.

    Each entry of the inner vector is a hinge, max(0, x W_1 + b_1), and the output is
    their sum, weighted by W_2, plus b_2, which is 0 at first.

    Args:
        weight_1: W_1 at first, (d_ff,).
        bias_1: b_1 at first, (d_ff,).
        weight_2: W_2 at first, (d_ff,).
        target: W_1, b_1 and W_2 of the curve that the reader is to build, (3, d_ff).

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    start = [as_array(one, "weights") for one in (weight_1, bias_1, weight_2)]
    target = as_array(target, "target")
    shapes = {one.shape for one in (*start, *target)}
    if len(shapes) > 1 or target.ndim != 2 or len(target) != 3:
        raise ValueError(
            f"weight_1, bias_1, weight_2 and target have shapes "
            f"{', '.join(str(one.shape) for one in (*start, target))}: wanted "
            f"(d_ff,) three times and (3, d_ff)"
        )
    x = np.linspace(-_REACH, _REACH, 241)
    first, wanted = (_layer(x, *weights) for weights in (start, target))
    return InteractiveFigure(
        "hinges",
        "A function built of hinges",
        {
            "start": np.transpose(start).tolist(),
            "target": target.T.tolist(),
            "reach": _REACH,
        },
        (540, 690),
        _curves(x, first, wanted),
        f"The output of {len(start[0])} hidden units against the input, a line with a "
        f"bend for each unit, and dotted the curve to build. Their largest distance is "
        f"{abs(first - wanted).max():.2f}.",
        parts=("controls.js", "plot.js"),
    )


def _layer(x, weight_1, bias_1, weight_2):
    return np.maximum(0, x[:, None] * weight_1 + bias_1) @ weight_2


def _curves(x, first, wanted):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, axes = plt.subplots(figsize=(6, 3.2))
        axes.plot(x, wanted, color=COLORS["gray"], linestyle=":", label="to build")
        axes.plot(x, first, color=COLORS["blue"], label="output at first")
        axes.set(xlabel="input $x$", ylabel="output", ylim=(-2, 2))
        axes.legend()
        return as_png(figure)
