"""What only installs and imports is folded away on the page.

It serves whoever runs the notebook: the set-up cell, and the cells with which the
exercises begin. Whoever reads the page begins with the chapter.
"""

import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

IMPORTS = re.compile(r"((import|from) .*\n?)+")


class SetupCell(SphinxTransform):
    default_priority = 150

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


def setup(app):
    app.add_transform(SetupCell)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
