"""The directive `live-model`: a model that runs in the reader's browser.

In a chapter, a link to the page "Live models" has its model below it. The files that a
page loads are made by `live_files`.
"""

import html
from pathlib import Path
from typing import ClassVar

import order
from docutils import nodes
from docutils.parsers.rst import directives
from live_files import PAGE, make_files, names
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

TEMPLATES = Path(__file__).parents[1] / "_templates" / "live"
# By a chapter's name: its model, and the text that the model starts from.
OF_CHAPTERS = {
    "writing": ("writer", "Captain Wentworth"),
    "transformer": ("translator", "4321"),
    "post_training": (
        "assistant",
        "start with two , add three , double . what do you get ?",
    ),
}


class LiveModel(SphinxDirective):
    """A model that the reader can use: `writer`, `translator`, `assistant` or `digits`.

    The content is what is typed already.

    With the option `auto` it begins when it is seen, and its settings are folded.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"auto": directives.flag}

    def run(self):
        name, auto = self.arguments[0], "auto" in self.options
        markup = widget(name, " ".join(self.content), auto)
        return [nodes.raw("", markup, format="html")]


def widget(name, prompt, auto=False):
    """Return the HTML of a live model."""
    text = (TEMPLATES / f"{name}.html").read_text(encoding="utf-8")
    parts = {"prompt": html.escape(prompt), "auto": "", "open": " open"}
    if auto:
        parts |= {"auto": " data-auto", "open": ""}
    return text.format(**parts)


class LiveLinks(SphinxPostTransform):
    """In a chapter, a paragraph that is a link to the live models has its own below it.

    In Jupyter and Colab it is a link.
    """

    default_priority = order.LIVE
    formats = ("html",)

    def run(self, **kwargs):
        chapter = self.env.docname.partition("_")[2]
        if chapter not in OF_CHAPTERS:
            return
        for paragraph in [*self.document.findall(nodes.paragraph)]:
            link = paragraph.next_node(nodes.reference)
            alone = link is not None and link.astext() == paragraph.astext()
            if alone and "live.html" in link.get("refuri", ""):
                model = nodes.raw("", widget(*OF_CHAPTERS[chapter]), format="html")
                paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, model)


def load_on_the_page(app, pagename, templatename, context, doctree):
    if 'class="live ' in context.get("body", ""):
        app.add_css_file("live/live.css")
        if pagename == PAGE:
            app.add_css_file("live/sentence.css")
        data = {f"data-{kind}": name for kind, name in names().items()}
        app.add_js_file("live/start.js", defer="defer", id="live-start", **data)


def setup(app):
    app.add_directive("live-model", LiveModel)
    app.add_post_transform(LiveLinks)
    app.connect("html-page-context", load_on_the_page)
    app.connect("build-finished", make_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
