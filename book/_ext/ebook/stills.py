"""Pictures with their descriptions, and a still in place of each interactive view.

A notebook stores the picture of a view's first state with it (`readymade.views.frame`).
"""

import io
from html import escape
from itertools import pairwise
from pathlib import Path

from readymade.views.frame import START, taken_apart

import order
import pictures
from docutils import nodes
from PIL import Image
from sphinx.transforms.post_transforms import SphinxPostTransform

from .online import page


class Stills(SphinxPostTransform):
    default_priority = order.OUTPUTS

    def run(self, **kwargs):
        for cell, outputs in pictures.cells_and_outputs(self.document, self.env):
            pictures.describe(list(cell.findall(nodes.image)), cell)
        number = 0
        for node in list(self.document.findall(nodes.raw)):
            if node.astext().startswith(START):
                number += 1
                self.show(node, number)

    def show(self, node, number):
        view, builder = taken_apart(node.astext()), self.app.builder
        name = f"{self.env.docname.replace('/', '-')}-view-{number}.png"
        folder = Path(builder.outdir, builder.imagedir)
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(view.picture)
        up = "../" * self.env.docname.count("/")
        node[:] = [
            nodes.Text(
                f'<img alt="{escape(view.alt)}" src="{up}{builder.imagedir}/{name}"/>'
                f'<p class="moves">This figure moves and answers '
                f'<a href="{page(self.env)}">on the page</a>.</p>'
            )
        ]


def setup(app):
    app.add_post_transform(Stills)
