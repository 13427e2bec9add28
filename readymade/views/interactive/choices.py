"""The distribution of the next token under temperature, top-k and top-p."""

from collections.abc import Sequence

from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from readymade.views.softmax import softmax

import numpy as np
from numpy.typing import ArrayLike

_DRAWN = 12  # bars


def next_token(
    logits: ArrayLike, tokens: Sequence[str], context: str
) -> InteractiveFigure:
    """Return the next token's distribution, with temperature, top-k and top-p to set.

    Args:
        logits: of one position, of either framework or NumPy, (vocab_size,).
        tokens: the vocabulary, one text for each logit.
        context: a sentence above the figure that says what the token follows.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.

    Source: Fan et al. 2018, section 5.4; Holtzman et al. 2020, section 3.1.
    """
    logits = as_array(logits, "logits")
    if logits.ndim != 1 or not np.isfinite(logits).all():
        raise ValueError(
            f"logits has shape {logits.shape}: wanted (vocab_size,), finite numbers"
        )
    tokens = as_tokens(tokens, len(logits), "tokens", "logits")
    probability = softmax(logits)
    best = probability.argsort()[::-1][:_DRAWN]
    return InteractiveFigure(
        "choices",
        "The next token's distribution",
        {
            "context": context,
            "tokens": tokens,
            "logits": (logits - logits.max()).round(3).tolist(),
        },
        (610, 690),
        _bars(probability[best], [tokens[place] for place in best]),
        f"{context} The most probable tokens: "
        + ", ".join(f"{tokens[place]} {probability[place]:.2f}" for place in best),
    )


def _bars(probability, names):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, axes = plt.subplots(figsize=(7, 3.2))
        # A dollar sign would begin a formula.
        names = [name.replace("$", r"\$") for name in names]
        axes.barh(range(len(names)), probability, color=COLORS["blue"])
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("probability")
        return as_png(figure)
