"""The functions that a reader calls: `check`, `hint` and `solution`."""

import html
import os
import sys
from collections import Counter
from dataclasses import dataclass

from exercises.engine.exercise import NAMES
from exercises.engine.judge import judge
from exercises.engine.registry import find, find_question
from exercises.engine.solution_lock import opens
from exercises.engine.verdict import NOT_ATTEMPTED, RIGHT
from exercises.worker import LocalAnswer

_hints_given = Counter()
_variants = {}  # by exercise, the variant that was asked last


def check(
    exercise: str, answer: object, *, framework: str | None = None, variant: int = 0
) -> None:
    """Check an answer and display the first thing that is wrong with it, if any.

    Args:
        exercise: the name of an exercise, such as "attention.causal_mask", or of a
            question between two sections.
        answer: your function, class or value, in either framework.
        framework: "torch" or "tensorflow", where only that one is accepted.
        variant: the variant of the exercise that was asked; the book's is 0.

    Raises:
        ValueError: there is no such exercise. The nearest names are listed.
    """
    if question := find_question(exercise):
        verdict = question.judge(answer)
    else:
        seed = int.from_bytes(os.urandom(4), "big")
        verdict = judge(
            find(exercise),
            LocalAnswer(answer),
            seed,
            framework=framework,
            variant=_asked(exercise, variant),
        )
    _show(Message(_SIGNS.get(verdict.outcome, "✗"), verdict.message))


def hint(exercise: str, variant: int | None = None) -> None:
    """Display the next hint.

    Args:
        exercise: as in `check`.
        variant: as in `check`; None for the one that was asked last.

    Raises:
        ValueError: there is no such exercise.
    """
    hints = find(exercise).hints
    variant = _asked(exercise, variant)
    place = _hints_given[exercise]
    if place >= len(hints):
        _show(Markdown(f'That was the last hint. Look: `solution("{exercise}")`'))
        return
    _hints_given[exercise] += 1
    words = find(exercise).words(hints[place], variant)
    _show(Markdown(f"Hint {place + 1} of {len(hints)}: {words}"))


def solution(exercise: str, variant: int | None = None, *, word: str = "") -> None:
    """Display a solution in each framework, and why it is one.

    Args:
        exercise: as in `check`.
        variant: as in `hint`.
        word: what a teacher who locked the solutions gives; the book's need none.

    Raises:
        ValueError: there is no such exercise.
    """
    text = solution_text(find(exercise), _asked(exercise, variant))
    if not opens(word, _asked(exercise, variant)):
        text = "This solution opens with the word that your teacher gives: "
        text += f'`solution("{exercise}", word="…")`'
    _show(Markdown(text))


def _asked(exercise, variant):
    """Return the variant, or if it is None, the one that was asked last."""
    if variant is None:
        return _variants.get(exercise, 0)
    _variants[exercise] = variant
    return variant


def solution_text(exercise, variant=0):
    """Return the solution as Markdown."""
    parts = []
    for framework in exercise.frameworks:
        if len(exercise.frameworks) > 1:
            parts.append(f"{NAMES[framework]}:")
        program = exercise.solution_in(framework, variant)
        parts.append(f"```python\n{exercise.renamed(program, framework)}```")
    return "\n\n".join([*parts, exercise.words(exercise.why, variant).strip()])


_SIGNS = {RIGHT: "✓", NOT_ATTEMPTED: "·"}
_COLOURS = {"✓": "#009e73", "✗": "#d55e00", "·": "#808080"}


@dataclass(frozen=True)
class Message:
    """A line of text with a sign, for a notebook or a prompt."""

    sign: str
    text: str

    def __repr__(self):
        return f"{self.sign} {self.text}"

    def _repr_html_(self):
        # Text and ground have no colour of their own, for light and for dark pages.
        parts = html.escape(self.text).split("`")
        text = "".join(
            f"<code>{part}</code>" if place % 2 else part
            for place, part in enumerate(parts)
        )
        colour = _COLOURS[self.sign]
        return (
            f'<div style="border-left: 4px solid {colour}; padding: 0.2em 0.8em">'
            f"{self.sign} {text}</div>"
        )


@dataclass(frozen=True)
class Markdown:
    """Markdown, rendered in a notebook and plain at a prompt."""

    text: str

    def __repr__(self):
        return self.text

    def _repr_markdown_(self):
        return self.text


def _show(message):
    """Display in a notebook or IPython, print elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        from IPython.display import display

        display(message)
    else:
        print(message)
