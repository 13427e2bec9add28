"""Readable tables: wide ones extend into the margin, and no header is empty.

Markdown has headers for columns only. Where each row has a name in the first column,
these cells become headers too, so that a screen reader can say what a number is about.
The header above such names is often left empty: it gets a name for screen readers only.
"""

import re

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform

# Letters in a row, without the space around cells: more do not fit the text's width.
WIDE = 70
# Letters in a row: more do not fit a phone, or a page without its margin. The space
# around each cell counts as three letters.
ROOMY, BROAD, CELL = 38, 90, 3
# Letters in the name of a row: more take several lines on a phone.
LONG = 20
BREAK = re.compile(r"(?<=[._(])")


class Tables(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        for table in self.document.findall(nodes.table):
            widths = widths_of_columns(table)
            letters, room = sum(widths), sum(widths) + CELL * len(widths)
            # It scrolls there anyway, so its columns need not be narrow.
            if room > ROOMY:
                table["classes"].append("roomy")
            if room > BROAD:
                table["classes"].append("broad")
            if letters > WIDE:
                # The theme folds its list of contents beside what has this class.
                table["classes"].append("full-width")
            if first_column_names_rows(table):
                next(table.findall(nodes.colspec))["stub"] = 1
                if max(len(row[0].astext()) for row in body_rows(table)) > LONG:
                    table["classes"].append("long-names")
                    let_names_break(table)
            for head in table.findall(nodes.thead):
                for entry in head.findall(nodes.entry):
                    if not entry.astext().strip():
                        name_silently(entry)


def first_column_names_rows(table):
    """Whether the first column has words in every row, all of them different.

    A formula does not count: screen readers disagree on how to read one in a header.
    """
    rows = body_rows(table)
    names = [words(row[0]) for row in rows if len(row) > 1]
    return len(names) == len(rows) == len(set(names)) and all(names)


def body_rows(table):
    return [row for body in table.findall(nodes.tbody) for row in body]


def let_names_break(table):
    """Let the names of rows that are code break where that is easiest to read."""
    for row in body_rows(table):
        for literal in row[0].findall(nodes.literal):
            parts = filter(None, BREAK.split(literal.astext()))
            literal[:] = list(map(nodes.Text, parts))


def words(entry):
    return "".join(
        text
        for text in entry.findall(nodes.Text)
        if not isinstance(text.parent, nodes.math)
    ).strip()


def widths_of_columns(table):
    """The letters of each column's longest word: a column cannot break a word."""
    rows = [
        [longest_word(entry) for entry in row.findall(nodes.entry)]
        for row in table.findall(nodes.row)
    ]
    return list(map(max, zip(*rows, strict=True)))


def longest_word(entry):
    return max(map(len, entry.astext().split()), default=0)


def name_silently(entry):
    entry.clear()
    entry += nodes.paragraph("", "", nodes.inline("", "Row", classes=["sr-only"]))


def setup(app):
    app.add_transform(Tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
