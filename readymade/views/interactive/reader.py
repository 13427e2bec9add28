"""A model that writes the word for a pictured number, and which patches it reads."""

from collections.abc import Sequence

from readymade.views.figures import COLORS, as_png, figure_style, sequential
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_at_least

import numpy as np
from numpy.typing import ArrayLike

_STEPS = 16  # of gray, which is all that the digits have


def picture_reader(
    names: Sequence[str],
    pictures: Sequence[Sequence[ArrayLike]],
    written: Sequence[Sequence[Sequence[str]]],
    weights: Sequence[Sequence[ArrayLike]],
    size: int,
) -> InteractiveFigure:
    """Return pictures of numbers with the words that a model writes for them.

    The reader points at a word, and sees which patches it attends to, or hides a digit,
    and sees what the model writes then.

    Args:
        names: the digits of each number, such as "434".
        pictures: for each number the whole picture, then one for each digit in which
            this digit is hidden; (height, width), from 0 (paper) to 1 (ink), with the
            digits at the right edge, each as wide as high.
        written: the tokens that the model writes for each of these pictures.
        weights: what each token attends to, (tokens, 1 + patches), [CLS] first.
        size: length of a patch's side, in pixels.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.
    """
    require_at_least("size", size, 1)
    rows = zip(names, pictures, written, weights, strict=True)
    cases = [_case(*row, size) for row in rows]
    first = cases[0]["versions"][0]
    seen = ", ".join(
        f"{token} {100 * max(shares[1:]) // 1:.0f} %"
        for token, shares in zip(first["tokens"], weights[0][0], strict=True)
    )
    return InteractiveFigure(
        "reader",
        "Which patches of a pictured number each word reads",
        {"size": size, "steps": _STEPS, "cases": cases},
        (300, 400),
        _still(pictures[0][0], first["tokens"], weights[0][0], size),
        f"The picture of {names[0]}, for which the model writes "
        f"{' '.join(first['tokens'])}. The largest weight of a patch: {seen}.",
        parts=("controls.js",),
    )


def _case(name, pictures, written, weights, size):
    """Return what the script draws for one number."""
    versions = []
    for picture, tokens, shares in zip(pictures, written, weights, strict=True):
        picture, shares = np.asarray(picture), np.asarray(shares)
        patches = picture.size // size**2
        if len(pictures) != 1 + len(name) or shares.shape != (len(tokens), 1 + patches):
            raise ValueError(
                f"pictures and weights of {name} have {len(pictures)} entries and the "
                f"shape {shares.shape}: wanted {1 + len(name)} and "
                f"{(len(tokens), 1 + patches)}"
            )
        versions.append(
            {
                "pixels": np.rint(picture * _STEPS).astype(int).tolist(),
                "tokens": list(tokens),
                "weights": np.rint(shares * 100).astype(int).tolist(),
            }
        )
    return {"name": name, "versions": versions}


def _still(picture, tokens, weights, size):
    """Draw the picture once for each token, with the patches that it attends to."""
    import matplotlib.pyplot as plt

    height, width = np.asarray(picture).shape
    grid = (height // size, width // size)
    with figure_style():
        figure, panels = plt.subplots(
            len(tokens), figsize=(4, 0.9 * len(tokens)), squeeze=False
        )
        for axes, token, shares in zip(panels[:, 0], tokens, weights, strict=True):
            axes.imshow(picture, cmap=sequential(), vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            axes.set_ylabel(token, rotation=0, ha="right", va="center", fontsize=8)
            for (line, column), share in np.ndenumerate(
                np.asarray(shares)[1:].reshape(grid)
            ):
                corner = size * column - 0.5, size * line - 0.5
                axes.add_patch(
                    plt.Rectangle(
                        corner, size, size, color=COLORS["vermilion"], alpha=0.7 * share
                    )
                )
        return as_png(figure)
