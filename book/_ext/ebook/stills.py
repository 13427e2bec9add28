"""Pictures with their descriptions, and a still in place of each interactive view.

A notebook stores the picture of a view's first state with it (`readymade.views.frame`).
Panels that stand side by side become pictures of their own, which a narrow screen shows
one below the other.
"""

import os
from itertools import pairwise
from pathlib import Path

from readymade.views.frame import START, taken_apart

import order
import pictures
from docutils import nodes
from PIL import Image
from sphinx.transforms.post_transforms import SphinxPostTransform

from .online import place


class Stills(SphinxPostTransform):
    default_priority = order.OUTPUTS

    def run(self, **kwargs):
        for cell, outputs in pictures.cells_and_outputs(self.document, self.env):
            images = list(cell.findall(nodes.image))
            pictures.describe(images, cell)
            panels = iter(pictures.panels_of(outputs, "image/png"))
            for image in images:
                if image["uri"].endswith(".png"):
                    parts = self.parts(image["uri"], image["alt"], next(panels))
                    image.replace_self(parts)
                else:
                    image.attributes.pop("height", None)  # it follows from the width
            views = pictures.panels_of(outputs, "text/html")
            for node, cuts in zip([*cell.findall(nodes.raw)], views, strict=False):
                if node.astext().startswith(START):
                    view, address = taken_apart(node.astext()), place(self.env, node)
                    node.replace_self(self.still(view, cuts, address))

    def still(self, view, cuts, address):
        """Return a view's picture as nodes, with a link to where it moves."""
        number = self.env.new_serialno("still")
        stem = f"{self.env.docname.replace('/', '-')}-still-{number}.png"
        file = Path(self.env.doctreedir, stem)
        file.write_bytes(view.picture)
        link = nodes.reference("", "on the page", refuri=address)
        words = nodes.paragraph("", "This figure moves ", link, nodes.Text("."))
        words["classes"].append("moves")
        shown = self.parts(os.path.relpath(file, self.app.srcdir), view.alt, cuts)
        return [nodes.paragraph("", "", *shown), words]

    def parts(self, name, alt, cuts):
        """Return a picture as nodes, one for each of its panels."""
        file = Path(self.app.srcdir, name)
        with Image.open(file) as picture:
            dots = picture.info.get("dpi", (120, 120))
            scale = max(1, round(dots[0]) / 120)  # pixels for one on the page
            edges = [0, *cuts, picture.width / scale]
            shown = []
            for number, (left, right) in enumerate(pairwise(edges), start=1):
                part = file.with_stem(f"{file.stem}-panel-{number}") if cuts else file
                if cuts:
                    place = left * scale, 0, right * scale, picture.height
                    picture.crop(place).save(part, optimize=True)
                words = f"part {number} of {len(edges) - 1}" if number > 1 else alt
                shown.append(self.image(part, words, right - left))
        return shown

    def image(self, file, alt, width):
        name = os.path.relpath(file, self.app.srcdir)
        self.env.images.add_file(self.env.docname, name)
        return nodes.image(
            uri=name, candidates={"*": name}, alt=alt, width=f"{width:.0f}px"
        )


def setup(app):
    app.add_post_transform(Stills)
