"""Formulas as MathML, each with its picture for e-readers that don't know MathML.

The style sheet decides which of the two is shown (`ebook.css`): the picture, unless
the reader's engine knows `math-style`, a property that came with MathML. The picture is
drawn from the same MathML, in the same font, and stands on the line of the text.
"""

import hashlib
import re
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import mathml
import ziamath
from docutils import nodes

FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
# In MathML 3, which EPUB requires, only <mstyle> has these attributes.
STYLES = ("displaystyle", "scriptlevel")
NAMESPACE = 'xmlns="http://www.w3.org/1998/Math/MathML"'
SIZE = 20  # pixels an em
ziamath.config.svg2 = False  # plain paths, which every engine draws
ziamath.config.precision = 2


def with_pictures(html, tex, builder):
    """Return HTML with a picture beside each formula, and its TeX as their text."""
    words = escape(" ".join(tex.split()))

    def both(match):
        formula = valid(match[0])
        shown = f'<math {NAMESPACE} alttext="{words}"{formula.removeprefix("<math")}'
        return f'<span class="mathml">{shown}</span>{picture(formula, words, builder)}'

    return FORMULA.sub(both, html)


def valid(formula):
    """Return a formula whose styles are those of elements around the parts."""
    root = ElementTree.fromstring(formula)
    for parent in list(root.iter()):
        for place, part in enumerate(parent):
            named = [name for name in STYLES if name in part.attrib]
            if named:
                around = {name: part.attrib.pop(name) for name in named}
                parent[place] = ElementTree.Element("mstyle", around)
                parent[place].append(part)
    return ElementTree.tostring(root, encoding="unicode")


def picture(formula, words, builder):
    """Return the `<img>` of a formula; draw it if it is new."""
    folder = Path(builder.outdir, builder.imagedir)
    drawn = ziamath.Math(formula, size=SIZE)
    name = f"formula-{hashlib.sha256(formula.encode()).hexdigest()[:12]}.svg"
    if not (folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(drawn.svg(), encoding="utf-8")
    _, height = drawn.getsize()
    return (
        f'<img class="formula" alt="{words}" src="{builder.imgpath}/{name}" '
        f'style="height:{height / SIZE:.2f}em;'
        f'vertical-align:{drawn.getyofst() / SIZE:.2f}em"/>'
    )


def visit_formula(self, node):
    html = mathml.convert(node)
    self.body.append(with_pictures(html, node.astext(), self.builder))
    raise nodes.SkipNode


def visit_equation(self, node):
    html = mathml.convert(node, display=True)
    self.body.append(self.starttag(node, "div", "", CLASS="equation"))
    self.body.append(with_pictures(html, node.astext(), self.builder))
    if "tag" in node:
        self.body.append(f' <span class="number">({node["tag"]})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("ebook", (visit_formula, None), (visit_equation, None))
