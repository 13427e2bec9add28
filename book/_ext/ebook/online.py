"""What only a browser can do becomes a link to the published page.

The page *Live models* says where it is, so that links to it lead somewhere.
"""

from typing import ClassVar

import order
from docutils import nodes
from docutils.parsers.rst import directives
from site_metadata import lead_to_own_pages, set_address
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

LIVE = "book/live"
LIVE_MODELS = """\
# Live models

Five models of this book run [in your browser]({address}): the writer, the translator,
the assistant, a reader of digits and the encoder.
"""
E_BOOK = """\
In this e-book, figures that move are still, hints and solutions of the exercises are at
the end of each chapter, and code that the pages fold away is left out.
All of it is [on the pages]({address}).
"""


class FrontPicture(SphinxDirective):
    """What an e-book has in place of moving pictures."""

    has_content = True

    def run(self):
        text = E_BOOK.format(address=page(self.env))
        about = self.parse_text_to_nodes(text)
        return [nodes.container("", *about, classes=["before-caption"])]


class OnlyOnline(SphinxDirective):
    """A link to this page, which has a model that runs, or slides."""

    has_content = True
    optional_arguments = 1
    option_spec: ClassVar = {"auto": directives.flag}

    def run(self):
        address = place(self.env, self.state_machine.node)
        link = nodes.reference("", "Open it in a browser", refuri=address)
        return [nodes.paragraph("", "", link, nodes.Text("."))]


class StartHere(SphinxDirective):
    """A row of links to chapters, of which an e-reader has a list anyway."""

    has_content = True
    required_arguments = 1

    def run(self):
        return []


def page(env, name=None):
    """Return the address of a published page; None: of the page being read."""
    return f"{env.config.html_baseurl}{name or env.docname}.html"


def place(env, node):
    """Return the published address of the figure or section that a node is in."""
    while not node.get("ids"):
        node = node.parent
    return f"{page(env)}#{node['ids'][0]}"


class Captions(SphinxTransform):
    """Leave out the caption of a picture that is not there."""

    default_priority = order.CELLS

    def apply(self):
        for node in self.document.findall(nodes.container):
            if "before-caption" in node["classes"]:
                del node.parent[node.parent.index(node) + 1]


def lead_to_the_live_models(app, name, source):
    """Replace the page of the live models by where it is; links to it stay valid."""
    if name == LIVE:
        source[0] = LIVE_MODELS.format(address=page(app.env, name))


def setup(app):
    app.add_directive("front-picture", FrontPicture)
    app.add_directive("live-model", OnlyOnline)
    app.add_directive("in-class", OnlyOnline)
    app.add_directive("div", StartHere)
    app.add_transform(Captions)
    app.connect("config-inited", set_address)
    app.connect("doctree-resolved", lead_to_own_pages)
    app.connect("source-read", lead_to_the_live_models)
