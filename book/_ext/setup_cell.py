"""The set-up cell, which installs and imports, is folded away on the page.

It serves whoever runs the notebook. Whoever reads the page begins with the chapter.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform


class SetupCell(SphinxTransform):
    default_priority = 150

    def apply(self):
        for cell in self.document.findall(nodes.container):
            if "tag_setup" in cell["classes"]:
                # What myst-nb's own tag `hide-input` does, with a name of its own.
                cell["hide_mode"] = "input"
                cell["prompt_show"] = "Set up this notebook"
                cell["prompt_hide"] = "Set up this notebook"


def setup(app):
    app.add_transform(SetupCell)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
