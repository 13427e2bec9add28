"""The pictures that cells draw: described, drawn for day and night, loaded late.

A picture that a cell draws has no place of its own for alternative text, so the
author writes it into the cell's metadata: `{"alt": "Attention weights, 5 × 5: …"}`. A
cell with several pictures takes a list, one text each. A picture without one is a
warning, and a warning stops the build.

On the page each picture is there twice, in the colours of a light and of a dark page
(`night.py`). Only one is displayed, and what is not displayed a browser does not load.
A figure whose panels stand side by side is shown panel by panel, each a section of the
same file: in a narrow window they stand one below the other. Where they may be cut, the
figure said when it was drawn, in its output's metadata. Where a picture would become so
small that its letters cannot be read, it scrolls instead, and a shadow at its edge says
so.
"""

import json
from html import escape
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import imagesize
import night
import order
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.images import get_image_size

LOGGER = logging.getLogger(__name__)

TEXT = 736  # pixels, the measure of the text
# How far a picture may shrink: its smallest letters, of 8 points in figures and of 11.5
# pixels in drawings, are then still 9 pixels high.
LEAST = {".png": 2 / 3, ".svg": 0.8}


class still(nodes.General, nodes.Inline, nodes.Element):
    """A picture by day and by night: two images."""


class Pictures(SphinxPostTransform):
    default_priority = order.OUTPUTS
    formats = ("html",)

    def run(self, **kwargs):
        for cell, outputs in cells_and_outputs(self.document, self.env):
            images = list(cell.findall(nodes.image))
            describe(images, cell)
            panels = iter(panels_of(outputs, "image/png"))
            for image in images:
                cuts = next(panels) if image["uri"].endswith(".png") else []
                image.replace_self(self.by_day_and_night(image.deepcopy(), cuts))

    def by_day_and_night(self, image, cuts):
        file = Path(self.app.srcdir, image["uri"])
        dark, other = at_night(file), image.deepcopy()
        name = Path(image["uri"]).with_name(dark.name).as_posix()
        other["uri"], other["candidates"] = name, {"*": name}
        self.env.images.add_file(self.env.docname, name)
        return still("", image, other, file=str(file), cuts=cuts)


def cells_and_outputs(document, env):
    """Yield each code cell of a page, and the outputs that its notebook stores."""
    cells = [
        cell
        for cell in document.findall(nodes.container)
        if cell.get("nb_element") == "cell_code"
    ]
    if cells:
        text = Path(env.doc2path(env.docname)).read_text("utf-8")
        stored = json.loads(text)["cells"]
        yield from ((cell, stored[cell["cell_index"]]["outputs"]) for cell in cells)


def panels_of(outputs, kind):
    """Return, for each output of a kind, where it may be cut between its panels."""
    return [
        output["metadata"].get(kind, {}).get("panels", [])
        for output in outputs
        if kind in output.get("data", {})
    ]


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
    """Write the picture in its dark colours beside it; return the file."""
    dark = file.with_stem(f"{file.stem}-night")
    if file.suffix == ".svg":
        dark.write_text(night.svg(file.read_text("utf-8")), "utf-8")
    else:
        dark.write_bytes(night.png(file.read_bytes()))
    return dark


def shown(file, alt, day, dark, cuts):
    """The HTML of a picture whose files have these addresses, panel by panel."""
    dots, _ = imagesize.getDPI(file)
    # A figure is drawn at 120 dots an inch, and stored with more for sharp screens.
    scale = 120 / dots if dots > 120 else 1
    width, height = (round(side * scale) for side in get_image_size(file))
    edges = [0, *cuts, width]
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


def visit(self, node):
    images = list(node.findall(nodes.image))
    files = [quote(self.builder.images[image["uri"]]) for image in images]
    addresses = [f"{self.builder.imgpath}/{file}" for file in files]
    alt = images[0].get("alt", "")
    self.body.append(shown(Path(node["file"]), alt, *addresses, node["cuts"]))
    raise nodes.SkipNode


def setup(app):
    app.add_post_transform(Pictures)
    app.add_node(still, html=(visit, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
