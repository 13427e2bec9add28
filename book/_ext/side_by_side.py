"""Adjacent cells tagged `pytorch` and `tensorflow` become two tabs, or two columns.

The notebook holds two ordinary cells, one after the other. Here each such pair is
wrapped into the nodes of a sphinx-design tab set whose tabs are synced under the name
"framework": one click changes every pair on the page, the choice is remembered, and
`?framework=tensorflow` at the end of an address makes it for the reader. Without
JavaScript the tabs are radio buttons, each pair by itself. `side_by_side.css` unfolds a
pair into two columns where the window is wide enough, and prints both. `order.py` says
what happens to a cell before and after.

In the columns twin functions and methods face each other, however long the ones above
them are. One framework often needs more lines than the other, and what follows would
drift apart. Where a paragraph of code (a class, a method, a comment after an empty
line) has its twin in the other column, the one that would come too early gets a gap
above it. The style sheet opens the gaps only where the columns stand side by side, and
nothing is added to what a reader copies.
"""

import re
from difflib import SequenceMatcher

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator
from sphinx_design.shared import create_component

FRAMEWORKS = {"pytorch": "PyTorch", "tensorflow": "TensorFlow"}


class SideBySide(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        for cell in list(self.document.findall(nodes.container)):
            other = cell.next_node(descend=False, siblings=True)
            if framework(cell) == "pytorch" and framework(other) == "tensorflow":
                place = cell.parent.index(cell)
                parent = cell.parent
                parent.remove(cell)
                parent.remove(other)
                face(cell, other)
                parent.insert(place, tab_set(cell, other))


def framework(node):
    """The framework that a code cell is tagged with, or None."""
    if not isinstance(node, nodes.container):
        return None
    for name in FRAMEWORKS:
        if f"tag_{name}" in node["classes"]:
            return name
    return None


def tab_set(*cells):
    """The cells as the tabs of one set, as sphinx-design itself would build it."""
    items = [tab_item(cell, framework(cell)) for cell in cells]
    return create_component(
        "tab-set", classes=["sd-tab-set", "side-by-side", "full-width"], children=items
    )


def tab_item(cell, name):
    title = FRAMEWORKS[name]
    label = nodes.rubric(title, title, classes=["sd-tab-label", name])
    label["sync_group"] = "framework"
    label["sync_id"] = name
    content = create_component(
        "tab-content", classes=["sd-tab-content", name], children=[cell]
    )
    return create_component(
        "tab-item",
        classes=["sd-tab-item"],
        selected=name == "pytorch",
        children=[label, content],
    )


# TensorFlow's twin of a name has `tf` before it; Keras calls `forward` `call`.
PREFIX = re.compile(r"\b_?tf_?(?=\w)", re.IGNORECASE)
NAMED = re.compile(r"\s*((?:def|class) \w+|[\w, ]+ =|#.*)")
# The most lines by which gaps may lengthen a pair.
LONGER = 3


def face(*cells):
    """Note in the code of two cells the gaps with which their twins face each other."""
    blocks = [next(cell.findall(nodes.literal_block)) for cell in cells]
    both = gaps(*(block.rawsource for block in blocks))
    for block, own in zip(blocks, both, strict=True):
        block["gaps"] = own


def paragraphs(code):
    """Where each paragraph begins, which line names it, and its name in PyTorch."""
    lines = code.splitlines()
    for start, line in enumerate(lines):
        if line.strip() and (start == 0 or not lines[start - 1].strip()):
            naming = start
            while lines[naming].lstrip().startswith("@"):  # a decorator names nothing
                naming += 1
            named = NAMED.match(lines[naming])
            name = named[1] if named else lines[naming].strip()
            name = PREFIX.sub("", name).lower().replace("def call", "def forward")
            yield start, naming, name


def gaps(*codes):
    """For each of two codes, {line: how many empty lines are missing above it}.

    Twins at the end stay apart where their gaps would lengthen the pair too much.
    """
    left, right = (list(paragraphs(code)) for code in codes)
    names = ([name for *_, name in column] for column in (left, right))
    blocks = SequenceMatcher(None, *names, autojunk=False).get_matching_blocks()
    twins = [
        (left[first + more], right[second + more])
        for first, second, size in blocks
        for more in range(size)
    ]
    lengths = [len(code.splitlines()) for code in codes]
    while True:
        both = gaps_above(twins)
        longest = max(lengths[n] + sum(both[n].values()) for n in (0, 1))
        if longest <= max(lengths) + LONGER:
            return both
        twins.pop()


def gaps_above(twins):
    """The gaps with which the two paragraphs of each pair face each other."""
    both = {}, {}
    for twin in twins:
        lines = [twin[n][1] + sum(both[n].values()) for n in (0, 1)]
        early = int(lines[1] < lines[0])
        if lines[0] != lines[1]:
            both[early][twin[early][0]] = abs(lines[1] - lines[0])
    return both


def opened(html, missing):
    """Coloured code with a gap above each line in `missing`."""
    lines = html.split("\n")
    for line, count in missing.items():
        gap = f'<span class="gap" style="--lines: {count}"></span>'
        start = lines[line].index("<pre>") + len("<pre>") if line == 0 else 0
        lines[line] = lines[line][:start] + gap + lines[line][start:]
    return "\n".join(lines)


def visit(self, node):
    try:
        HTML5Translator.visit_literal_block(self, node)
    except nodes.SkipNode:
        self.body[-1] = opened(self.body[-1], node.get("gaps", {}))
        raise


def depart(self, node):
    HTML5Translator.depart_literal_block(self, node)


def setup(app):
    app.add_transform(SideBySide)
    app.add_css_file("side_by_side.css")
    app.add_node(nodes.literal_block, override=True, html=(visit, depart))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
