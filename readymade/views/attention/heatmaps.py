"""Attention weights, masks and vectors as matplotlib pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from readymade.views.attention.inputs import as_array, as_indices, as_layers, as_tokens
from readymade.views.figures import (
    COLORS,
    INK,
    PAPER,
    diverging,
    figure_style,
    sequential,
)

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LARGEST_WITH_NUMBERS = 10  # rows or columns; beyond, numbers are too small to read
_WIDTH = 7.0  # inches, of all panels together
_SMALLEST_LABELLED = 0.09  # inches a cell; below, labels would run into each other
_SMALLEST_NAMED = 0.5  # inches a panel; below, "head 11" shrinks to "11"


def heatmap(
    weights: ArrayLike | Sequence[ArrayLike],
    tokens: Sequence[str] | None = None,
    key_tokens: Sequence[str] | None = None,
    *,
    layers: int | Sequence[int] | None = None,
    heads: int | Sequence[int] | None = None,
    layer_numbers: Sequence[int] | None = None,
    head_numbers: Sequence[int] | None = None,
    values: bool | None = None,
    largest: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw matrices as heat maps: one head, or a grid of layers by heads.

    Values from 0 up are drawn from paper to blue. If one is negative, vermilion means
    below 0 and blue above. All panels share one scale, and are tiles of one image.

    Args:
        weights: of either framework or NumPy: (queries, keys), (heads, queries, keys),
            (1, heads, queries, keys), or a list of these, one for each layer.
        tokens: labels of the rows (and of the columns, without `key_tokens`).
        key_tokens: labels of the columns.
        layers: the index or indices of the layers to show; None: all.
        heads: the index or indices of the heads to show; None: all.
        layer_numbers: the numbers in the model of the layers given; None: 0, 1, 2, …
        head_numbers: the numbers in the model of the heads given; None: 0, 1, 2, …
        values: whether to print the numbers; None: in one small matrix only.
        largest: the value of the strongest colour; None: the largest shown.
        title: above the figure.

    Returns:
        The matplotlib figure.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    stack = as_layers(weights)
    layers = as_indices(layers, len(stack), "layers")
    heads = as_indices(heads, len(stack[0]), "heads")
    panels = [[stack[layer][head] for head in heads] for layer in layers]
    rows, columns = panels[0][0].shape
    if tokens is not None:
        if key_tokens is None and rows == columns:
            key_tokens = tokens
        tokens = as_tokens(tokens, rows)
    if key_tokens is not None:
        key_tokens = as_tokens(key_tokens, columns, "key_tokens", "keys")
    if values is None:
        single = len(layers) == len(heads) == 1
        values = single and max(rows, columns) <= _LARGEST_WITH_NUMBERS
    layers = _numbered(layers, layer_numbers, len(stack))
    heads = _numbered(heads, head_numbers, len(stack[0]))
    return _draw_tiles(
        panels, layers, heads, tokens, key_tokens, values, largest, title
    )


def _numbered(indices, numbers, count):
    """Return the numbers of layers or heads; None for the only one, if it has none."""
    if numbers is None:
        return indices if count > 1 else None
    return [numbers[index] for index in indices]


def _draw_tiles(panels, layers, heads, tokens, key_tokens, values, largest, title):
    """Draw panels[layer][head] as tiles of one image, which is quick for any number.

    `layers` or `heads` is None: there is only one, without a number.
    """
    import matplotlib.pyplot as plt
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    count = len(panels[0])
    folded = len(panels) == 1 and count > 4  # one layer's heads, in rows of 4 or 3
    if folded:
        width = 3 if count % 4 and count % 3 == 0 else 4
        panels = [panels[0][i : i + width] for i in range(0, count, width)]
    rows, columns = panels[0][0].shape
    across, down = len(panels[0]), len(panels)
    cell = min(_WIDTH / (across * columns), 5.0 / rows, 0.45)
    # Between the tiles: a thin gap, wide enough for a name where a row has its own.
    gap_down = int(np.ceil((0.25 if folded else 0.08) / cell))
    gap_across = int(np.ceil(0.08 / cell))
    tops = [i * (rows + gap_down) for i in range(down)]
    lefts = [j * (columns + gap_across) for j in range(across)]
    image = np.full((tops[-1] + rows, lefts[-1] + columns), np.nan)
    frames = []
    for top, line in zip(tops, panels, strict=True):
        for left, panel in zip(lefts, line, strict=False):
            image[top : top + rows, left : left + columns] = panel
            frames.append(Rectangle((left - 0.5, top - 0.5), columns, rows))
    if largest is None:
        largest = np.nanmax(np.abs(image)) or 1.0
    signed = np.nanmin(image) < 0
    colors, low = (diverging(), -largest) if signed else (sequential(), 0.0)
    size = (
        cell * image.shape[1] + 0.075 * _longest(tokens) + 1.2,
        cell * image.shape[0] + 0.2 + 0.075 * _longest(key_tokens) + 0.4,
    )
    with figure_style():
        figure, axis = plt.subplots(figsize=size)
        drawn = axis.imshow(image, cmap=colors, vmin=low, vmax=largest)
        axis.spines[:].set_visible(False)
        lines = {"edgecolor": INK, "linewidth": 0.5, "clip_on": False}
        axis.add_collection(PatchCollection(frames, facecolor="none", **lines))
        labelsize = 9 if tokens is None else np.clip(60 * cell, 6, 10)
        axis.tick_params(length=0, labelsize=labelsize)
        if cell < _SMALLEST_LABELLED:
            axis.set(xticks=[], yticks=[])
        else:
            _label(axis.yaxis, tokens, rows, "tokens", "queries", tops)
            _label(axis.xaxis, key_tokens, columns, "key_tokens", "keys", lefts)
            if values:
                _print_values(axis, image, largest)
        short = cell * columns < _SMALLEST_NAMED
        for place, head in enumerate(heads or []):
            i, j = divmod(place, across)
            name = f"{head}" if short else f"head {head}"
            _write(axis, name, (lefts[j] - 0.5, tops[i] - 0.5), (0, 6), "baseline")
        for top, layer in zip(tops, layers or [], strict=False):
            middle = (image.shape[1] - 0.5, top + rows / 2 - 0.5)
            _write(axis, f"layer {layer}", middle, (6, 0), "center")
        bar = figure.colorbar(drawn, ax=axis, shrink=0.7, aspect=30, pad=0.02)
        bar.outline.set_visible(False)
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    return figure


def mask_picture(
    *masks: ArrayLike,
    tokens: Sequence[str] | None = None,
    key_tokens: Sequence[str] | None = None,
    titles: Sequence[str] | None = None,
) -> Figure:
    """Draw boolean masks side by side: filled where a query may attend to a key.

    Args:
        *masks: boolean, (queries, keys) or with axes of length 1 before these.
        tokens: labels of the rows (and of the columns, without `key_tokens`). A single
            row, which serves all queries, needs none.
        key_tokens: labels of the columns.
        titles: one for each mask.

    Returns:
        The matplotlib figure.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    if not masks:
        raise ValueError("masks is empty: wanted at least one mask")
    if titles is not None and len(titles) != len(masks):
        raise ValueError(
            f"titles has {len(titles)} entries: wanted {len(masks)}, one for each mask"
        )
    matrices = [_as_mask(mask, f"masks[{i}]") for i, mask in enumerate(masks)]
    colors = ListedColormap([PAPER, COLORS["sky"]])
    with figure_style():
        shapes = [matrix.shape for matrix in matrices]
        cell = min(0.3, _WIDTH / sum(columns for _, columns in shapes))
        widths = [cell * columns + 0.5 for _, columns in shapes]
        height = cell * max(rows for rows, _ in shapes)
        size = (
            sum(widths) + 0.075 * _longest(tokens),
            height + 0.075 * _longest(key_tokens or tokens) + 0.7,
        )
        figure, axes = plt.subplots(
            1, len(masks), figsize=size, width_ratios=widths, squeeze=False
        )
        for i, (axis, matrix) in enumerate(zip(axes[0], matrices, strict=True)):
            rows, columns = matrix.shape
            lines = {"edgecolors": INK, "linewidth": 0.6, "clip_on": False}
            axis.pcolormesh(matrix, cmap=colors, vmin=0, vmax=1, **lines)
            axis.set(xlabel="key", ylabel="query" if i == 0 else None)
            axis.set_aspect("equal", anchor="NW")
            axis.invert_yaxis()
            # A single row is the same for every query.
            row_names = tokens if rows > 1 else ["all"]
            same = key_tokens is None and (rows == columns or rows == 1)
            names = tokens if same else key_tokens
            _label(axis.yaxis, row_names, rows, "tokens", "queries", [0.5])
            _label(axis.xaxis, names, columns, "key_tokens", "keys", [0.5])
            axis.tick_params(length=0, labelsize=9)
            axis.spines[:].set_visible(False)
            if titles is not None:
                axis.set_title(titles[i])
    return figure


