"""Requests that share steps, in slots, and memory, in blocks."""

from collections.abc import Sequence

from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure
from scratch.checks import require_at_least, require_choice

import numpy as np

_MOST = 6  # slots
_SIZES = (1, 2, 4, 8, 16, 32)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def slot_board(
    prompts: Sequence[int],
    answers: Sequence[int],
    gap: float = 1.0,
    slots: int = 3,
    block_size: int = 4,
) -> InteractiveFigure:
    """Return a board of slots and blocks: static against continuous batching.

    The reader chooses how often a request comes, the number of slots and the size of a
    block. Each step, place and first token is counted as `Schedule` counts it, with as
    many blocks as are needed; no two requests begin alike.

    Args:
        prompts: the number of tokens in each request, at most 26 of them.
        answers: how many tokens each gets, at least 2.
        gap: the steps between two arrivals at first, 0 to 8, in halves.
        slots: the number of slots at first, 1 to 6.
        block_size: the number of tokens in a block at first: 1, 2, 4, 8, 16 or 32.

    Returns:
        The figure, which a notebook shows.

    Raises:
        TypeError, ValueError: when an argument is not as above.

    Source: Yu et al. 2022; Kwon et al. 2023, section 4.
    """
    if not 1 <= len(prompts) == len(answers) <= len(_LETTERS):
        raise ValueError(
            f"prompts and answers have {len(prompts)} and {len(answers)} entries: "
            f"wanted equally many, 1 to {len(_LETTERS)}"
        )
    for prompt, answer in zip(prompts, answers, strict=True):
        require_at_least("prompts", prompt, 1)
        require_at_least("answers", answer, 2)
    require_choice("gap", gap, [half / 2 for half in range(17)])
    require_choice("slots", slots, range(1, _MOST + 1))
    require_choice("block_size", block_size, _SIZES)
    arrivals = np.floor(np.arange(len(prompts)) * gap).astype(int).tolist()
    bars = {
        policy: _bars(arrivals, answers, slots, policy == "static")
        for policy in ("static", "continuous")
    }
    ends = {name: max(last for *_, last in rows) + 1 for name, rows in bars.items()}
    return InteractiveFigure(
        "slots",
        "Requests in slots, keys and values in blocks",
        {
            "prompts": [int(one) for one in prompts],
            "answers": [int(one) for one in answers],
            "gap": gap,
            "slots": slots,
            "size": block_size,
            "policy": 1,
            "most": _MOST,
        },
        (600, 780),
        _chart(bars, slots),
        f"Which of {len(prompts)} requests is in which of {slots} slots, step by step. "
        f"With static batching, the last ends after {ends['static']} steps, with "
        f"continuous batching after {ends['continuous']}.",
        parts=("controls.js",),
    )


def _bars(arrivals, answers, slots, static):
    """Return (slot, first step, last step) of each request."""
    free, bars = [0] * slots, []  # from which step on each slot is free
    start, members = 0, slots
    for arrival, answer in zip(arrivals, answers, strict=True):
        if not static:
            start = max(arrival, start, min(free))
            slot = next(slot for slot in range(slots) if free[slot] <= start)
        else:
            if members == slots or arrival > start:  # nobody joins later
                start, members = max(arrival, *free), 0
            slot, members = members, members + 1
        # two tokens in the first step, then one
        bars.append((slot, start, start + answer - 2))
        free[slot] = start + answer - 1
    return bars


def _chart(bars, slots):
    import matplotlib.pyplot as plt

    with figure_style():
        figure, panels = plt.subplots(
            2, sharex=True, figsize=(7, 0.7 * slots + 1.2), squeeze=False
        )
        for axes, (policy, rows) in zip(panels[:, 0], bars.items(), strict=True):
            for letter, (slot, first, last) in zip(_LETTERS, rows, strict=False):
                width = last - first + 1
                axes.barh(slot, width, left=first, color=COLORS["sky"], edgecolor="w")
                axes.text(first + 0.3, slot, letter, va="center", fontsize=8)
            axes.set(title=policy, yticks=range(slots), ylim=(slots - 0.4, -0.6))
            axes.set_yticklabels([f"slot {slot + 1}" for slot in range(slots)])
        axes.set_xlabel("step")
        return as_png(figure)
