"""Print how long each chapter takes to read with its questions, without its exercises.

    python tools/reading_time.py

There are two readers: one who knows the subject, and one to whom it is new. What folds
away is not counted, nor is the second framework's column.
"""

import re
from collections import Counter
from pathlib import Path

from exercises.engine.question import LEAD

import nbformat

BOOK = Path(__file__).parents[1] / "book"
# How much of each kind a minute of reading covers. Adults read 240 words silently
# (Brysbaert, 2019, "How many words do we read per minute?"). The newcomer's figures are
# fitted to seven chapters that were read with a clock: they give 57, 69, 74, 64, 70, 69
# and 79 minutes for 50, 70, 70, 65, 70, 70 and 85.
KINDS = ("words", "lines", "figures", "formulas", "table words", "outputs", "questions")
A_MINUTE = {"known": (240, 20, 2, 4, 400, 100, 2), "new": (85, 20, 1, 1, 200, 50, 2)}
FOLDED = {"setup", "hide-input"}
FORMULA = re.compile(r"\$\$.*?\$\$", re.S)
TABLE = re.compile(r"^\|.*$", re.M)
NO_PROSE = re.compile(r"<details>.*?</details>|\]\([^)]*\)", re.S)


def without_exercises(cells):
    """Yield the cells of a chapter that are not in its section of exercises."""
    exercises = False
    for cell in cells:
        if cell.source.startswith("## "):
            exercises = cell.source.startswith("## Exercises")
        if not exercises:
            yield cell


def measured(cells):
    """Count what a reader of one framework sees in these cells of a chapter."""
    seen = Counter()
    for cell in without_exercises(cells):
        tags = set(cell.metadata.get("tags", []))
        if cell.source.startswith(LEAD):
            seen["questions"] += 1
        elif cell.cell_type == "markdown":
            text = NO_PROSE.sub(" ", cell.source)
            seen["figures"] += text.startswith("*Figure")
            seen["formulas"] += len(FORMULA.findall(text))
            table = " ".join(TABLE.findall(text))
            seen["table words"] += len(table.replace("|", " ").split())
            seen["words"] += len(TABLE.sub(" ", FORMULA.sub(" ", text)).split())
        elif not {"tensorflow", "question"} & tags:
            if not FOLDED & tags:
                seen["lines"] += lines(cell.source)
            for text in printed(cell):
                if "prose" in tags:
                    seen["words"] += len(text.split())
                else:
                    seen["outputs"] += lines(text)
    return seen


def lines(text):
    return sum(bool(line.strip()) for line in text.splitlines())


def printed(cell):
    """Yield the texts that a cell shows, without its pictures."""
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "stream":
            yield output.text
        elif not any(kind.startswith(("image/", "text/html")) for kind in data):
            yield data.get("text/plain", "")


def minutes(cells, reader):
    """Return how many minutes they take to read: `reader` is "known" or "new"."""
    seen = measured(cells)
    return sum(seen[kind] / n for kind, n in zip(KINDS, A_MINUTE[reader], strict=True))


if __name__ == "__main__":
    print(f"{'chapter':<20}{'known':>8}{'new':>8}   what was counted")
    for path in sorted(BOOK.glob("[0-9]*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        times = "".join(f"{minutes(cells, reader):>8.0f}" for reader in A_MINUTE)
        counted = ", ".join(f"{measured(cells)[kind]:,} {kind}" for kind in KINDS)
        print(f"{path.stem:<20}{times}   {counted}")
