"""Hints and solutions at the end of their chapter, with links there and back.

In the notebook they are folded below their exercise, as `<details>`, which many
e-readers show open.
"""

import re

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform

FOLDED = re.compile(r"<details>\s*<summary>(.*)</summary>\s*")
UNFOLDED = "</details>"
TITLE = re.compile(r"\s*\(.*\)$")  # how difficult an exercise is, and how long it takes


class Answers(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        groups = list(map(taken, starts(self.document)))
        if not groups:
            return
        gathered = nodes.section(ids=["answers"])
        gathered += nodes.title("", "Hints and solutions")
        for number, (place, answers) in enumerate(groups, start=1):
            name, back = f"answers-{number}", place.parent["ids"][0]
            place.replace_self(linked("Hints and solution", name))
            title = TITLE.sub("", place.parent.next_node(nodes.title).astext())
            section = nodes.section("", nodes.title("", title), ids=[name])
            section += [*answers, linked("Back to the exercise", back)]
            gathered += section
        self.document.next_node(nodes.section).append(gathered)


def starts(document):
    """Return the nodes that begin a row of folded parts."""
    return [
        node
        for node in document.findall(nodes.raw)
        if FOLDED.fullmatch(node.astext()) and not closes(before(node))
    ]


def before(node):
    place = node.parent.index(node)
    return node.parent[place - 1] if place else None


def closes(node):
    return isinstance(node, nodes.raw) and node.astext().strip() == UNFOLDED


def taken(start):
    """Take a row of folded parts out of its section.

    Returns:
        (a node in its place, the parts with their names as nodes).
    """
    parent, answers = start.parent, []
    place = parent.index(start)
    parent.insert(place, nodes.paragraph())
    here, depth = place + 1, 0
    while here < len(parent):
        node = parent[here]
        named = isinstance(node, nodes.raw) and FOLDED.fullmatch(node.astext())
        if not named and depth == 0:
            break
        parent.remove(node)
        if named:
            answers.append(nodes.rubric("", named[1]))
        elif not closes(node):
            answers.append(node)
        depth += bool(named) - closes(node)
    return parent[place], answers


def linked(words, name):
    link = nodes.reference("", words, internal=True, refid=name)
    return nodes.paragraph("", "", link, classes=["to-and-fro"])


def setup(app):
    app.add_transform(Answers)
