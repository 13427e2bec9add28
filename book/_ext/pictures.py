"""The pictures that cells draw: said in words, and loaded when the reader comes near.

A picture that a cell draws has no place of its own for alternative text, so the
author writes it into the cell's metadata: `{"alt": "Attention weights, 5 × 5: …"}`. A
cell with several pictures takes a list, one text each. A picture without one is a
warning, and a warning stops the build.
"""

from pathlib import Path

import imagesize
import order
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.images import get_image_size

LOGGER = logging.getLogger(__name__)


class Pictures(SphinxPostTransform):
    default_priority = order.OUTPUTS

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                images = list(cell.findall(nodes.image))
                describe(images, cell)
                for image in images:
                    load_late(image, Path(self.app.srcdir, image["uri"]))


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


def load_late(image, file):
    """Let the browser fetch the picture late, but leave it its place from the start."""
    image["loading"] = "lazy"
    if size := get_image_size(file):
        width, height = (round(side * scale(file)) for side in size)
        # Both become CSS: the picture shrinks with its column and keeps its shape.
        image["width"] = f"{width}px"
        # Below six tenths of its size, letters are too small, and it scrolls instead.
        image["height"] = (
            f"auto; aspect-ratio: {width} / {height}; min-width: {round(0.6 * width)}px"
        )


def scale(file):
    """How large a picture is shown, as a share of its dots: half for sharp screens.

    A figure is drawn for 120 dots an inch and stored with more (`readymade.views`).
    """
    dots, _ = imagesize.getDPI(file)
    return 120 / dots if dots > 120 else 1


def setup(app):
    app.add_post_transform(Pictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
