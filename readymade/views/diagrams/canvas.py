"""Boxes, arrows and labels as SVG: the y axis points down, drawings grow upwards."""

import html
from dataclasses import dataclass

from readymade.views.figures import FAINT, INK, PAPER

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
MUTED = "#5a5f67"

# (fill, border) of a box by its purpose, in the hues of the paper's figure 1.
_COLORS = {
    "attention": ("#fbe3cb", "#c7752b"),
    "feed_forward": ("#d5eaf7", "#2c7fb0"),
    "norm": ("#f6f0c8", "#a8962c"),
    "embedding": ("#f8dce8", "#b8628a"),
    "linear": ("#e2def3", "#7466b3"),
    "output": ("#d8efdf", "#34855b"),
}
_MARGIN = 22


@dataclass(frozen=True)
class Shape:
    """A part of a drawing.

    Attributes:
        svg: the whole part.
        words: of a line of text, or the title of a box.
        place: (x, y) of a text, (left, top, width, height) of a box.
        border: the colour of a box's border.
        frame: a box without its words.
    """

    svg: str
    words: str = ""
    place: tuple[float, ...] = ()
    border: str = ""
    frame: str = ""


class Canvas:
    """A drawing that grows with what is drawn on it.

    Attributes:
        shapes: what stands in front of the containers, in the order of drawing.
    """

    def __init__(self):
        self._behind = []
        self.shapes = []
        self._left = self._top = self._right = self._bottom = 0.0

    def _reach(self, left, top, right, bottom):
        self._left, self._top = min(self._left, left), min(self._top, top)
        self._right, self._bottom = max(self._right, right), max(self._bottom, bottom)

    def _add(self, svg):
        self.shapes.append(Shape(svg))

    def text(self, x, y, words, size=13, weight=400, color=INK, anchor="middle"):
        """Write one line, its baseline at y."""
        width = 0.56 * size * len(words)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        self._reach(left, y - size, left + width, y + 0.3 * size)
        svg = (
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" '
            f'fill="{color}" text-anchor="{anchor}">{html.escape(words)}</text>'
        )
        self.shapes.append(Shape(svg, words, (x, y)))

    def box(self, x, y, width, height, box_kind, title, detail=None, cards=1):
        """Draw a box, or a pile of `cards`; x is its middle and y its upper edge."""
        fill, border = _COLORS[box_kind]
        left = x - width / 2
        frame = ""
        for card in reversed(range(min(cards, 4))):
            shift = 5 * card
            self._reach(
                left + shift, y - shift, left + width + shift, y + height - shift
            )
            place = left + shift, y - shift, width, height
            frame += rectangle(*place, fill, border)
        middle, before = y + height / 2, len(self.shapes)
        if detail is None:
            self.text(x, middle + 5, title, size=14, weight=600)
        else:
            self.text(x, middle - 3, title, size=14, weight=600)
            self.text(x, middle + 13, detail, size=11.5, color=MUTED)
        svg = frame + "".join(shape.svg for shape in self.shapes[before:])
        self.shapes[before:] = [Shape(svg, title, place, border, frame)]

    def plus(self, x, y, radius=10):
        """Draw a plus sign in a circle around (x, y)."""
        arm = radius - 4.5
        self._reach(x - radius, y - radius, x + radius, y + radius)
        self._add(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{PAPER}" '
            f'stroke="{INK}" stroke-width="1.4"/>'
            f'<path d="M{x - arm:g} {y:g}H{x + arm:g}M{x:g} {y - arm:g}V{y + arm:g}" '
            f'stroke="{INK}" stroke-width="1.6"/>'
        )

    def line(self, *points, head=True):
        """Draw a line through points, with rounded corners and an arrow head."""
        for x, y in points:
            self._reach(x, y, x, y)
        (x0, y0), (x1, y1) = points[-2:]
        length = abs(x1 - x0) + abs(y1 - y0)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        path = [f"M{points[0][0]:g} {points[0][1]:g}"]
        for before, corner, after in zip(points, points[1:], points[2:], strict=False):
            start, end = _towards(corner, before, 7), _towards(corner, after, 7)
            path.append(f"L{start}Q{corner[0]:g} {corner[1]:g} {end}")
        # The line stops inside its head, so that the tip stays sharp.
        stop = (x1 - 5 * dx, y1 - 5 * dy) if head else (x1, y1)
        path.append(f"L{stop[0]:g} {stop[1]:g}")
        self._add(
            f'<path d="{"".join(path)}" fill="none" stroke="{INK}" stroke-width="1.4"/>'
        )
        if head:
            base_x, base_y = x1 - 8 * dx, y1 - 8 * dy
            self._add(
                f'<path d="M{x1:g} {y1:g}L{base_x - 4 * dy:g} {base_y + 4 * dx:g}'
                f'L{base_x + 4 * dy:g} {base_y - 4 * dx:g}Z" fill="{INK}"/>'
            )

    def container(self, left, top, right, bottom):
        """Draw a container's background behind everything else."""
        self._reach(left, top, right, bottom)
        self._behind.append(
            f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" '
            f'height="{bottom - top:g}" rx="14" fill="#f1efe8" stroke="{FAINT}" '
            f'stroke-width="1.5"/>'
        )

    def svg(self, title, description):
        """Return the drawing as SVG, with margins and a background."""
        left, top = self._left - _MARGIN, self._top - _MARGIN
        width = self._right - self._left + 2 * _MARGIN
        height = self._bottom - self._top + 2 * _MARGIN
        label = html.escape(f"{title}. {description}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" '
            f'height="{height:g}" viewBox="{left:g} {top:g} {width:g} {height:g}" '
            f'role="img" aria-label="{label}" font-family="{FONT}" '
            f'style="max-width:100%;height:auto">'
            f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>"
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
            f'rx="10" fill="{PAPER}"/>'
            + "".join(self._behind)
            + "".join(shape.svg for shape in self.shapes)
            + "</svg>"
        )


def rectangle(left, top, width, height, fill, border):
    """Return a box without words as SVG."""
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="7" '
        f'fill="{fill}" stroke="{border}" stroke-width="1.3"/>'
    )


def _towards(start, end, distance):
    """Return the point `distance` away from `start`, or half-way, towards `end`."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = abs(dx) + abs(dy)
    part = min(distance / length, 0.5) if length else 0
    return f"{start[0] + part * dx:g} {start[1] + part * dy:g}"
