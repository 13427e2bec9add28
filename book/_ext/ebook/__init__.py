"""The book as an EPUB, built by Sphinx' own builder from the same pages: `make epub`.

`tools/epub.py` loads this in place of the extensions that only make sense on a screen.
What they do with the parts of a page that move, e-readers get as text or as a still:
`answers` gathers hints and solutions at a chapter's end, `cells` puts both frameworks
one after the other and leaves out folded code, `questions` tells the answers to the
questions between sections, `formulas` gives each formula a picture for readers without
MathML, `stills` shows an interactive view's picture, `maps` draws the model, `online`
turns what only a browser can do into a link, and `package` completes what Sphinx
writes.
"""

from page_weight import LeanFormatter
from sphinx.highlighting import PygmentsBridge

from . import answers, cells, formulas, maps, online, package, questions, stills

PARTS = (answers, cells, formulas, maps, online, package, questions, stills)


def setup(app):
    PygmentsBridge.html_formatter = LeanFormatter
    for part in PARTS:
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
