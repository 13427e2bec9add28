"""What only a browser can do becomes a link to the published page, or a drawing.

The page *Live models* says where it is, so that links to it lead somewhere.
"""

import order
from docutils import nodes
from model_map import PAGES, linked
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

LIVE = "book/live"
LIVE_MODELS = """\
# Live models

Five models of this book run [in your browser]({address}): the writer, the translator,
the assistant, a reader of digits and the encoder.
"""


class FrontPicture(SphinxDirective):
    """Nothing: the picture and its caption, the next paragraph, are left out."""

    has_content = True

    def run(self):
        return [nodes.container(classes=["left-out"])]


class LiveModel(SphinxDirective):
    has_content = True
    required_arguments = 1
    option_spec = {"auto": lambda argument: True}

    def run(self):
        link = nodes.reference("", "Open it in a browser", refuri=page(self.env))
        return [nodes.paragraph("", "", link, nodes.Text("."))]


class StartHere(SphinxDirective):
    """A row of links to chapters, of which an e-reader has a list anyway."""

    has_content = True
    required_arguments = 1

    def run(self):
        return []


class ModelMap(SphinxDirective):
    def run(self):
        relative = self.env.app.builder.get_relative_uri
        addresses = {
            name: relative(self.env.docname, page) for page, name in PAGES.items()
        }
        folder = f"{repository(self.config)}/scratch/torch"
        svg = linked(addresses, lambda file: f"{folder}/{file}.py")
        return [nodes.raw("", f'<div class="model-map">{svg}</div>', format="html")]


def repository(config):
    options = config.html_theme_options
    return f"{options['repository_url']}/blob/{options['repository_branch']}"


def page(env, name=None):
    """Return the address of a published page; None: of the page being read."""
    return f"{env.config.html_baseurl}{name or env.docname}.html"


class LeftOut(SphinxTransform):
    """Leave out what a browser draws, with its caption, the paragraph below it."""

    default_priority = order.CELLS

    def apply(self):
        for node in list(self.document.findall(nodes.container)):
            if "left-out" in node["classes"]:
                place = node.parent.index(node)
                del node.parent[place : place + 2]


def lead_to_the_live_models(app, name, source):
    """Replace the page of the live models by where it is; links to it stay valid."""
    if name == LIVE:
        source[0] = LIVE_MODELS.format(address=page(app.env, name))


def setup(app):
    app.add_directive("front-picture", FrontPicture)
    app.add_directive("live-model", LiveModel)
    app.add_directive("div", StartHere)
    app.add_directive("model-map", ModelMap)
    app.add_transform(LeftOut)
    app.connect("source-read", lead_to_the_live_models)
