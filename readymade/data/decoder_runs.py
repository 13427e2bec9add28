"""The losses of small language models in `tools/experiments/todays_decoder.py`."""

import csv
from pathlib import Path

PATH = Path(__file__).with_name("decoder_runs.csv")
COLUMNS = "model d_model parameters seed step loss seconds".split()


def decoder_sweep() -> list[dict]:
    """Return the table of tools/experiments/todays_decoder.py.

    Returns:
        A dictionary for each row. `model` names the change, or is "size" for the sweep
        over sizes; `loss` on held-out text is in nats a token, after `step` steps and
        `seconds` of processor time.
    """
    kinds = str, int, int, int, int, float, float
    with PATH.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [
        {
            name: kind(value)
            for name, kind, value in zip(COLUMNS, kinds, row, strict=True)
        }
        for row in rows
    ]
