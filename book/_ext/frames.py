"""Interactive attention views leave the page: each becomes a file of its own.

A stored view (`readymade.views`) is an `<iframe srcdoc="…">` that holds its whole page,
and loads d3 and jQuery from a network, with a still picture beside it. Here the page
and the picture, by day and by night, are written to `_frames/` in the built site, where
local copies of d3 and jQuery serve them, and are loaded only when the reader comes near
("lazy" does not act on a srcdoc). A notebook opens the picture and folds it away once
the view is drawn; here it is folded from the start, because what folds late moves the
page. A view wider than the text reaches over the margin, as two columns do.

d3 and jQuery are copied into the built site from the Python packages that carry them,
and neither is committed. `fontawesome.js`, 1.4 MB that draws icons a second time, is
emptied: the icons come from the theme's web fonts. So no request leaves the book.
"""

import html
import re
import shutil
from base64 import b64decode
from importlib.metadata import files
from pathlib import Path

import order
import pictures
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

LOGGER = logging.getLogger(__name__)

FRAME = re.compile(r'srcdoc="([^"]*)"')
PICTURE = re.compile(
    r'<img alt="([^"]*)"[^>]* src="data:image/png;base64,([^"]*)"[^>]*>'
)
LIBRARY = re.compile(r'src="https://[^"]*/(d3|jquery)\.min\.js"')
OPEN = re.compile(r' onload="[^"]*"|(?<=<details) open')
WIDEST = re.compile(r"max-width:(\d+)px")
TEXT = 736  # pixels, the measure of the text
REQUEST = re.compile(r'(?:src|href)="(?:https?:)?//[^"]*"')


class Frames(SphinxPostTransform):
    default_priority = order.OUTPUTS
    formats = ("html",)

    def run(self, **kwargs):
        views = [
            node
            for node in self.document.findall(nodes.raw)
            if 'class="attention-view"' in node.astext()
        ]
        for number, node in enumerate(views, start=1):
            stem = f"_frames/{self.env.docname.replace('/', '-')}-{number}"
            target = Path(self.app.outdir, stem)
            target.parent.mkdir(exist_ok=True)
            view, page = lift(node.astext(), self.link_to(stem), target)
            for request in REQUEST.findall(page):
                LOGGER.warning("a view asks for %s", request, location=node)
            widest = WIDEST.search(view)  # a figure that is no map is as wide as text
            if widest and int(widest[1]) > TEXT:
                cell_of(node)["classes"].append("full-width")
            target.with_suffix(".html").write_text(page, encoding="utf-8")
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


def lift(view, stem, target):
    """The view without its page and its picture, and the page.

    `stem` is where both will be, without the suffix, seen from the view's page, and
    `target` in the built site. The picture is written.
    """
    page = html.unescape(FRAME.search(view)[1])
    page = LIBRARY.sub(r'src="../_static/\1.min.js"', page)
    alt, data = map(html.unescape, PICTURE.search(view).groups())
    file = target.with_suffix(".png")
    file.write_bytes(b64decode(data))
    pictures.at_night(file)
    still = pictures.shown(file, alt, f"{stem}.png", f"{stem}-night.png")
    view = OPEN.sub("", view)
    view = FRAME.sub(f'src="{stem}.html" loading="lazy"', view)
    return PICTURE.sub(lambda _: still, view), page


# Where a file stands in its package, and where in the site's `_static`.
FILES = {
    "mpld3": {"mpld3/js/d3.v5.min.js": "d3.min.js"},
    "sphinxcontrib-jquery": {"sphinxcontrib/jquery/jquery.js": "jquery.min.js"},
}


def sources():
    """Pairs of a packaged file and its place in `_static`."""
    for package, wanted in FILES.items():
        for file in files(package):
            if str(file) in wanted:
                yield file.locate(), wanted[str(file)]


def copy_files(app, error):
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for source, name in sources():
        target = static / name
        if not target.exists() or target.stat().st_size != source.stat().st_size:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    (static / "scripts" / "fontawesome.js").write_text("")


def setup(app):
    app.add_post_transform(Frames)
    app.add_js_file("frames.js", loading_method="defer")
    app.connect("build-finished", copy_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
