"""What each exercise is worth, in a file that a release writes and marking reads."""

import csv
import io
import math

from exercises.engine.atomic_write import write_whole
from exercises.engine.registry import find
from exercises.marking.csv_files import read_text


def write_points(path, points):
    """Write a line "exercise,points" for each exercise."""
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("exercise", "points"), *points.items()])
    write_whole(path, table.getvalue())


def read_points(path):
    """Return {exercise: points} of a file with a line "exercise,points" for each.

    Some spreadsheets write semicolons, and decimal commas with them.
    """
    points = {}
    for place, line in enumerate(read_text(path, "points")[0].splitlines(), 1):
        try:
            name, worth = _read_line(line)
            if name in points:
                raise ValueError(f"{name} is here twice: wanted one line for each")
            if name:
                points[name] = worth
        except ValueError as error:
            raise ValueError(f"{path}, line {place}: {error}") from error
    if not points:
        raise ValueError(
            f"points is {path}, which names no exercise: wanted lines such as "
            "attention.causal_mask,2"
        )
    return points


def _read_line(line):
    """Return (exercise, points) of a line, or ("", 0) of a heading or a comment."""
    between = next((one for one in ";\t" if one in line), ",")
    decimal = "." if between == "," else ","
    name, *worth = next(csv.reader([line or between], delimiter=between))
    name = name.strip()
    if name in ("", "exercise") or name.startswith(("#", "sep=")):
        return "", 0
    find(name)
    given = between.join(worth).strip(f"{between} ")
    try:
        points = float(given.replace(decimal, "."))
    except ValueError:
        points = math.nan
    if not 0 <= points < math.inf:
        raise ValueError(f"{name} is worth {given!r}: wanted a number from 0 up")
    return name, points
