"""The tables that experiments write: CSV files among the chapters' data."""

import csv
from contextlib import contextmanager
from pathlib import Path

DATA = Path(__file__).parents[2] / "readymade" / "data"


@contextmanager
def new_table(path, columns):
    """Yield a writer of rows, each of which is in the file as soon as it is written."""
    with path.open("w", buffering=1, newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        yield table


def replace_seed(path, columns, seed, rows):
    """Write the rows of one seed, in place of those that the table has for it."""
    place = columns.index("seed")
    other_rows = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            _, *old_rows = csv.reader(file)
        other_rows = [row for row in old_rows if row[place] != str(seed)]
    with new_table(path, columns) as table:
        table.writerows(sorted(other_rows + rows, key=lambda row: int(row[place])))
