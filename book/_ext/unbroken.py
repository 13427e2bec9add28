"""What stays on one line: a number and its `%`, `a-b` in a heading, code and its comma.

Headings, and the names of the pages before and after, are balanced over their lines.
Without this, one would read "4 Multi-" and, below it, "head attention".
"""

import re

import order
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = re.compile(r"(?<=\d) (?=%)")
HYPHENATED = re.compile(r"(\w+(?:-\w+)+)")
# Punctuation that stays with the formula or code before or after it.
AFTER = re.compile(r"[.,;:!?)\]’”%]+(?:s\b)?|-\w+|’s\b|s\b")
BEFORE = re.compile(r"[(\[“‘]+$")
TOGETHER = r'<span class="together">\1</span>'
# In these, the text stays exactly as it is.
EXACT = (
    nodes.comment,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
)


class Unbroken(SphinxPostTransform):
    default_priority = order.UNBROKEN
    formats = ("html",)

    def run(self, **kwargs):
        keep_together(self.document)
        keep_marks(self.document)


def keep_together(document):
    """Join numbers to their signs, and the parts of words in headings."""
    for text in list(document.findall(nodes.Text)):
        if isinstance(text.parent, EXACT):
            continue
        words = NUMBER.sub("\N{NO-BREAK SPACE}", text.astext())
        if isinstance(text.parent, nodes.title):
            parts = HYPHENATED.split(words)
            text.parent.replace(text, [*map(piece, parts, range(len(parts)))])
        elif words != text.astext():
            text.parent.replace(text, nodes.Text(words))


def keep_marks(document):
    """Keep each word of code and the marks around it on one line.

    Code is a block within its line (`book.css`), and a line may break beside a block.
    """
    for code in list(document.findall(nodes.literal)):
        if " " not in code.astext():
            hold(code, *take_marks(code))


def take_marks(node):
    """Take the marks around a node out of the texts beside it, and return both."""
    parent, place = node.parent, node.parent.index(node)
    before, after = text_at(parent, place - 1), text_at(parent, place + 1)
    if opening := BEFORE.search(before):
        parent[place - 1] = nodes.Text(before[: opening.start()])
    if closing := AFTER.match(after):
        parent[place + 1] = nodes.Text(after[closing.end() :])
    return opening[0] if opening else "", closing[0] if closing else ""


def text_at(parent, place):
    """Return the text that is a node's child at a place, or nothing."""
    if 0 <= place < len(parent) and isinstance(parent[place], nodes.Text):
        return parent[place].astext()
    return ""


def hold(node, before, after):
    """Keep a node on one line with marks before and after it, if there are any."""
    if before or after:
        parent, place = node.parent, node.parent.index(node)
        around = nodes.Text(before), node, nodes.Text(after)
        parent[place] = nodes.inline("", "", *around, classes=["with-marks"])


def piece(words, place):
    """Return a part of a heading; every second one is a word with a hyphen."""
    if place % 2:
        return nodes.inline("", words, classes=["together"])
    return nodes.Text(words)


def keep_together_beside(app, page, template, context, doctree):
    """Join the parts of words in the names of the pages before and after."""
    for place in ("prev", "next"):
        if context.get(place):
            title = HYPHENATED.sub(TOGETHER, context[place]["title"])
            context[place] = context[place] | {"title": title}


def setup(app):
    app.add_post_transform(Unbroken)
    app.connect("html-page-context", keep_together_beside)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
