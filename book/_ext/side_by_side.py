"""Adjacent cells tagged `pytorch` and `tensorflow` become two tabs, or two columns.

The notebook holds two ordinary cells, one after the other. Here each such pair is
wrapped into the nodes of a sphinx-design tab set whose tabs are synced under the name
"framework": one click changes every pair on the page, the choice is remembered, and
`?framework=tensorflow` at the end of an address makes it for the reader. Without
JavaScript the tabs are radio buttons and work alone. `side_by_side.css` unfolds a pair
into two columns where the window is wide enough, and prints both.
"""

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx_design.shared import create_component

FRAMEWORKS = {"pytorch": "PyTorch", "tensorflow": "TensorFlow"}


class SideBySide(SphinxTransform):
    # After the cells are built, before anything reads their order.
    default_priority = 150

    def apply(self):
        for cell in list(self.document.findall(nodes.container)):
            other = cell.next_node(descend=False, siblings=True)
            if framework(cell) == "pytorch" and framework(other) == "tensorflow":
                place = cell.parent.index(cell)
                parent = cell.parent
                parent.remove(cell)
                parent.remove(other)
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


def setup(app):
    app.add_transform(SideBySide)
    app.add_css_file("side_by_side.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
