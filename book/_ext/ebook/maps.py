"""The map of the model, whose boxes are links, and its small copies at the chapters."""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from model_map import ABOUT, ALL, PAGES, ModelMap, drawing, small

LINK = re.compile(r"<a .*?</a>", re.DOTALL)


class DrawnMap(ModelMap):
    def shown(self, svg):
        # Over the whole drawing, because some engines don't draw what a link contains.
        links = "".join(LINK.findall(svg))
        drawn = drawing().svg.replace('role="img"', 'role="group"', 1)
        return drawn.replace("</svg>", f"{links}</svg>")


def place(app, doctree, page):
    """Put a chapter's small copy of the map below its title."""
    if page not in PAGES:
        return
    name, builder = PAGES[page], app.builder
    file = f"{builder.imagedir}/map-{name}.svg"
    target = Path(builder.outdir, file)
    target.parent.mkdir(exist_ok=True)
    target.write_text(small(name), encoding="utf-8")
    words, _ = ABOUT.get(name, ALL)
    map_page = builder.get_relative_uri(page, "book/index")
    up = "../" * page.count("/")
    mark = (
        f'<p class="you-are-here"><a href="{map_page}#the-map"><img src="{up}{file}" '
        f'alt="You are here in the Transformer: {escape(words)}"/></a></p>'
    )
    title = next(doctree.findall(nodes.title))
    after = title.parent.index(title) + 1
    title.parent.insert(after, nodes.raw("", mark, format="html"))


def setup(app):
    app.add_directive("model-map", DrawnMap)
    app.connect("doctree-resolved", place)
