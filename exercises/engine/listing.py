"""All exercises as a table, at a prompt and on a page of the book."""

from exercises.engine.cells import dots
from exercises.engine.registry import all_exercises, number


def rows(chapter=None):
    """Return (number, id, title, kind, dots, minutes) of each exercise."""
    return [
        (number(name), name, one.title, one.kind, dots(one), f"{one.minutes} min")
        for name, one in all_exercises().items()
        if chapter in (None, name.partition(".")[0])
    ]


def table(chapter=None):
    """Return the exercises as lines of text in columns."""
    exercises = rows(chapter)
    if not exercises:
        return "There are no exercises here yet."
    widths = [max(map(len, column)) for column in zip(*exercises, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in exercises
    ]
    minutes = sum(int(row[-1].split()[0]) for row in exercises)
    total = f"{len(exercises)} exercises, {minutes // 60} h {minutes % 60} min"
    return "\n".join([*(line.rstrip() for line in lines), "", total])
