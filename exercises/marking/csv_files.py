"""Read tables as spreadsheets save them: encodings, and what separates the cells."""

import codecs
import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from exercises.engine.atomic_write import write_whole

_UTF_16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE


class Table(NamedTuple):
    """Rows of cells, and how the file that they came from writes them down."""

    rows: list
    separator: str
    encoding: str
    first_line: str  # Excel's "sep=;", where the file begins with it

    def write(self, path, rows):
        """Write rows in the encoding, and with the separator, of this table."""
        text = io.StringIO(self.first_line, newline="")
        text.seek(0, io.SEEK_END)
        csv.writer(text, delimiter=self.separator).writerows(rows)
        write_whole(path, text.getvalue(), self.encoding)


def read_table(path, what):
    """Return a file's `Table`, without its empty rows.

    Args:
        path: the file.
        what: its name in an error message, such as "roster".
    """
    text, encoding = read_text(path, what)
    told = re.match(r"sep=(.)\r?\n", text)
    first_line = told[0] if told else ""
    lines = io.StringIO(text.removeprefix(first_line), newline="")
    between = told[1] if told else separator(lines.readline())
    lines.seek(0)
    try:
        rows = [_cells(row, between) for row in csv.reader(lines, delimiter=between)]
    except csv.Error as error:
        raise ValueError(
            f"{what} is {path}, which is damaged ({error}): wanted a CSV file"
        ) from error
    return Table([row for row in rows if any(row)], between, encoding, first_line)


def _cells(row, between):
    """Return a row's cells, also where a spreadsheet took the whole line for one.

    Where cells are separated by semicolons, as in Germany, Excel opens a file with
    commas like that, and quotes every line that has quotation marks when it saves it.
    """
    if len(row) == 1 and between in row[0]:
        return next(csv.reader(row, delimiter=between))
    return row


def read_text(path, what):
    """Return a file's text and its encoding, which is told and never guessed.

    A wrong guess would damage every name with an accent.
    """
    data = Path(path).read_bytes()
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8"
    if data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
        if "\0" not in text:  # as in UTF-16 without its mark
            return text, encoding
    except UnicodeDecodeError:
        pass  # said below
    raise ValueError(f"{what} is {path}, not UTF-8: wanted “CSV UTF-8”")


def separator(heading):
    """Return what separates the cells of a table, whose first line this is."""
    return max(",;\t", key=heading.count)
