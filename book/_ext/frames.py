"""Interactive attention views leave the page: each becomes a file of its own.

A stored view (`readymade.views`) is an `<iframe srcdoc="…">` that holds its whole page,
and loads d3 and jQuery from a network, with a still picture beside it. Here the page
and the picture are written to `_frames/` in the built site, where the local d3 and
jQuery of `offline.py` serve them, and both are loaded only when the reader comes near
("lazy" does not act on a srcdoc). A notebook opens the picture and folds it away once
the view is drawn; here it is folded from the start, because what folds late moves the
page. A view wider than the text reaches over the margin, as two columns do.
"""

import html
import re
from base64 import b64decode
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

LOGGER = logging.getLogger(__name__)

FRAME = re.compile(r'srcdoc="([^"]*)"')
PICTURE = re.compile(r'src="data:image/png;base64,([^"]*)"')
LIBRARY = re.compile(r'src="https://[^"]*/(d3|jquery)\.min\.js"')
OPEN = re.compile(r' onload="[^"]*"|(?<=<details) open')
WIDEST = re.compile(r"max-width:(\d+)px")
TEXT = 736  # pixels, the measure of the text
REQUEST = re.compile(r'(?:src|href)="(?:https?:)?//[^"]*"')


class Frames(SphinxPostTransform):
    # After myst-nb has chosen among an output's formats (4).
    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs):
        views = [
            node
            for node in self.document.findall(nodes.raw)
            if 'class="attention-view"' in node.astext()
        ]
        for number, node in enumerate(views, start=1):
            stem = f"_frames/{self.env.docname.replace('/', '-')}-{number}"
            view, page, picture = lift(node.astext(), self.link_to(stem))
            for request in REQUEST.findall(page):
                LOGGER.warning("a view asks for %s", request, location=node)
            widest = WIDEST.search(view)  # a figure that is no map is as wide as text
            if widest and int(widest[1]) > TEXT:
                cell_of(node)["classes"].append("full-width")
            target = Path(self.app.outdir, stem)
            target.parent.mkdir(exist_ok=True)
            target.with_suffix(".html").write_text(page, encoding="utf-8")
            target.with_suffix(".png").write_bytes(picture)
            node.clear()
            node += nodes.Text(view)

    def link_to(self, name):
        here = self.app.builder.get_target_uri(self.env.docname)
        return relative_uri(here, name)


def cell_of(node):
    """The code cell that a node is part of."""
    while node.get("nb_element") != "cell_code":
        node = node.parent
    return node


def lift(view, stem):
    """The view without its page and its picture, the page, and the picture.

    `stem` is where both will be, without the suffix, seen from the view's page.
    """
    page = html.unescape(FRAME.search(view)[1])
    page = LIBRARY.sub(r'src="../_static/\1.min.js"', page)
    picture = b64decode(PICTURE.search(view)[1])
    view = OPEN.sub("", view)
    view = FRAME.sub(f'src="{stem}.html" loading="lazy"', view)
    view = PICTURE.sub(f'src="{stem}.png" loading="lazy"', view)
    return view, page, picture


def setup(app):
    app.add_post_transform(Frames)
    app.add_js_file("frames.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
