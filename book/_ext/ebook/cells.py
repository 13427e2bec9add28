"""Code for reading: one framework after the other, and nothing that is folded away.

What a page folds, such as the set-up and the code of a figure, and the checks of the
exercises, which only run in a notebook, are left out.
"""

from exercises.engine.cells import CHECK

import order
from docutils import nodes
from folded import IMPORTS
from myst_nb.sphinx_ import HideCodeCellNode
from side_by_side import FRAMEWORKS, framework
from sphinx.transforms import SphinxTransform


class Cells(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        for cell in list(self.document.findall(nodes.container)):
            if only_runs(cell):
                cell.parent.remove(cell)
            elif name := framework(cell):
                label = nodes.rubric("", FRAMEWORKS[name], classes=["framework"])
                cell.insert(0, label)


def only_runs(cell):
    """Whether a cell is of use only to those who run it."""
    text, classes = cell.astext(), cell["classes"]
    imports = "tag_exercise" in classes and IMPORTS.fullmatch(text)
    return "tag_setup" in classes or CHECK.search(text) or imports


def leave_out(self, node):
    raise nodes.SkipNode


def setup(app):
    app.add_transform(Cells)
    app.add_node(HideCodeCellNode, override=True, html=(leave_out, None))
