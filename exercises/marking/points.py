"""What each exercise is worth: the file that a release writes and marking reads."""

import csv
from pathlib import Path

from exercises.engine.registry import find


def write_points(path, points):
    """Write a line "exercise,points" for each exercise."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("exercise", "points"))
        rows.writerows(points.items())


def read_points(path):
    """Return {exercise: points} of a file with a line "exercise,points" for each.

    Some spreadsheets write semicolons, and then decimal commas.
    """
    points = {}
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"points is {path}, which is damaged: wanted text in UTF-8"
        ) from error
    for place, line in enumerate(lines, 1):
        try:
            points |= _read_line(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {place}: {error}") from error
    if not points:
        raise ValueError(
            f"points is {path}, which names no exercise: wanted lines such as "
            "attention.causal_mask,2"
        )
    return points


def _read_line(line):
    """Return {exercise: points} of one line; nothing for a heading or a remark."""
    between, decimal = (";", ",") if ";" in line else (",", ".")
    name, *worth = next(csv.reader([line or between], delimiter=between))
    name = name.strip()
    if name in ("", "exercise") or name.startswith("#"):
        return {}
    find(name)
    try:
        return {name: float(worth[0].replace(decimal, "."))}
    except (IndexError, ValueError) as error:
        given = ",".join(worth)
        raise ValueError(f"{name} is worth {given!r}: wanted a number") from error
