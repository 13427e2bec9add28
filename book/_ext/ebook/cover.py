"""The cover: the book's name below its logo, two rows of tokens that attend."""

from readymade.views.figures import COLORS

GROUND = "#16324f"
LEFT, RIGHT = 14, 50  # where the rows of `_assets/logo.svg` stand, 64 wide and high
ROWS = (18, 32, 46)
CURVES = {"sky": ((18, 46), (32, 18)), "orange": ((46, 32), (18, 18))}


def draw(file):
    """Write the cover as a PNG of 1200 × 1600 pixels."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    figure = plt.figure(figsize=(6, 8), dpi=200, facecolor=GROUND)
    axes = figure.add_axes((0.1, 0.3, 0.8, 0.6), xlim=(8, 56), ylim=(56, 8))
    axes.set_axis_off()
    bend = [Path.MOVETO, *[Path.CURVE4] * 3]
    for color, pairs in CURVES.items():
        for start, end in pairs:
            points = (LEFT, start), (32, start), (32, end), (RIGHT, end)
            path = Path(points, bend)
            axes.add_patch(PathPatch(path, fill=False, ec=COLORS[color], lw=14))
    for place, color in ((LEFT, "sky"), (RIGHT, "orange")):
        axes.scatter([place] * 3, ROWS, s=2400, color=COLORS[color], zorder=3)
    write = {"color": "white", "ha": "center", "family": "DejaVu Sans"}
    figure.text(0.5, 0.2, "The Transformer, Twice", size=27, weight="bold", **write)
    figure.text(0.5, 0.14, "in PyTorch and in TensorFlow", size=17, **write)
    figure.savefig(file, facecolor=GROUND)
    plt.close(figure)
