"""Attention weights, masks and other matrices as matplotlib pictures."""

from scratch.views.arrays import as_array, as_layers, as_tokens, choose
from scratch.views.figures import (
    COLORS,
    INK,
    PAPER,
    diverging,
    figure_style,
    sequential,
)

import numpy as np

_LARGEST_WITH_NUMBERS = 10  # rows or columns; beyond, numbers are too small to read
_WIDTH = 7.0  # inches, of all panels together
_SMALLEST_LABELLED = 0.09  # inches a cell; below, labels would run into each other


def heatmap(
    weights,
    tokens=None,
    key_tokens=None,
    *,
    layers=None,
    heads=None,
    layer_numbers=None,
    head_numbers=None,
    values=None,
    largest=None,
    title=None,
):
    """Draw matrices as heat maps: one head, or a grid of layers by heads.

    Values from 0 up are drawn from paper to blue; where one is negative, vermilion
    means below 0 and blue above. All panels share one scale.

    Args:
        weights: of either framework or NumPy: (queries, keys), (heads, queries, keys),
            (1, heads, queries, keys), or a list of these, one a layer.
        tokens: labels of the rows (and of the columns, without `key_tokens`).
        key_tokens: labels of the columns.
        layers, heads: an index or indices to show; None: all.
        layer_numbers, head_numbers: what to call the layers and heads given, where they
            are a part of a model; None: 0, 1, 2, …
        values: whether to print the numbers; None: in one small matrix only.
        largest: the value of the darkest colour; None: the largest shown.
        title: above the figure.

    Returns:
        The matplotlib figure.
    """
    stack = as_layers(weights)
    layers = choose(layers, len(stack), "layers")
    heads = choose(heads, len(stack[0]), "heads")
    panels = [[stack[layer][head] for head in heads] for layer in layers]
    rows, columns = panels[0][0].shape
    if tokens is not None:
        if key_tokens is None and rows == columns:
            key_tokens = tokens
        tokens = as_tokens(tokens, rows)
    if key_tokens is not None:
        key_tokens = as_tokens(key_tokens, columns, "key_tokens", "keys")
    single = len(layers) == len(heads) == 1
    if values is None:
        values = single and max(rows, columns) <= _LARGEST_WITH_NUMBERS
    layer_numbers = layer_numbers or (range(len(stack)) if len(stack) > 1 else None)
    head_numbers = head_numbers or (range(len(stack[0])) if len(stack[0]) > 1 else None)
    layers = layer_numbers and [layer_numbers[layer] for layer in layers]
    heads = head_numbers and [head_numbers[head] for head in heads]
    return _draw_grid(panels, layers, heads, tokens, key_tokens, values, largest, title)


def mask_picture(*masks, tokens=None, key_tokens=None, titles=None):
    """Draw boolean masks side by side: filled where a query may attend to a key.

    Args:
        *masks: boolean, (queries, keys) or with axes of length 1 before these.
        tokens: labels of the rows (and of the columns, without `key_tokens`). A single
            row, which serves all queries, needs none.
        key_tokens: labels of the columns.
        titles: one a mask.

    Returns:
        The matplotlib figure.
    """
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    if not masks:
        raise ValueError("masks is empty: give at least one mask.")
    if titles is not None and len(titles) != len(masks):
        raise ValueError(f"titles has {len(titles)} entries for {len(masks)} masks.")
    matrices = [_as_mask(mask, f"masks[{i}]") for i, mask in enumerate(masks)]
    colors = ListedColormap([PAPER, COLORS["sky"]])
    with figure_style():
        shapes = [matrix.shape for matrix in matrices]
        cell = min(0.3, _WIDTH / sum(columns for _, columns in shapes))
        widths = [cell * columns + 0.5 for _, columns in shapes]
        figure, axes = plt.subplots(
            1,
            len(masks),
            figsize=(
                sum(widths) + 0.075 * _longest(tokens),
                cell * max(rows for rows, _ in shapes)
                + 0.075 * _longest(key_tokens or tokens)
                + 0.7,
            ),
            width_ratios=widths,
            squeeze=False,
        )
        for i, (axis, matrix) in enumerate(zip(axes[0], matrices, strict=True)):
            rows, columns = matrix.shape
            axis.pcolormesh(
                matrix,
                cmap=colors,
                vmin=0,
                vmax=1,
                edgecolors=INK,
                linewidth=0.6,
                clip_on=False,
            )
            axis.set(xlabel="key", ylabel="query" if i == 0 else None)
            axis.set_aspect("equal", anchor="NW")
            axis.invert_yaxis()
            # A single row is the same for every query.
            row_names = tokens if rows > 1 else ["all"]
            same = key_tokens is None and (rows == columns or rows == 1)
            names = tokens if same else key_tokens
            _label(axis.yaxis, row_names, rows, "tokens", "queries", offset=0.5)
            _label(axis.xaxis, names, columns, "key_tokens", "keys", offset=0.5)
            axis.tick_params(length=0, labelsize=9)
            axis.spines[:].set_visible(False)
            if titles is not None:
                axis.set_title(titles[i])
    return figure


