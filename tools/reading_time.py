"""Print how long each chapter takes to read, without its exercises.

    python tools/reading_time.py

It counts a minute for 200 words of prose, for 10 lines of code in one framework and
for a figure. Folded cells are not counted.
"""

import re
from pathlib import Path

import nbformat

BOOK = Path(__file__).parents[1] / "book"
WORDS, LINES, FIGURES = 200, 10, 1  # a minute
FOLDED = {"setup", "hide-input", "exercise", "tensorflow"}
# Closed boxes, tables, formulas and the addresses of links are not read as prose.
NOT_PROSE = re.compile(
    r"<details>.*?</details>|\$\$.*?\$\$|^\|.*?$|\]\([^)]*\)", re.S | re.M
)


def measured(notebook):
    """Return the words, lines and figures of a chapter, without its exercises."""
    words = lines = figures = 0
    exercises = False
    for cell in notebook.cells:
        if cell.source.startswith("## "):
            exercises = cell.source.startswith("## Exercises")
        if exercises:
            continue
        if cell.cell_type == "markdown":
            words += len(NOT_PROSE.sub(" ", cell.source).split())
            figures += cell.source.startswith("*Figure")
        elif not FOLDED & set(cell.metadata.get("tags", [])):
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    return words, lines, figures


def minutes(words, lines, figures):
    """Return how many minutes they take to read."""
    return words / WORDS + lines / LINES + figures / FIGURES


if __name__ == "__main__":
    print(f"{'chapter':<20}{'words':>8}{'lines':>8}{'figures':>9}{'minutes':>9}")
    for path in sorted(BOOK.glob("[0-9]*.ipynb")):
        words, lines, figures = measured(nbformat.read(path, as_version=4))
        time = minutes(words, lines, figures)
        print(f"{path.stem:<20}{words:>8,}{lines:>8}{figures:>9}{time:>9.0f}")
