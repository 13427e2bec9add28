"""Interactive views become files of their own.

A stored view (`readymade.views.frame`) is an `<iframe srcdoc="…">` that contains its
whole page, which loads d3 and jQuery from the network, with a still picture below. Here
the page and the picture, by day and by night, are written to `_frames/` in the built
site, beside local copies of d3 and jQuery, and are loaded only when the reader comes
near them (a srcdoc cannot be "lazy"). A notebook shows the picture and folds it away
once the view is drawn; here it is folded from the start, because folding it later would
move the page. A view wider than the text extends into the margin, as two columns do.
The directive `stored-view` shows a chapter's view on another page, too.

d3, jQuery and reveal.js, which shows slides, are copied into the built site from the
Python packages that carry them, and none is committed. `fontawesome.js`, 1.4 MB that
draws icons a second time, is emptied: the icons come from the theme's web fonts. So no
request leaves the book.
"""

import json
import re
import shutil
from importlib.metadata import files
from pathlib import Path

from readymade.views.attention.bertviz_page import with_local_libraries
from readymade.views.frame import START, taken_apart

import order
import pictures
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

LOGGER = logging.getLogger(__name__)

TEXT = 736  # pixels, the measure of the text
REQUEST = re.compile(r'(?:src|href)="(?:https?:)?//[^"]*"')


class StoredView(SphinxDirective):
    """The first view that a notebook beside the page stores: `19_serving`."""

    required_arguments = 1

    def run(self):
        page = Path(self.env.doc2path(self.env.docname))
        notebook = page.with_name(f"{self.arguments[0]}.ipynb")
        self.env.note_dependency(str(notebook))
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                text = "".join(output.get("data", {}).get("text/html", ""))
                if text.startswith(START):
                    view = nodes.raw("", text, format="html")
                    return [nodes.container("", view, classes=["stored-view"])]
        raise self.error(f"{notebook.name} has no view: wanted a stored one")


class Frames(SphinxPostTransform):
    default_priority = order.OUTPUTS
    formats = ("html",)

    def run(self, **kwargs):
        views = [
            (cell, node, cuts)
            for cell, outputs in pictures.cells_and_outputs(self.document, self.env)
            for node, cuts in zip(
                cell.findall(nodes.raw),
                pictures.panels_of(outputs, "text/html"),
                strict=False,  # an exercise's check shows no output on the page
            )
            if node.astext().startswith(START)
        ]
        views += [
            (shown, shown[0], [])
            for shown in self.document.findall(nodes.container)
            if "stored-view" in shown["classes"]
        ]
        for number, (cell, node, cuts) in enumerate(views, start=1):
            stem = f"_frames/{self.env.docname.replace('/', '-')}-{number}"
            target = Path(self.app.outdir, stem)
            target.parent.mkdir(exist_ok=True)
            view = taken_apart(node.astext())
            page = with_local_libraries(view.page, "../_static")
            for request in REQUEST.findall(page):
                LOGGER.warning("a view asks for %s", request, location=node)
            if view.widest > TEXT:
                cell["classes"].append("full-width")
            target.with_suffix(".html").write_text(page, encoding="utf-8")
            node[:] = [nodes.Text(lifted(view, self.link_to(stem), target, cuts))]

    def link_to(self, name):
        here = self.app.builder.get_target_uri(self.env.docname)
        return relative_uri(here, name)


def lifted(view, stem, target, cuts):
    """Return the HTML of a view whose page and picture are files; write the picture.

    `stem` is where both are, without the suffix, seen from the view's page, `target`
    where in the built site, and `cuts` where the picture may be cut.
    """
    file = target.with_suffix(".png")
    file.write_bytes(view.picture)
    pictures.at_night(file)
    still = pictures.shown(file, view.alt, f"{stem}.png", f"{stem}-night.png", cuts)
    return (
        f'{view.opening} src="{stem}.html" loading="lazy"></iframe>{view.closing}'
        f"<details><summary>{view.summary}</summary>{still}</details></div>"
    )


# Where a file stands in its package, and where in the site's `_static`.
FILES = {
    "mpld3": {"mpld3/js/d3.v5.min.js": "d3.min.js"},
    "sphinxcontrib-jquery": {"sphinxcontrib/jquery/jquery.js": "jquery.min.js"},
    "sphinx-revealjs": {
        f"sphinx_revealjs/_static/revealjs/dist/{name}": f"reveal/{name}"
        for name in ("reveal.js", "reveal.css")
    },
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
    app.add_directive("stored-view", StoredView)
    app.add_post_transform(Frames)
    app.add_js_file("frames.js", loading_method="defer")
    app.connect("build-finished", copy_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
