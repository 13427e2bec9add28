"""Tables that can be read: wide ones reach over the margin, no header is silent.

Markdown has headers for columns only. Where the first column names the rows, one name
each, its cells become headers too, so that a screen reader says with a number what it
is about. The header above such names is often left empty, which would be read out as
nothing: it gets a name that only a screen reader sees.
"""

import order
from docutils import nodes
from sphinx.transforms import SphinxTransform

# More letters than stand in a line of text, cells and their space counted.
WIDE = 70
# More than a phone, or a page without margin, has room for, with the space around each
# cell as so many letters.
ROOMY, BROAD, CELL = 38, 90, 3


class Tables(SphinxTransform):
    default_priority = order.CELLS

    def apply(self):
        for table in self.document.findall(nodes.table):
            letters, columns = letters_in_a_row(table)
            # It scrolls there anyhow, so its columns need not be narrow.
            if letters + CELL * columns > ROOMY:
                table["classes"].append("roomy")
            if letters + CELL * columns > BROAD:
                table["classes"].append("broad")
            if letters > WIDE:
                # The theme folds its list of contents beside what has this class.
                table["classes"].append("full-width")
            if first_column_names_rows(table):
                next(table.findall(nodes.colspec))["stub"] = 1
            for head in table.findall(nodes.thead):
                for entry in head.findall(nodes.entry):
                    if not entry.astext().strip():
                        name_silently(entry)


def first_column_names_rows(table):
    """Whether the first column has different words, never none, in every row.

    A formula is no words: screen readers disagree on how to read it in a header.
    """
    rows = [row for body in table.findall(nodes.tbody) for row in body]
    names = [words(row[0]) for row in rows if len(row) > 1]
    return len(names) == len(rows) == len(set(names)) and all(names)


def words(entry):
    return "".join(
        text
        for text in entry.findall(nodes.Text)
        if not isinstance(text.parent, nodes.math)
    ).strip()


def letters_in_a_row(table):
    """The sum, over the columns, of the longest word, and how many columns there are.

    A column cannot break a word.
    """
    rows = [
        [longest_word(entry) for entry in row.findall(nodes.entry)]
        for row in table.findall(nodes.row)
    ]
    widths = list(map(max, zip(*rows, strict=True)))
    return sum(widths), len(widths)


def longest_word(entry):
    return max(map(len, entry.astext().split()), default=0)


def name_silently(entry):
    entry.clear()
    entry += nodes.paragraph("", "", nodes.inline("", "Row", classes=["sr-only"]))


def setup(app):
    app.add_transform(Tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
