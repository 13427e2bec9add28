"""One look for every matplotlib figure of the book.

A figure is a card of soft paper with dark ink on it: it brings its own background, so
it reads the same on a light page, on a dark page, in Jupyter and on paper. The colours
are those of Okabe and Ito, which the colour-blind can tell apart.

    from readymade.views import COLORS, TENSORFLOW, TORCH, figure_style

    with figure_style():
        figure, axes = plt.subplots(figsize=(7, 3))
        axes.plot(steps, torch_loss, **TORCH)  # a solid line, labelled "PyTorch"
        axes.plot(steps, tf_loss, **TENSORFLOW)  # a dashed line on top of it
        axes.axhline(0.5, color=COLORS["gray"])
        axes.legend()
        plt.show()
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import SVG
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

PAPER = "#fbfaf7"
INK = "#22252b"
FAINT = "#d9d6ce"
PADDING = 0.15  # inches around a still picture

# Okabe & Ito, "Color Universal Design" (2008), without the yellow, which is too pale
# for a line on paper, and with a gray for what stays in the background.
COLORS = {
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "gray": "#7a7f87",
}

# How a curve of either framework is drawn. The second is dashed and thinner, so that
# two equal curves, drawn in this order, are both seen.
TORCH = {
    "color": COLORS["vermilion"],
    "linestyle": "-",
    "linewidth": 3.0,
    "label": "PyTorch",
}
TENSORFLOW = {
    "color": COLORS["blue"],
    "linestyle": (0, (4, 2)),
    "linewidth": 1.8,
    "label": "TensorFlow",
}

_RC = {
    "figure.facecolor": PAPER,
    "figure.edgecolor": PAPER,
    "figure.dpi": 120,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": PAPER,
    "savefig.edgecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "lines.linewidth": 2.0,
    "svg.hashsalt": "figure",  # ids that do not change from run to run
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw the figures made inside this context in the book's style."""
    import matplotlib.pyplot as plt
    from cycler import cycler

    show_sharp_figures()
    cycle = {"axes.prop_cycle": cycler(color=list(COLORS.values()))}
    with plt.rc_context(_RC | cycle):
        yield


def show_sharp_figures() -> None:
    """Let a notebook show figures in twice as many dots, and no more bytes."""
    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if not shell:
        return
    from matplotlib.figure import Figure
    from matplotlib_inline import backend_inline  # noqa: F401  its own format first

    formatters = shell.display_formatter.formatters
    if "image/png" in formatters:
        formatters["image/png"].for_type(Figure, _sharp_png)


def _sharp_png(figure):
    """Return a figure as PNG of twice its size, and the size to show it in.

    With `panels`, if it has several: see there.
    """
    data, (width, height) = _small_png(figure)
    cuts = panels(figure)
    metadata = {"width": width // 2, "height": height // 2}
    return data, metadata | ({"panels": cuts} if cuts else {})


def panels(figure: "Figure", padding: float = 0.1) -> list[int]:
    """Return where a figure may be cut between its panels.

    Panels are axes in one row, each with labels of its own at its left. So the book's
    pages can show them one below the other in a narrow window.

    Args:
        figure: one that is saved with a tight bounding box.
        padding: inches around that.

    Returns:
        The distance of each cut from the picture's left edge, in the figure's dots.
    """
    figure.draw_without_rendering()  # which puts its axes in their places
    renderer = figure.canvas.get_renderer()
    start = figure.get_tightbbox(renderer).x0 - padding  # inches
    row = [
        one for one in figure.axes if one.axison and one.spines["left"].get_visible()
    ]
    if len({round(one.get_window_extent().y0) for one in row}) != 1:
        return []
    return [
        round((left.get_tightbbox(renderer).x1 + right.get_tightbbox(renderer).x0) / 2)
        - round(start * figure.dpi)
        for left, right in pairwise(row)
        if any(one.get_visible() and one.get_text() for one in right.get_yticklabels())
    ]


def _small_png(figure, **options):
    """Return a PNG with 256 colours, less than half the bytes, and its size."""
    from PIL import Image

    drawn, small, dpi = BytesIO(), BytesIO(), 2 * figure.dpi
    figure.savefig(drawn, format="png", bbox_inches="tight", dpi=dpi, **options)
    image = Image.open(drawn).convert("RGB")
    # The usual method spends the palette on the most frequent colours, and shows what
    # is rare, such as one end of a colour bar, in the colour of something else.
    image.quantize(method=Image.Quantize.MAXCOVERAGE).save(
        small, "png", optimize=True, dpi=(dpi, dpi)
    )
    return small.getvalue(), image.size


def as_svg(figure: "Figure") -> "SVG":
    """Return a figure as SVG that a notebook shows, equal from run to run; close it."""
    import matplotlib.pyplot as plt
    from IPython.display import SVG

    drawn = BytesIO()
    with figure_style():
        figure.savefig(
            drawn, format="svg", bbox_inches="tight", metadata={"Date": None}
        )
    plt.close(figure)
    return SVG(drawn.getvalue())


def sequential() -> "Colormap":
    """Return the colour map for values from 0 up: from paper to deep blue."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = [PAPER, "#b9d7ea", "#5aa2cf", COLORS["blue"], "#06304f"]
    return LinearSegmentedColormap.from_list("paper_to_blue", stops)


def diverging() -> "Colormap":
    """Return the colour map for signed values: vermilion below 0, blue above."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = ["#7a2e00", COLORS["vermilion"], "#f3c6a5", PAPER]
    stops += ["#b9d7ea", COLORS["blue"], "#06304f"]
    return LinearSegmentedColormap.from_list("vermilion_to_blue", stops)


def as_png(figure: "Figure") -> bytes:
    """Return a figure as small PNG bytes, equal from run to run, and close it."""
    import matplotlib.pyplot as plt

    data, _ = _small_png(figure, pad_inches=PADDING)
    plt.close(figure)
    return data
