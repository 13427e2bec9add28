"""Twin functions and methods face each other, however long the ones above them are.

The two columns of a pair begin together, but one framework often needs more lines than
the other, and what follows drifts apart. Where a paragraph of code (a class, a method,
a comment after an empty line) has its twin in the other column, the one that would come
too early gets a gap above it. The style sheet opens the gaps only where the columns
stand side by side, and nothing is added to what a reader copies.
"""

import re
from difflib import SequenceMatcher

from docutils import nodes
from side_by_side import framework
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

# TensorFlow's twin of a name has `tf` before it; Keras calls `forward` `call`.
PREFIX = re.compile(r"\b_?tf_?(?=\w)", re.IGNORECASE)
NAMED = re.compile(r"\s*((?:def|class) \w+|[\w, ]+ =|#.*)")
# By so many lines may gaps lengthen a pair.
LONGER = 3


class FacingLines(SphinxTransform):
    # After `side_by_side` has made the pairs.
    default_priority = 151

    def apply(self):
        for pair in self.document.findall(nodes.container):
            if "side-by-side" in pair["classes"]:
                blocks = [
                    next(cell.findall(nodes.literal_block))
                    for cell in pair.findall(nodes.container)
                    if framework(cell)
                ]
                found = gaps(*(block.rawsource for block in blocks))
                for block, own in zip(blocks, found, strict=True):
                    block["gaps"] = own


def paragraphs(code):
    """Where each paragraph begins, which line names it, and its name in PyTorch."""
    lines = code.splitlines()
    for start, line in enumerate(lines):
        if line.strip() and (start == 0 or not lines[start - 1].strip()):
            naming = start
            while lines[naming].lstrip().startswith("@"):  # a decorator names nothing
                naming += 1
            found = NAMED.match(lines[naming])
            name = found[1] if found else lines[naming].strip()
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
        found = gaps_above(twins)
        longest = max(lengths[n] + sum(found[n].values()) for n in (0, 1))
        if longest <= max(lengths) + LONGER:
            return found
        twins.pop()


def gaps_above(twins):
    """The gaps with which each two of these paragraphs face each other."""
    found = {}, {}
    for twin in twins:
        seen = [twin[n][1] + sum(found[n].values()) for n in (0, 1)]
        early = int(seen[1] < seen[0])
        if seen[0] != seen[1]:
            found[early][twin[early][0]] = abs(seen[1] - seen[0])
    return found


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
    app.add_transform(FacingLines)
    app.add_node(nodes.literal_block, override=True, html=(visit, depart))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
