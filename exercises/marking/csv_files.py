"""Read CSV files as spreadsheets save them, with their encodings and separators."""

import codecs
import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from exercises.engine.atomic_write import write_whole

_UTF_16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE


class Table(NamedTuple):
    """Rows of cells, and the format of the file that they came from."""

    rows: list
    separator: str
    encoding: str
    first_line: str  # Excel's "sep=;", where the file begins with it

    def write(self, path, rows):
        """Write rows with the encoding and the separator of this table."""
        text = io.StringIO(self.first_line, newline="")
        text.seek(0, io.SEEK_END)
        csv.writer(text, delimiter=self.separator).writerows(rows)
        write_whole(path, text.getvalue(), self.encoding)


def read_table(path, what):
    """Return a file's `Table`, without its empty rows.

    Args:
        path: the file.
        what: what error messages call it, such as "roster".
    """
    text, encoding = read_text(path, what)
    says = re.match(r"sep=(.)\r?\n", text)
    first_line = says[0] if says else ""
    lines = io.StringIO(text.removeprefix(first_line), newline="")
    between = says[1] if says else separator(lines.readline())
    lines.seek(0)
    try:
        rows = [_cells(row, between) for row in csv.reader(lines, delimiter=between)]
    except csv.Error as error:
        raise ValueError(
            f"{what} is {path}, which is damaged ({error}): wanted a CSV file"
        ) from error
    return Table([row for row in rows if any(row)], between, encoding, first_line)


def _cells(row, between):
    """Return a row's cells, even where a spreadsheet took the whole line for one.

    In a country of semicolons, such as Germany, Excel reads a file with commas so, and
    when it saves the file, it quotes every line that has quotation marks.
    """
    if len(row) == 1 and between in row[0]:
        return next(csv.reader(row, delimiter=between))
    return row


def read_text(path, what):
    """Return a file's text and its encoding, which is never guessed.

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
        pass  # raised below
    raise ValueError(f"{what} is {path}, not UTF-8: wanted “CSV UTF-8”")


def separator(heading):
    """Return what separates the cells of a table with this first line."""
    return max(",;\t", key=heading.count)
