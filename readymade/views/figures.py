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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import SVG
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

PAPER = "#fbfaf7"
INK = "#22252b"
FAINT = "#d9d6ce"

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
    """Return a figure as PNG of twice its size, and the size to show it in."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight", dpi=2 * figure.dpi)
    data, (width, height) = _fewer_colors(drawn, 2 * figure.dpi)
    return data, {"width": width // 2, "height": height // 2}


def _fewer_colors(drawn, dpi):
    """Return a PNG with 256 colours, less than half the bytes, and its size."""
    from PIL import Image

    small, image = BytesIO(), Image.open(drawn).convert("RGB")
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

    drawn, dpi = BytesIO(), 2 * figure.dpi
    figure.savefig(drawn, format="png", bbox_inches="tight", pad_inches=0.15, dpi=dpi)
    plt.close(figure)
    return _fewer_colors(drawn, dpi)[0]
