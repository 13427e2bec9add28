"""One head's attention while its model is trained, and what the model writes."""

from collections.abc import Sequence

from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import as_png, figure_style, sequential
from readymade.views.interactive.figure import InteractiveFigure

import numpy as np
from numpy.typing import ArrayLike


def attention_in_training(
    weights: ArrayLike,
    steps: Sequence[int],
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    written: Sequence[str],
    losses: Sequence[float],
    watched: Sequence[tuple[int, int]],
) -> InteractiveFigure:
    """Return one head's weights after some steps of training, with a slider.

    The figure plays the steps; where the reader wants no motion, it goes to the last
    one.

    Args:
        weights: of one head on one text, (maps, queries, keys), a map for each of
            `steps`.
        steps: after how many steps of training each map was taken.
        tokens: one text for each query.
        key_tokens: one text for each key.
        written: what the model wrote at each of these times.
        losses: of all steps of the training, in nats a token.
        watched: pairs (query, key) that the figure frames, and whose mean weight it
            tells.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    weights = as_array(weights, "weights")
    count = len(steps)
    if weights.ndim != 3 or len(weights) != count or not count:
        raise ValueError(
            f"weights has shape {weights.shape}: wanted ({count}, queries, keys), a "
            f"map for each of steps"
        )
    tokens = as_tokens(tokens, weights.shape[1])
    key_tokens = as_tokens(key_tokens, weights.shape[2], "key_tokens", "keys")
    written = as_tokens(written, count, "written", "maps")
    means = weights[(slice(None), *np.transpose(watched))].mean(axis=1)
    high = 80 + 22 * len(tokens)  # pixels of a map
    third = [0, count // 3, 2 * count // 3, count - 1]
    return InteractiveFigure(
        "forming",
        "A head in training",
        {
            "tokens": tokens,
            "key_tokens": key_tokens,
            "steps": [int(step) for step in steps],
            "maps": weights.round(2).tolist(),
            "written": written,
            "losses": np.asarray(losses, dtype=float).round(3).tolist(),
            "watched": [[int(query), int(key)] for query, key in watched],
        },
        (120 + max(high, 260), 440 + high),
        _maps(weights[third], [steps[place] for place in third], tokens, key_tokens),
        "The weights of one head while its model is trained; the mean weight of the "
        "framed pairs: "
        + ", ".join(f"{means[place]:.2f} after {steps[place]} steps" for place in third)
        + ".",
        parts=("controls.js", "plot.js"),
    )


def _maps(weights, steps, tokens, key_tokens):
    import matplotlib.pyplot as plt

    with figure_style():
        across = 0.18 * len(key_tokens) + 0.5
        figure, panels = plt.subplots(
            1, len(steps), figsize=(across * len(steps), 0.18 * len(tokens) + 1.4),
            sharey=True, squeeze=False,
        )  # fmt: skip
        for axes, panel, step in zip(panels[0], weights, steps, strict=True):
            axes.imshow(panel, cmap=sequential(), vmin=0, vmax=1)
            names = [
                [name.replace("$", r"\$") for name in side]
                for side in (tokens, key_tokens)
            ]
            axes.set_yticks(range(len(tokens)), names[0], fontsize=7)
            axes.set_xticks(range(len(key_tokens)), names[1], fontsize=7, rotation=90)
            axes.set_title(f"after {step} steps", fontsize=8)
        return as_png(figure)
