"""What post-training did to a small model, which `tools/post_training.py` measured."""

import csv
from pathlib import Path

PATH = Path(__file__).with_name("number_game_runs.csv")
COLUMNS = "model seed measure value".split()


def number_game_runs() -> list[dict]:
    """Return the table of tools/post_training.py.

    Returns:
        A dictionary for each row: `model` names the stage, and `value` is what the
        `measure` came to with one `seed`.
    """
    kinds = str, int, str, float
    with PATH.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [
        {
            name: kind(value)
            for name, kind, value in zip(COLUMNS, kinds, row, strict=True)
        }
        for row in rows
    ]
