"""One question, asked after each stage of training: the answers, token by token."""

from collections.abc import Mapping, Sequence

from readymade.views.figures import COLORS, as_png, figure_style
from readymade.views.interactive.figure import InteractiveFigure

Answer = Sequence[tuple[str, float]]


def stage_answers(
    questions: Sequence[str],
    answers: Mapping[str, Sequence[Answer]],
    right: Mapping[str, Sequence[bool]],
) -> InteractiveFigure:
    """Return what a model writes after each stage, with the question to choose.

    Args:
        questions: the texts that are asked.
        answers: for each stage, by its name, an answer to each question: its tokens,
            each with the probability that the model gave it.
        right: for each stage, whether each answer is right.

    Returns:
        The figure, which a notebook shows.

    Raises:
        ValueError: if a stage has not one answer and one verdict for each question.
    """
    for name, given in answers.items():
        if not len(given) == len(right[name]) == len(questions):
            raise ValueError(
                f"answers and right have {len(given)} and {len(right[name])} for "
                f"{name!r}: wanted {len(questions)}, one for each question"
            )
    stages = [
        {
            "name": name,
            "answers": [[[token, round(p, 3)] for token, p in one] for one in given],
            "right": [bool(one) for one in right[name]],
        }
        for name, given in answers.items()
    ]
    lines = [
        f"{one['name']}: {' '.join(token for token, _ in one['answers'][0])}"
        for one in stages
    ]
    return InteractiveFigure(
        "stages",
        "The same question after each stage",
        {"questions": list(questions), "stages": stages},
        (150 + 78 * len(stages), 190 + 130 * len(stages)),
        _still(questions[0], lines),
        f"“{questions[0]}” " + ". ".join(lines),
    )


def _still(question, lines):
    import textwrap

    import matplotlib.pyplot as plt

    rows = [question, *lines]
    wrapped = [textwrap.wrap(row.replace("$", r"\$"), 88) for row in rows]
    with figure_style():
        height = 0.3 * sum(map(len, wrapped)) + 0.2 * len(rows)
        figure, axes = plt.subplots(figsize=(7, height))
        axes.set_axis_off()
        at = 0.0
        for place, row in enumerate(wrapped):
            color = COLORS["blue"] if place == 0 else None
            axes.text(0, -at, "\n".join(row), va="top", fontsize=9, color=color)
            at += len(row) + 0.7
        axes.set(xlim=(0, 1), ylim=(-at, 0))
        return as_png(figure)