def _as_mask(mask, name):
    matrix = as_array(mask, name)
    if matrix.size == 0:
        raise ValueError(f"{name} has shape {matrix.shape}: wanted no axis of length 0")
    if not np.isin(matrix, (0, 1)).all():
        raise ValueError(
            f"{name} holds other numbers than 0 and 1: wanted a boolean mask, True = "
            f"may attend"
        )
    if matrix.ndim < 2 or any(size != 1 for size in matrix.shape[:-2]):
        raise ValueError(
            f"{name} has shape {matrix.shape}: wanted (queries, keys), or axes of "
            f"length 1 before these"
        )
    return matrix.reshape(matrix.shape[-2:])


def draw_vectors(queries, keys, weights, tokens, key_tokens, title):
    """Draw one head's queries and keys, (length, d_k), beside its weights."""
    import matplotlib.pyplot as plt

    largest = max(np.abs(queries).max(), np.abs(keys).max())
    panels = [
        ("queries", queries, diverging(), (-largest, largest), tokens, None),
        ("keys", keys, diverging(), (-largest, largest), key_tokens, None),
        ("weights", weights, sequential(), (0, weights.max()), tokens, key_tokens),
    ]
    length = max(len(tokens), len(key_tokens))
    with figure_style():
        figure, axes = plt.subplots(1, 3, figsize=(9.5, 0.17 * length + 1.2))
        for axis, panel in zip(axes, panels, strict=True):
            name, values, colors, (low, high), rows, columns = panel
            axis.imshow(values, cmap=colors, vmin=low, vmax=high, aspect="auto")
            axis.set_title(name)
            axis.tick_params(length=0, labelsize=8)
            _label(axis.yaxis, rows, len(values), "tokens", "rows")
            _label(axis.xaxis, columns, values.shape[1], "key_tokens", "columns")
        figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    return figure


def _longest(names):
    return max((len(name) for name in names or []), default=3)


def _label(axis, names, length, argument, what, starts=(0,)):
    """Label `length` cells from each of `starts` with their names or numbers."""
    step = 1
    turn = {}
    if names is None:
        step = max(1, length // 8)
        labels = [str(i) for i in range(0, length, step)]
    else:
        # A dollar sign would begin a formula.
        names = as_tokens(names, length, argument, what)
        labels = [name.replace("$", r"\$") for name in names]
        turn = {"rotation": 90} if axis.axis_name == "x" else {}
    places = [start + i for start in starts for i in range(0, length, step)]
    axis.set_ticks(places, labels * len(starts), **turn)


def _write(axis, words, place, points, vertical):
    """Write words that many points to the right of and above a place in the data."""
    axis.annotate(
        words, place, points, textcoords="offset points", va=vertical, fontsize="small"
    )


def _print_values(axis, image, largest):
    for (row, column), value in np.ndenumerate(image):
        if np.isnan(value):  # between two panels
            continue
        dark = abs(value) > 0.55 * largest
        color, middle = PAPER if dark else INK, {"ha": "center", "va": "center"}
        axis.text(column, row, f"{value:z.2f}", fontsize=8, color=color, **middle)
