"""The heads of one layer, switched on and off."""

from collections.abc import Sequence

from readymade.views.attention.heatmaps import heatmap
from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import as_png
from readymade.views.interactive.figure import InteractiveFigure

import numpy as np
from numpy.typing import ArrayLike


def head_switches(
    parts: ArrayLike, bias: ArrayLike, weights: ArrayLike, tokens: Sequence[str]
) -> InteractiveFigure:
    """Return a layer's heads with a switch each, and what its output keeps.

    The output of multi-head attention is the bias of W^O plus a part from each head,
    the head's output times its rows of W^O. The figure shows the cosine between the
    output of the heads that are on and the output of all of them.

    Args:
        parts: what each head adds, (heads, length, d_model).
        bias: of W^O, (d_model,).
        weights: attention weights, (heads, length, length).
        tokens: one text for each position.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    parts, bias = as_array(parts, "parts"), as_array(bias, "bias")
    weights = as_array(weights, "weights")
    if parts.ndim != 3 or bias.shape != parts.shape[2:]:
        raise ValueError(
            f"parts and bias have shapes {parts.shape} and {bias.shape}: wanted "
            f"(heads, length, d_model) and (d_model,)"
        )
    heads, length, _ = parts.shape
    if weights.shape != (heads, length, length):
        raise ValueError(
            f"weights has shape {weights.shape}: wanted {(heads, length, length)}"
        )
    tokens = as_tokens(tokens, length)
    added = np.concatenate([parts, np.broadcast_to(bias, parts[:1].shape)])
    # dot products of all pairs of parts, at each position: (length, heads + 1, …)
    products = np.einsum("ild,jld->lij", added, added)
    return InteractiveFigure(
        "switches",
        "The heads of one layer, switched on and off",
        {
            "tokens": tokens,
            "products": products.round(4).tolist(),
            "maps": weights.round(3).tolist(),
        },
        (240 + 28 * length, 400 + 50 * length),
        as_png(heatmap(weights.mean(axis=0), tokens)),
        f"The mean attention weights of all {heads} heads over {length} tokens.",
    )
