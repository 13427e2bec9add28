"""Byte-pair encoding on the reader's own text, merge by merge."""

from readymade.views.figures import COLORS, INK, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_text


def merge_steps(text: str) -> InteractiveFigure:
    """Return byte-pair encoding of a text that can be edited, merge by merge.

    Words are what white space separates, in lower case, and the first symbols are
    their characters, in the order of their code points.

    Args:
        text: what the figure shows at first.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError: if text is not a string.

    Source: Sennrich et al. 2016, algorithm 1.
    """
    require_text("text", text)
    words = list(dict.fromkeys(text.lower().split()))
    return InteractiveFigure(
        "merges",
        "Byte-pair encoding, merge by merge",
        {"text": text},
        (340, 480),
        _letters(words),
        "The words before the first merge, cut into letters: "
        + ", ".join(" ".join(word) for word in words),
    )


def _letters(words):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, axes = plt.subplots(figsize=(7, 0.6))
        axes.axis("off")
        place = 0
        for word in words:
            for letter in word:
                box = {"facecolor": COLORS["sky"], "edgecolor": "none", "alpha": 0.4}
                style = {"color": INK, "ha": "center", "family": "monospace"}
                axes.text(place, 0, letter, bbox=box, **style)
                place += 1
            place += 1
        axes.set(xlim=(-1, max(place, 30)), ylim=(-1, 1))
        return as_png(figure)
