"""Measure everything, print the table and store it beside this file."""

import csv
from pathlib import Path

from benchmarks import encoders, generation, server, serving

from tqdm import tqdm

RESULTS = Path(__file__).with_name("speed.csv")
REPETITIONS = 5
HEADER = ("framework", "task", "contender", "seconds", "times ours", "peak MB")


def rows(measured):
    """Return rows of the table: each time, and that time as a multiple of ours."""
    ours = {
        (framework, task): seconds
        for framework, task, contender, seconds, _ in measured
        if contender == "ours"
    }
    return [
        (
            *task,
            contender,
            f"{seconds:.4f}",
            f"{seconds / ours[tuple(task)]:.2f}",
            f"{max(megabytes, 0):.0f}",
        )
        for *task, contender, seconds, megabytes in measured
    ]


def main():
    """Run all benchmarks in turn and write RESULTS."""
    rounds = encoders.ROUNDS + generation.ROUNDS + serving.ROUNDS
    with tqdm(total=rounds * REPETITIONS, unit="round", desc="measuring") as progress:
        # Single rows are bound by memory: they come first, before it is fragmented.
        measured = [
            *generation.measure(REPETITIONS, progress),
            *serving.measure(REPETITIONS, progress),
            *encoders.measure(REPETITIONS, progress),
        ]
    table = rows(measured)
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *table])
    widths = [max(map(len, column)) for column in zip(HEADER, *table, strict=True)]
    for row in [HEADER, *table]:
        print("  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)))
    print(f"\nstored in {RESULTS.name}\n")
    server.main()


if __name__ == "__main__":
    main()
