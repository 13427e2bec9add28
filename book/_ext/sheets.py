"""Sheets: the worked example of a chapter on paper, its results to be filled in.

Beside each chapter with slides, a page of two printed sides is written: on the first,
what its cells give (`sheet`) and the outputs and tables whose numbers are left open
(`sheet-open`); on the second, the latter with their numbers. `taken.py` explains tags.

Left open are an output's numbers with a decimal point, or else its whole numbers, or
else its words; and all numbers of a table but those in its first column.
"""

import re
from html import escape

from docutils import nodes
from taken import has_slides, html, taken, write

WHOLE = r"(?<![\w.-])-?\d+(?:,\d{3})*"
DECIMAL = re.compile(rf"{WHOLE}\.\d*")
KINDS = (DECIMAL, re.compile(rf"{WHOLE}(?![\w.])"), re.compile(r"\S+(?: \S+)*"))
NUMBER = re.compile(rf"{WHOLE}(?:\.\d+)?")


def left_open(text, pattern, answer):
    """Return HTML of a text with a blank, or the answer, where the pattern matches."""
    parts, end = "", 0
    for match in pattern.finditer(text):
        inside = match[0] if answer else "\N{NO-BREAK SPACE}" * len(match[0])
        before = escape(text[end : match.start()])
        parts += f'{before}<span class="open">{escape(inside)}</span>'
        end = match.end()
    return parts + escape(text[end:])


def opened(part, answer):
    """Return copies of a part's nodes with blanks, or with marked answers."""
    blocks = [block.deepcopy() for block in part.nodes]
    for block in blocks:
        for output in list(block.findall(nodes.literal_block)):
            text = output.astext()
            pattern = next(kind for kind in KINDS if kind.search(text))
            inside = left_open(text, pattern, answer)
            pre = nodes.raw("", f"<pre>{inside}</pre>", format="html")
            output.parent.replace(output, pre)
        for row in (row for body in block.findall(nodes.tbody) for row in body):
            for text in [text for one in row[1:] for text in one.findall(nodes.Text)]:
                inside = left_open(text.astext(), NUMBER, answer)
                text.parent.replace(text, nodes.raw("", inside, format="html"))
    return blocks


def given(part):
    """Return a part's nodes, of a cell its code alone."""
    if part.cell is None:
        return part.nodes
    return [one for one in part.nodes if one.get("nb_element") == "cell_code_source"]


def write_sheet(app, page, template, context, doctree):
    if not doctree or not has_slides(app, page):
        return
    parts = taken(app.env, doctree, page, "sheet")
    front = [opened(one, False) if one.kind == "open" else given(one) for one in parts]
    back = [opened(one, True) for one in parts if one.kind == "open"]
    write(
        app,
        page,
        "sheet",
        title=next(doctree.findall(nodes.title)).astext(),
        book=app.config.html_title,
        sides={
            "By hand": [html(app, *one) for one in front],
            "Answers": [html(app, *one) for one in back],
        },
    )


def setup(app):
    app.connect("html-page-context", write_sheet)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
