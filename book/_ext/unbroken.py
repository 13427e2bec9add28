"""What no line may part: a number and its `%`, code and its comma, `a-b` in a heading.

Headings, and the names of the pages before and after, are balanced over their lines, so
that without this one would read "4 Multi-" and, below it, "head attention".
"""

import re

import order
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = re.compile(r"(?<=\d) (?=%)")
HYPHENATED = re.compile(r"(\w+(?:-\w+)+)")
BEFORE, AFTER = re.compile(r"[^\s\w]+$"), re.compile(r"^[^\s\w]+")
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
        for code in list(self.document.findall(nodes.literal)):
            join_to_its_marks(code)


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


def join_to_its_marks(code):
    """Keep a word of code on one line with the comma after it, the bracket before it.

    It is a block of its own in its line (`book.css`), and a line may end beside that.
    """
    line, place = code.parent, code.parent.index(code)
    together = nodes.inline("", "", classes=["together"])
    for mark, other in (BEFORE, place - 1), (AFTER, place + 1):
        text = line[other] if 0 <= other < len(line) else None
        found = isinstance(text, nodes.Text) and mark.search(text)
        if found and " " not in code.astext():
            line[other] = nodes.Text(mark.sub("", text))
            together += nodes.Text(found[0])
        if mark is BEFORE:
            together += code.deepcopy()
    if len(together) > 1:
        line[place] = together


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
