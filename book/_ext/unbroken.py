"""What no line may part: a number and its `%`, code and the comma after it, and a word
with a hyphen in a heading.

Headings, and the names of the pages before and after, are balanced over their lines, so
that without this one would read "4 Multi-" and, below it, "head attention".
"""

import re

import order
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = re.compile(r"(?<=\d) (?=%)")
HYPHENATED = re.compile(r"(\w+(?:-\w+)+)")
TOGETHER = r'<span class="together">\1</span>'
# In these, letters stand for themselves.
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


def keep_together(document):
    """Join numbers to their signs, and the parts of words in headings."""
    for text in list(document.findall(nodes.Text)):
        if isinstance(text.parent, EXACT):
            continue
        words = NUMBER.sub("\N{NO-BREAK SPACE}", text.astext())
        # Code is a block in its line, beside which a line may end even at a comma.
        if isinstance(text.next_node(descend=False, siblings=True), nodes.literal):
            words = re.sub(r"(?<=\S)$", "\N{WORD JOINER}", words)
        if isinstance(previous(text), nodes.literal):
            words = re.sub(r"^(?=\S)", "\N{WORD JOINER}", words)
        if isinstance(text.parent, nodes.title):
            parts = HYPHENATED.split(words)
            text.parent.replace(text, [*map(piece, parts, range(len(parts)))])
        elif words != text.astext():
            text.parent.replace(text, nodes.Text(words))


def previous(node):
    """Return what stands before a node in its parent, or None."""
    place = node.parent.index(node)
    return node.parent[place - 1] if place else None


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
