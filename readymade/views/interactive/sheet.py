"""Attention as a sheet of numbers that can be edited."""

from collections.abc import Sequence

from readymade.views.attention.heatmaps import heatmap
from readymade.views.attention.inputs import as_array, as_tokens
from readymade.views.figures import as_png
from readymade.views.interactive.figure import InteractiveFigure
from readymade.views.softmax import softmax

import numpy as np
from numpy.typing import ArrayLike


def attention_sheet(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, words: Sequence[str]
) -> InteractiveFigure:
    """Return scaled dot-product attention as a sheet whose numbers can be edited.

    Every score is a button that masks the pair; √d_k can be switched off.

    Args:
        query: of either framework or NumPy, (words, d_k).
        key: (words, d_k).
        value: (words, d_v).
        words: labels of the rows.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.

    Source: Vaswani et al. 2017, equation 1.
    """
    matrices = {
        name: _as_matrix(matrix, name)
        for name, matrix in [("query", query), ("key", key), ("value", value)]
    }
    query, key, value = matrices.values()
    words = as_tokens(words, len(query), "words")
    if query.shape != key.shape or len(value) != len(query):
        raise ValueError(
            f"query, key and value have shapes {query.shape}, {key.shape} and "
            f"{value.shape}: wanted (words, d_k), (words, d_k) and (words, d_v)"
        )
    scores = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(scores)
    columns = [key.shape[1], key.shape[1], len(words), len(words), *value.shape[1:] * 2]
    labels = 7 * max(map(len, words))
    tables = [labels + 40 + 56 * count for count in columns]
    table = 66 + 28 * len(words)
    return InteractiveFigure(
        "sheet",
        "Attention as a sheet of numbers",
        {
            "words": words,
            "given": {name: matrix.tolist() for name, matrix in matrices.items()},
        },
        (82 + table * _lines(tables, 708), 150 + table * _lines(tables, 330)),
        as_png(heatmap(weights, words, values=True)),
        "The attention weights of the numbers given: "
        + "; ".join(
            f"{word}: " + " ".join(f"{weight:.2f}" for weight in row)
            for word, row in zip(words, weights, strict=True)
        ),
    )


def _as_matrix(value, name):
    array = as_array(value, name)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}: wanted two axes")
    return array


def _lines(widths, room):
    """How many lines blocks of these widths take, side by side where there is room."""
    lines, left = 0, 0
    for width in widths:
        if width > left:
            lines, left = lines + 1, room
        left -= width
    return lines