def _as_mask(mask, name):
    matrix = as_array(mask, name)
    if not np.isin(matrix, (0, 1)).all():
        raise ValueError(f"{name} must be boolean: True where a query may attend.")
    while matrix.ndim > 2 and matrix.shape[0] == 1:
        matrix = matrix[0]
    if matrix.ndim != 2:
        raise ValueError(
            f"{name} has shape {matrix.shape}: wanted (queries, keys), or axes of "
            f"length 1 before these; choose one row of the batch."
        )
    return matrix


def _draw_grid(panels, layers, heads, tokens, key_tokens, values, largest, title):
    """Draw panels[layer][head]; `layers` or `heads` None: there is only one to name."""
    import matplotlib.pyplot as plt

    names = [[None if heads is None else f"head {head}" for head in heads or [0]]]
    if len(panels) == 1 and len(panels[0]) > 4:  # one layer's many heads, by four
        panels = [panels[0][i : i + 4] for i in range(0, len(panels[0]), 4)]
        names = [names[0][i : i + 4] for i in range(0, len(names[0]), 4)]
    rows, columns = panels[0][0].shape
    across, down = len(panels[0]), len(panels)
    cell = min(_WIDTH / (across * columns), 5.0 / rows, 0.45)
    size = (
        across * cell * columns + 0.075 * _longest(tokens) + 1.2,
        down * (cell * rows + 0.2) + 0.075 * _longest(key_tokens) + 0.4,
    )
    smallest = min(panel.min() for line in panels for panel in line)
    if largest is None:
        largest = max(np.abs(panel).max() for line in panels for panel in line) or 1.0
    colors, low = (diverging(), -largest) if smallest < 0 else (sequential(), 0.0)
    with figure_style():
        figure, grid = plt.subplots(
            down, across, figsize=size, sharex=True, sharey=True, squeeze=False
        )
        for axis in grid.flat:
            axis.set_visible(False)
        for i, line in enumerate(panels):
            for j, panel in enumerate(line):
                axis = grid[i, j]
                axis.set_visible(True)
                image = axis.imshow(panel, cmap=colors, vmin=low, vmax=largest)
                axis.spines[:].set(visible=True, color=INK, linewidth=0.5)
                labelsize = 9 if tokens is None else np.clip(60 * cell, 6, 10)
                axis.tick_params(length=0, labelsize=labelsize)
                if i < len(names) and names[i][j] is not None:
                    axis.set_title(names[i][j], fontsize="small")
                if j == 0 and layers is not None:
                    axis.set_ylabel(f"layer {layers[i]}", fontsize="small")
                if cell < _SMALLEST_LABELLED:
                    axis.set(xticks=[], yticks=[])
                    continue
                _label(axis.yaxis, tokens, rows, "tokens", "queries")
                _label(axis.xaxis, key_tokens, columns, "key_tokens", "keys")
                if values:
                    _print_values(axis, panel, largest)
        bar = figure.colorbar(image, ax=grid, shrink=0.7, aspect=30, pad=0.02)
        bar.outline.set_visible(False)
        if title is not None:
            figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    return figure


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
        for axis, (name, panel, colors, limits, rows, columns) in zip(
            axes, panels, strict=True
        ):
            low, high = limits
            axis.imshow(panel, cmap=colors, vmin=low, vmax=high, aspect="auto")
            axis.set_title(name)
            axis.tick_params(length=0, labelsize=8)
            _label(axis.yaxis, rows, len(panel), "tokens", "rows")
            _label(axis.xaxis, columns, panel.shape[1], "key_tokens", "columns")
        figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    return figure


def _longest(names):
    return max((len(name) for name in names or []), default=3)


def _label(axis, names, length, argument, what, offset=0.0):
    if names is None:
        step = max(1, length // 8)
        positions = range(0, length, step)
        axis.set_ticks([i + offset for i in positions], [str(i) for i in positions])
        return
    names = as_tokens(names, length, argument, what)
    turn = {"rotation": 90} if axis.axis_name == "x" else {}
    # A dollar sign would begin a formula.
    escaped = [name.replace("$", r"\$") for name in names]
    axis.set_ticks([i + offset for i in range(length)], escaped, **turn)


def _print_values(axis, panel, largest):
    for (row, column), value in np.ndenumerate(panel):
        dark = abs(value) > 0.55 * largest
        axis.text(
            column,
            row,
            f"{value:.2f}",
            ha="center",
            va="center",
            fontsize=8,
            color=PAPER if dark else INK,
        )
