"""What is folded away on the page, and what the button that unfolds it says.

Cells that only install and import matter to readers who run the notebook: the set-up
cell, and the first cells of the exercises. They are folded.

myst-nb names every button that unfolds code "Toggle hidden content". Here it is named
for what it shows, for screen readers too: "Show the code", followed by the figure that
the code draws, or by "of this output" for those who cannot see what comes below.
"""

import re
from html import escape

import order
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from numbered import captioned_figure
from sphinx.transforms import SphinxTransform

IMPORTS = re.compile(r"((import|from) .*\n?)+")


class SetupCell(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        for cell in self.document.findall(nodes.container):
            if "tag_setup" in cell["classes"]:
                fold(cell, "Set up this notebook")
            elif "tag_exercise" in cell["classes"] and IMPORTS.fullmatch(cell.astext()):
                fold(cell, "Import what the exercises use")


def fold(cell, prompt):
    """What myst-nb's own tag `hide-input` does, with a name of its own."""
    cell["hide_mode"] = "input"
    cell["prompt_show"] = cell["prompt_hide"] = prompt


def what_it_makes(node):
    """What the folded code makes, in words that follow "Show the code"."""
    cell = node.parent
    for figure in cell.findall(captioned_figure):
        return "of " + figure["ids"][0].replace("-", " ", 1).replace("-", ".")
    if any(part.get("nb_element") == "cell_code_output" for part in elements(cell)):
        return "of this output"
    return "of this step"


def elements(node):
    return (part for part in node.children if isinstance(part, nodes.Element))


def visit(self, node):
    classes = " ".join(node["classes"])
    self.body.append(f'<details class="admonition hide {classes}">\n<summary>\n')
    words = f'<span class="sr-only"> {escape(what_it_makes(node))}</span>'
    for state, prompt in ("collapsed", "prompt_show"), ("expanded", "prompt_hide"):
        # "Set up this notebook" says enough by itself.
        more = words if node[prompt].endswith("the code") else ""
        self.body.append(
            f'<p class="{state} admonition-title">{escape(node[prompt])}{more}</p>\n'
        )
    self.body.append("</summary>\n")


def setup(app):
    app.add_transform(SetupCell)
    app.add_node(HideCodeCellNode, override=True, html=(visit, depart_HideCellInput))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
