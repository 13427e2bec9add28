"""Figures and displayed equations have a number and an address.

In the notebook a figure's caption is the paragraph after the cell that draws: an
emphasis that begins with "Figure 3.2." Here it moves into that cell, under its output,
as the `<figcaption>` of a `<figure>` with the id `figure-3-2`.

An equation has its number in the formula, as `\\tag{3.1}`, which Jupyter and Colab
understand too. Here the number leaves it: `mathml.py` writes it beside the formula, as
a link to the equation, whose id is `equation-3-1`.
"""

import re

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform

LABEL = re.compile(r"Figure (\d+)\.(\d+)\.")
TAG = re.compile(r"\\tag\{([^}]*)\}")


class captioned_figure(nodes.General, nodes.Element):
    """A `<figure>`: what a cell shows, and a caption."""


class figure_caption(nodes.General, nodes.TextElement):
    """A `<figcaption>`."""


class Captions(SphinxTransform):
    default_priority = order.NUMBERED

    def apply(self):
        for paragraph in list(self.document.findall(nodes.paragraph)):
            label = caption_label(paragraph)
            output = label and output_before(paragraph)
            if output:
                figure = captioned_figure(ids=[address(label)])
                output.parent.replace(output, figure)
                figure += [output, caption(paragraph, label)]
                paragraph.parent.remove(paragraph)


def caption_label(paragraph):
    """The match of "Figure 3.2." at the beginning of a caption, or None."""
    first = paragraph.children[:1]
    if first and isinstance(first[0], nodes.emphasis):
        return LABEL.match(first[0].astext())
    return None


def address(label):
    return f"figure-{label[1]}-{label[2]}"


def output_before(paragraph):
    """The output of the cell right before a paragraph, or None."""
    place = paragraph.parent.index(paragraph)
    cell = paragraph.parent[place - 1] if place else None
    if isinstance(cell, nodes.container) and cell.get("nb_element") == "cell_code":
        return next(
            (part for part in cell if part.get("nb_element") == "cell_code_output"),
            None,
        )
    return None


def caption(paragraph, label):
    """The caption with its number in bold and its words upright.

    What was upright between two emphases, to stand out, is emphasised instead.
    """
    shown = figure_caption()
    shown += nodes.strong("", label[0], classes=["figure-label"])
    for part in paragraph.children:
        if isinstance(part, nodes.emphasis):
            shown += part.children
        elif isinstance(part, nodes.Text) and part.strip(" \n.,;:()"):
            shown += nodes.emphasis("", part)
        else:
            shown += part
    # The first words are those after the label.
    place = 1
    first = shown[place]
    shown.replace(first, nodes.Text(first.astext()[label.end() :]))
    return shown


def visit_figure(self, node):
    self.body.append(self.starttag(node, "figure"))


def depart_figure(self, node):
    self.body.append("</figure>\n")


def visit_caption(self, node):
    self.body.append(self.starttag(node, "figcaption", ""))


def depart_caption(self, node):
    self.body.append("</figcaption>\n")


class Equations(SphinxTransform):
    default_priority = order.NUMBERED

    def apply(self):
        for equation in self.document.findall(nodes.math_block):
            text = equation.astext()
            if tag := TAG.search(text):
                equation["tag"] = tag[1]
                equation["ids"].append(f"equation-{tag[1].replace('.', '-')}")
                equation.clear()
                equation += nodes.Text(TAG.sub("", text).strip())


def setup(app):
    app.add_node(captioned_figure, html=(visit_figure, depart_figure))
    app.add_node(figure_caption, html=(visit_caption, depart_caption))
    app.add_transform(Captions)
    app.add_transform(Equations)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
