"""Exercises that name the mistake.

A reader needs three functions:

    from exercises import check, hint, solution
    check("attention.causal_mask", causal_mask)

`check` says in one sentence the first thing that is wrong with an answer, `hint` gives
one hint at a time, `solution` shows a solution and explains it. A teacher needs one
command: `python -m exercises --help`.

    chapters/   the exercises, one file each, and how to write one
    questions/  the short questions between sections, a file for each chapter
    engine/     shows an exercise, judges an answer
    worker/     runs next to a student's code, and imports nothing else of the book
    marking/    releases notebooks to a class and marks what comes back
"""

import scratch  # noqa: F401 (before a framework: see `scratch.load_order`)

__all__ = ["check", "hint", "solution"]


def __getattr__(name):
    """Load the engine only when a reader asks for it."""
    if name in __all__:
        from exercises.engine import check_hint_solution

        return getattr(check_hint_solution, name)
    raise AttributeError(f"module 'exercises' has no attribute {name!r}")
