"""Interactive attention views leave the page: each becomes a file of its own.

A stored bertviz view is an `<iframe srcdoc="…">` that holds its whole page, and loads
d3 and jQuery from a network. Here the page of each view is written to `_frames/` in
the built site, beside the local d3 and jQuery that `offline.py` puts there, and the
iframe loads it only when the reader comes near ("lazy" does not act on a srcdoc).
"""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

LOGGER = logging.getLogger(__name__)

SRCDOC = re.compile(r'srcdoc="([^"]*)"')
SCRIPT = re.compile(
    r'<script[^>]*\bsrc="https?://[^"]*/(d3|jquery)[^"]*"[^>]*></script>'
)


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
            name = f"_frames/{self.env.docname.replace('/', '-')}-{number}.html"
            lifted, page = lift(node.astext(), self.link_to(name))
            if "https://" in page or "http://" in page.replace("http://www.w3.org", ""):
                LOGGER.warning("an attention view loads from a network", location=node)
            target = Path(self.app.outdir, name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(page, encoding="utf-8")
            node.clear()
            node += nodes.Text(lifted)

    def link_to(self, name):
        here = self.app.builder.get_target_uri(self.env.docname)
        return relative_uri(here, name)


def lift(view, address):
    """The view with its iframe pointing at `address`, and the page to put there."""
    page = html.unescape(SRCDOC.search(view)[1])
    page = SCRIPT.sub(r'<script src="../_static/\1.min.js"></script>', page)
    return SRCDOC.sub(f'src="{address}" loading="lazy"', view), page


def setup(app):
    app.add_post_transform(Frames)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
