r"""A displayed equation reaches MathJax as its author wrote it.

Sphinx wraps an equation with line breaks into a `split` environment, in which `\tag` is
an error. The chapters number their equations with `\tag{3.1}`, which Jupyter and Colab
understand too, so the wrapping is left out.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform


class Equations(SphinxTransform):
    default_priority = 150

    def apply(self):
        for equation in self.document.findall(nodes.math_block):
            # "nowrap" also leaves out the delimiters: write them here.
            equation["nowrap"] = True
            text = equation.astext()
            equation.clear()
            equation += nodes.Text(rf"\[{text}\]")


def setup(app):
    app.add_transform(Equations)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
