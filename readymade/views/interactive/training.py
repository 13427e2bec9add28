"""A query and its keys in the plane, while they are trained."""

from collections.abc import Sequence

from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from readymade.views.softmax import softmax

import numpy as np
from numpy.typing import ArrayLike


def query_in_training(
    queries: ArrayLike, keys: ArrayLike, words: Sequence[str], word: str
) -> InteractiveFigure:
    """Return one word's query and the keys of all words, step by step of a training.

    Query and keys are of two numbers each, so both have a place in the plane. The
    figure plays the steps; where the reader wants no motion, it goes to the last one.
    At each step, the reader may turn the query and change its length.

    Args:
        queries: of either framework or NumPy, (steps, 2).
        keys: (steps, words, 2).
        words: what the keys are of.
        word: what the query is of.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    queries, keys = as_array(queries, "queries"), as_array(keys, "keys")
    if queries.ndim != 2 or not len(queries) or queries.shape[1] != 2:
        raise ValueError(f"queries has shape {queries.shape}: wanted (steps, 2)")
    if keys.ndim != 3 or keys[:, 0].shape != queries.shape:
        raise ValueError(
            f"keys has shape {keys.shape}: wanted ({len(queries)}, words, 2)"
        )
    words = as_tokens(words, keys.shape[1], "words")
    scores = (keys @ queries[:, :, None])[..., 0] / np.sqrt(2)
    weights = softmax(scores)
    shown = {0: "before the training", len(queries) - 1: "after it"}
    return InteractiveFigure(
        "training",
        f"The query of “{word}” in training",
        {
            "words": words,
            "word": word,
            "queries": queries.round(4).tolist(),
            "keys": keys.round(4).tolist(),
        },
        (510, 560 + 28 * len(words)),
        _planes(queries, keys, weights, words, shown),
        f"The query of “{word}” as an arrow among the keys, and their weights "
        + "; ".join(
            f"{when}: "
            + ", ".join(
                f"{name} {weight:.2f}"
                for name, weight in zip(words, weights[step], strict=True)
            )
            for step, when in shown.items()
        ),
        parts=("controls.js",),
    )


def _planes(queries, keys, weights, words, shown):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, panels = plt.subplots(
            1, len(shown), figsize=(7, 3.6), sharex=True, sharey=True, squeeze=False
        )
        # All steps, and room for the names on both sides.
        low, high = keys[..., 0].min(), keys[..., 0].max()
        wide = low - (high - low), high + (high - low)
        arrow = {"arrowstyle": "-|>", "color": COLORS["vermilion"], "linewidth": 2}
        for axes, (step, when) in zip(panels[0], shown.items(), strict=True):
            axes.annotate("", xy=queries[step], xytext=(0, 0), arrowprops=arrow)
            axes.scatter(*keys[step].T, s=15 + 400 * weights[step], alpha=0.6)
            # Names stand on the side that is turned away from the other keys.
            left = keys[step, :, 0] < keys[step, :, 0].mean()
            for name, place, weight, is_left in zip(
                words, keys[step], weights[step], left, strict=True
            ):
                name = name.replace("$", r"\$")  # which would begin a formula
                axes.annotate(
                    f"{name} {weight:.2f}", place, (-12 if is_left else 12, 0),
                    textcoords="offset points", fontsize=8, va="center",
                    ha="right" if is_left else "left",
                )  # fmt: skip
            axes.margins(y=0.15)  # for the largest dots
            axes.set(title=when, xlabel="first entry", aspect="equal", xlim=wide)
        panels[0, 0].set_ylabel("second entry")
        return as_png(figure)
