"""Beam search as a tree, step by step."""

from collections.abc import Callable, Sequence

from readymade.views.attention.inputs import as_array
from readymade.views.figures import COLORS, INK, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_at_least

import numpy as np
from numpy.typing import ArrayLike


def beam_tree(
    search: Callable,
    next_logits: Callable,
    prompt: ArrayLike,
    tokens: Sequence[str],
    eos_id: int,
    max_new_tokens: int,
    widest: int = 4,
    context: str = "",
) -> InteractiveFigure:
    """Return beam search as a tree that grows step by step, for several beam sizes.

    `search` is run once for each beam size, and what the model answered is recorded.

    Args:
        search: beam_search or tf_beam_search.
        next_logits: what the search calls, a function of ids and cache.
        prompt: the ids that come first, (1, length), of the search's framework.
        tokens: the vocabulary, one text for each id.
        eos_id: the id that ends a text.
        max_new_tokens: the largest number of new ids.
        widest: the largest beam size.
        context: a sentence above the figure.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    require_at_least("widest", widest, 1)
    after = {}

    def recorded(ids, cache):
        logits, cache = next_logits(ids, cache)
        rows = as_array(ids, "ids").astype(int)[:, prompt.shape[1] :]
        for row, scores in zip(rows, as_array(logits, "logits"), strict=True):
            log_p = scores - np.logaddexp.reduce(scores)
            # more than a beam can keep: what it drops is shown too
            best = log_p.argsort(kind="stable")[::-1][: widest + 2]
            after[" ".join(map(str, row))] = [
                [int(place), round(float(log_p[place]), 5)] for place in best
            ]
        return logits, cache

    for beam_size in range(1, widest + 1):
        options = {"use_cache": False, "beam_size": beam_size}
        search(recorded, prompt, eos_id, max_new_tokens, eos_id, **options)
    return InteractiveFigure(
        "tree",
        "Beam search, step by step",
        {
            "context": context,
            "tokens": list(tokens),
            "eos_id": eos_id,
            "after": after,
            "max_steps": max_new_tokens,
            "widest": widest,
        },
        (200 + 30 * (widest + 2), 260 + 30 * (widest + 2)),
        _first_step(after[""], tokens),
        f"{context} The first tokens: "
        + ", ".join(f"{tokens[i]} {np.exp(log_p):.2f}" for i, log_p in after[""]),
    )


def _first_step(best, tokens):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, axes = plt.subplots(figsize=(5, 0.35 * len(best) + 0.5))
        axes.set_axis_off()
        for row, (place, log_p) in enumerate(best):
            axes.plot([0, 1], [0, -row], color=COLORS["blue"], linewidth=1)
            name = tokens[place].replace("$", r"\$")
            label = f"{name}   {100 * np.exp(log_p):.2g} %"
            axes.text(1.05, -row, label, va="center", color=INK)
        axes.text(-0.05, 0, "start", va="center", ha="right", color=INK)
        axes.set(xlim=(-0.5, 3), ylim=(-len(best), 0.7))
        return as_png(figure)
