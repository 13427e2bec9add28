"""Formulas are set when the book is built: TeX becomes MathML, which a browser draws.

A page needs no script for it, and a screen reader reads the formula. A long formula is
divided where it may be broken, before `=` or `+` and after a comma, so that a narrow
window wraps it as it wraps text (`maths.css`). Two statements side by side, with a
`\\quad` between them, become two formulas, of which the second may go below the first.
What math-core does not understand is a warning, and a warning stops the build.
"""

import html
import re
from xml.etree import ElementTree

import order
from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from unbroken import hold, take_marks

LOGGER = logging.getLogger(__name__)

CONVERTER = LatexToMathML(fancy_error=False)
# Entities that HTML knows and XML does not.
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot);)\w+;")

SIGNS = frozenset("=≈∝≤≥<>≠←→⟺+−⊙")
OPENING, CLOSING = frozenset("([{⌊⟨"), frozenset(")]}⌋⟩")
SCRIPTS = ("msub", "msup", "msubsup")
QUAD = 1  # em
# Shorter formulas are not broken: they fit a line on a phone.
LONG = 14
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def mathml(tex, display=False, before="", after=""):
    """Return a formula as MathML: one `<math>`, or one for each statement.

    Marks `before` and `after` it, such as a bracket and a full stop, become part of it.

    Raises:
        LatexError: TeX that cannot be converted.
    """
    text = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    formula = ElementTree.fromstring(ENTITY.sub(lambda m: html.unescape(m[0]), text))
    space_relations(formula)
    hold_parentheses(formula)
    parts = [*marks(before), *formula, *marks(after)]
    statements = split_statements(parts) if display else [parts]
    return "".join(
        ElementTree.tostring(written(parts, formula.attrib), encoding="unicode")
        for parts in statements
    )


def marks(text):
    """Return marks as part of a formula, in the letters of the text around it."""
    if not text:
        return []
    element = ElementTree.Element("mtext", {"class": "punctuation"})
    element.text = text
    return [element]


def space_relations(formula):
    """Space a `←`, and an `=` at the end of an aligned cell: a browser would not."""
    last = [cell[-1] for cell in formula.iter("mtd") if len(cell)]
    for sign in formula.iter("mo"):
        if sign.text == "←" or (sign.text == "=" and sign in last):
            sign.attrib.update(lspace="0.2778em", rspace="0.2778em")


def hold_parentheses(formula):
    r"""Give the exponent of `\Big)` to the whole of what is in the parentheses.

    As the base of an exponent, the parenthesis alone is drawn small by Chromium.
    """
    for row in list(formula.iter()):
        for script in [part for part in row if part.tag in SCRIPTS]:
            if script[0].get("minsize") is None or nesting(script) != -1:
                continue
            parts = list(row)
            end = parts.index(script)
            start, depth = end, -1
            while depth and start:
                start -= 1
                depth += nesting(parts[start])
            group = ElementTree.Element("mrow")
            group.extend([*parts[start:end], script[0]])
            script[0] = group
            for part in parts[start:end]:
                row.remove(part)


def written(parts, attributes):
    """Return a formula of these parts, divided where it may be broken."""
    formula = ElementTree.Element("math", attributes)
    pieces = [parts]
    if letters(parts) > LONG:
        pieces = []
        for piece in split(words(parts)):
            # A list in parentheses may be broken too, where it is long.
            long = letters(piece) > 1.5 * LONG
            pieces += split(piece, inside=True) if long else [piece]
    if len(pieces) == 1:
        formula.extend(parts)
        return formula
    formula.set("class", "breaks")
    for piece in pieces:
        ElementTree.SubElement(formula, "mrow").extend(piece)
        if is_sign(piece[0]):
            # At the beginning of a row it would be the sign of a number.
            piece[0].set("form", "infix")
    return formula


def split_statements(parts):
    """Return the statements that wide spaces part."""
    statements = [[]]
    for part in parts:
        if part.tag == "mspace" and width(part) >= QUAD:
            statements.append([])
        else:
            statements[-1].append(part)
    return [statement for statement in statements if statement]


def split(parts, inside=False):
    """Return the pieces of a row of elements; `inside`: also within parentheses."""
    pieces, piece, depth = [], [], 0
    before = None
    for part in parts:
        binary = before is not None and (
            before.tag != "mo" or before.text in CLOSING or before.text == "…"
        )
        binary = binary and before.get("class") != "punctuation"
        may_break = (is_sign(part) and binary) or ends_line(before, part)
        if piece and may_break and (inside or depth == 0):
            pieces.append(piece)
            piece = []
        piece.append(part)
        depth += nesting(part)
        before = part
    return [*pieces, piece]


def is_sign(part):
    return part.tag == "mo" and part.text in SIGNS


def ends_line(before, part):
    """Whether a line may end between these two: after a comma, a space or a word."""
    if before is None or part.tag == "mspace":
        return False
    if before.tag == "mtext":
        return before.text.endswith(NO_BREAK_SPACE)
    comma = before.tag == "mo" and before.text == ","
    return comma or (before.tag == "mspace" and width(before) > 0.2)


def words(parts):
    """Return the parts with text divided into words."""
    divided = []
    for part in parts:
        if part.tag != "mtext" or len(part.text) <= LONG:
            divided.append(part)
            continue
        for word in re.findall(r"\s*\S+\s?", part.text):
            text = ElementTree.Element("mtext", part.attrib)
            text.text = word.replace(" ", NO_BREAK_SPACE)
            divided.append(text)
    return divided


def width(space):
    return float(space.get("width", "0").removesuffix("em"))


def nesting(part):
    """How many parentheses an element opens, less those that it closes."""
    while len(part) and part.tag in SCRIPTS:
        part = part[0]
    return (part.text in OPENING) - (part.text in CLOSING) if part.tag == "mo" else 0


def letters(parts):
    return sum(len(text) for part in parts for text in part.itertext())


def convert(node, display=False):
    """Return the MathML of a node, or its TeX with a warning."""
    try:
        around = node.get("before", ""), node.get("after", "")
        return mathml(node.astext(), display, *around)
    except LatexError as error:
        LOGGER.warning("a formula cannot be set: %s", error, location=node)
        return html.escape(node.astext())


def visit_formula(self, node):
    self.body.append(convert(node))
    raise nodes.SkipNode


def visit_equation(self, node):
    formula = f'<div class="formula">{convert(node, display=True)}</div>'
    if "tag" in node:
        number, target = node["tag"], node["ids"][0]
        formula += (
            f'<a class="number" href="#{target}" aria-label="Equation {number}">'
            f"({number})</a>"
        )
    self.body.append(self.starttag(node, "div", "", CLASS="equation") + formula)
    self.body.append("</div>\n")
    raise nodes.SkipNode


def keep_marks(document):
    """Keep each formula in a text and the marks around it on one line.

    A formula that may be broken takes them in, so that they stay at its ends.
    """
    for formula in list(document.findall(nodes.math)):
        before, after = take_marks(formula)
        if (before or after) and 'class="breaks"' in convert(formula):
            formula["before"], formula["after"] = before, after
        else:
            hold(formula, before, after)


class Marks(SphinxPostTransform):
    default_priority = order.FORMULAS
    formats = ("html",)

    def run(self, **kwargs):
        keep_marks(self.document)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_equation, None))
    app.add_post_transform(Marks)
    app.add_css_file("maths.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
