r"""A displayed equation has a number and an address.

The chapters number their equations with `\tag{3.1}`, which Jupyter and Colab understand
too. Here the number leaves the formula: `mathml.py` writes it beside it, as a link to
the equation, whose id is `equation-3-1`.
"""

import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

TAG = re.compile(r"\\tag\{([^}]*)\}")


class Equations(SphinxTransform):
    default_priority = 150

    def apply(self):
        for equation in self.document.findall(nodes.math_block):
            text = equation.astext()
            if tag := TAG.search(text):
                equation["tag"] = tag[1]
                equation["ids"].append(f"equation-{tag[1].replace('.', '-')}")
                equation.clear()
                equation += nodes.Text(TAG.sub("", text).strip())


def setup(app):
    app.add_transform(Equations)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
