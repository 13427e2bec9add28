"""The pictures that cells draw: said in words, drawn for day and night, loaded late.

A picture that a cell draws has no place of its own for alternative text, so the
author writes it into the cell's metadata: `{"alt": "Attention weights, 5 × 5: …"}`. A
cell with several pictures takes a list, one text each. A picture without one is a
warning, and a warning stops the build.

On the page each picture is there twice, in the colours of a light and of a dark page
(`night.py`). Only one is displayed, and what is not displayed a browser does not load.
A figure whose panels stand side by side is shown panel by panel, each a section of the
same file: in a narrow window they stand one below the other. Where a picture would
become so small that its letters cannot be read, it scrolls instead, and a shadow at its
edge says so.
"""

import io
from html import escape
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import imagesize
import night
import numpy as np
import order
from docutils import nodes
from PIL import Image
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.images import get_image_size

LOGGER = logging.getLogger(__name__)

TEXT = 736  # pixels, the measure of the text
# By so much a picture may shrink: the smallest letters, of 8 points in figures and of
# 11.5 pixels in drawings, are then 9 pixels high.
LEAST = {".png": 2 / 3, ".svg": 0.8}


class still(nodes.General, nodes.Inline, nodes.Element):
    """A picture by day and by night: two images."""


class Pictures(SphinxPostTransform):
    default_priority = order.OUTPUTS
    formats = ("html",)

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                images = list(cell.findall(nodes.image))
                describe(images, cell)
                for image in images:
                    image.replace_self(self.by_day_and_night(image.deepcopy()))

    def by_day_and_night(self, image):
        file = Path(self.app.srcdir, image["uri"])
        dark, other = at_night(file), image.deepcopy()
        name = Path(image["uri"]).with_name(dark.name).as_posix()
        other["uri"], other["candidates"] = name, {"*": name}
        self.env.images.add_file(self.env.docname, name)
        return still("", image, other, file=str(file))


def describe(images, cell):
    alt = cell["cell_metadata"].get("alt", [])
    texts = [alt] * len(images) if isinstance(alt, str) else alt
    if len(texts) != len(images):
        LOGGER.warning(
            "cell %s draws %s picture(s) and has %s alternative text(s): "
            "write them as `alt` into the cell's metadata",
            cell["cell_index"] + 1,
            len(images),
            len(texts),
            location=cell,
        )
    for image, text in zip(images, texts, strict=False):
        image["alt"] = text


def at_night(file):
    """Write a picture's other colours beside it; return where."""
    dark = file.with_stem(f"{file.stem}-night")
    if file.suffix == ".svg":
        dark.write_text(night.svg(file.read_text("utf-8")), "utf-8")
    else:
        dark.write_bytes(night.png(file.read_bytes()))
    return dark


def shown(file, alt, day, dark):
    """The HTML of a picture whose files have these addresses."""
    dots, _ = imagesize.getDPI(file)
    # A figure is drawn for 120 dots an inch, and stored with more for sharp screens.
    scale = 120 / dots if dots > 120 else 1
    width, height = (round(side * scale) for side in get_image_size(file))
    edges = [0, *(round(cut * scale) for cut in cuts(file)), width]
    least = min(LEAST[file.suffix] * width, TEXT)
    kind = "still panels" if len(edges) > 2 else "still"
    html = ""
    for address, theme in (day, "only-light"), (dark, "only-dark"):
        html += (
            f'<a class="{kind} {theme}" href="{escape(address)}" '
            f'style="--wide:{width};--high:{height};--least:{least:.0f}">'
        )
        for number, (left, right) in enumerate(pairwise(edges)):
            part = f'style="--wide:{right - left}'
            if len(edges) > 2:
                part += f";--place:{100 * left / (width - right + left):.2f}%"
            words = f"part {number + 1} of {len(edges) - 1}" if number else alt
            html += (
                f'<img alt="{escape(words)}" src="{escape(address)}" loading="lazy" '
                f'{part}">'
            )
        html += "</a>"
    return html


# Panels: axes in one row, each with labels of its own at its left.


def cuts(file):
    """Where a figure may be cut between panels, in dots from its left edge."""
    if file.suffix != ".png":
        return []
    image = Image.open(io.BytesIO(file.read_bytes()))
    if image.mode != "P":
        return []
    palette = np.array(image.getpalette()).reshape(-1, 3)
    image = np.asarray(image)
    dark = near(palette, "#22252b")[image]
    empty = near(palette, "#fbfaf7")[image]
    axes = axes_of(dark)
    bottoms = [bottom for *_, bottom in axes]
    if len(axes) < 2 or max(bottoms) - min(bottoms) > 6:
        return []
    found = []
    for (_, right, _), (left, _, bottom) in pairwise(axes):
        # Labels are at least three in a column; between panels that share theirs, there
        # is nothing, or a sign.
        letters = ~empty[:bottom, max(left - 60, right + 8) : left - 14]
        if (np.diff(letters.astype(int), axis=0) == 1).sum(axis=0).max(initial=0) > 2:
            between = empty[:, right + 8 : left - 12].all(axis=0)
            found.append(right + 8 + middle_of_first(between, 10))
    return found


def near(palette, colour):
    """Which colours of a palette are almost this one."""
    return np.abs(palette - 255 * night.rgb([colour])).max(axis=1) < 30


def axes_of(dark):
    """[left, right, bottom] of each pair of axes that meet, from left to right."""
    run = np.zeros(dark.shape[1], int)
    longest, bottom = run.copy(), run.copy()
    for y, row in enumerate(dark):
        run = (run + 1) * row
        better = run > longest
        longest[better], bottom[better] = run[better], y
    found = []
    for left in np.flatnonzero(longest > 0.3 * len(dark)):
        below = dark[bottom[left] - 1, left:]
        right = left + (len(below) if below.all() else int(np.argmin(below)))
        if right - left > 120 and not (found and left < found[-1][1]):
            found.append((left, right, bottom[left]))
    return found


def middle_of_first(empty, width):
    """The middle of the first run of True that is so long."""
    edges = np.flatnonzero(np.diff([False, *empty, False]))
    runs = zip(edges[::2], edges[1::2], strict=True)
    return next(int(start + end) // 2 for start, end in runs if end - start >= width)


def visit(self, node):
    images = list(node.findall(nodes.image))
    files = [quote(self.builder.images[image["uri"]]) for image in images]
    addresses = [f"{self.builder.imgpath}/{file}" for file in files]
    self.body.append(shown(Path(node["file"]), images[0].get("alt", ""), *addresses))
    raise nodes.SkipNode


def setup(app):
    app.add_post_transform(Pictures)
    app.add_node(still, html=(visit, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
