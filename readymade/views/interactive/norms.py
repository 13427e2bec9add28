"""Layer norm, pre-LN and post-LN on a few words, one of which the reader changes."""

from collections.abc import Sequence

from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import as_png, diverging, figure_style
from readymade.views.interactive.figure import InteractiveFigure

import numpy as np
from numpy.typing import ArrayLike

_EPSILON = 1e-5


def norm_sheet(x: ArrayLike, words: Sequence[str], word: int) -> InteractiveFigure:
    """Return layer norm as a sheet of numbers, with one word to scale and shift.

    The figure shows what changes in the output: of layer norm, of a norm over the whole
    sentence, and of a sublayer in post-LN and pre-LN order. The sublayer stands for
    attention whose weights are all equal: it gives each word the mean of all.

    Args:
        x: of either framework or NumPy, (words, d_model).
        words: one text for each row of `x`.
        word: the row that the reader changes.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    x = as_array(x, "x")
    if x.ndim != 2 or not x.size:
        raise ValueError(f"x has shape {x.shape}: wanted (words, d_model)")
    words = as_tokens(words, len(x), "words", "words")
    if not 0 <= word < len(words):
        raise ValueError(f"word is {word}: wanted a row from 0 to {len(words) - 1}")
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + _EPSILON)
    normed = (x - x.mean(axis=1, keepdims=True)) / deviation
    return InteractiveFigure(
        "norms",
        "Layer norm, pre-LN and post-LN with one word changed",
        {"x": x.round(3).tolist(), "words": words, "word": word, "epsilon": _EPSILON},
        (220 + 26 * len(words), 320 + 50 * len(words)),
        _tables(x, normed, words),
        f"The numbers of {len(words)} words before and after layer norm, which gives "
        f"each row mean 0 and standard deviation 1: "
        + "; ".join(
            f"{name} " + ", ".join(f"{entry:.2f}" for entry in row)
            for name, row in zip(words, normed, strict=True)
        )
        + ".",
        parts=("controls.js",),
    )


def _tables(x, normed, words):
    import matplotlib.pyplot as plt

    with figure_style():
        size = (6.5, 0.4 * len(words) + 0.6)
        figure, panels = plt.subplots(1, 2, figsize=size, sharey=True)
        largest = max(abs(x).max(), abs(normed).max())
        for axes, rows, title in zip(
            panels, (x, normed), ("x", "norm(x)"), strict=True
        ):
            axes.imshow(
                rows,
                cmap=diverging(),
                vmin=-2 * largest,
                vmax=2 * largest,
                aspect="auto",
            )  # half of the colours: ink stays readable on all of them
            for (row, column), number in np.ndenumerate(rows):
                axes.text(column, row, f"{number:.2f}", ha="center", va="center")
            axes.set_title(title)
            axes.set_xticks([])
        names = [name.replace("$", r"\$") for name in words]
        panels[0].set_yticks(range(len(words)), names)
        return as_png(figure)
