"""The `alt` of a cell's metadata becomes the alternative text of that cell's images.

A picture that a cell draws has no place of its own for alternative text, so the
author writes it into the cell's metadata: `{"alt": "Attention weights, 5 × 5: …"}`. A
cell with several pictures takes a list, one text each. A picture without one is a
warning, and a warning stops the build.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


class AltText(SphinxPostTransform):
    # After myst-nb has chosen among an output's formats (4), before images are
    # collected.
    default_priority = 5

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                describe_images(cell)


def describe_images(cell):
    images = list(cell.findall(nodes.image))
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


def setup(app):
    app.add_post_transform(AltText)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
