"""A question between two sections: half a minute of thought, and never marked."""

import re
from dataclasses import dataclass

from exercises.engine.output_form import unwrapped
from exercises.engine.verdict import MISTAKE, NOT_ATTEMPTED, RIGHT, WRONG, Verdict

LEAD = "**Question.** "  # how its cell begins

# A letter, letters in order, a number, or numbers such as a shape.
Value = str | int | float | tuple[int | float, ...]


@dataclass(frozen=True, eq=False)
class Question:
    """One question. Its messages are plain text, with backticks around code."""

    task: str  # plain Markdown, at most 60 words
    right: Value  # letters are capitals
    because: str  # one or two sentences on why it is right
    mistakes: dict[Value, str]  # each tempting wrong value, and what was mixed up

    @property
    def wanted(self):
        """What is asked for, in words: "a letter"."""
        if isinstance(self.right, str) and len(self.right) > 1:
            return f'letters in order, such as "{"".join(sorted(self.right))}"'
        if isinstance(self.right, tuple):
            return f"numbers, such as {tuple(range(1, len(self.right) + 1))}"
        return "a letter" if isinstance(self.right, str) else "a number"

    def judge(self, answer):
        """Return the `Verdict` on an answer; None and `...` are none yet."""
        if answer is None or answer is ...:
            return Verdict(NOT_ATTEMPTED, "Not attempted yet.")
        value = plain(answer)
        if value == plain(self.right):
            return Verdict(RIGHT, f"Right. {self.because}")
        for mistake, says in self.mistakes.items():
            if value == plain(mistake):
                return Verdict(MISTAKE, says, says)
        return Verdict(WRONG, f"Your answer is {value!r}, and that is not right.")


def plain(value):
    """Return a value as it is compared: capital letters, a number or a list.

    Example:
        "b, a" -> "BA"
    """
    value = unwrapped(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = "".join(value)
    if isinstance(value, str):
        return re.sub(r"[\W\d_]", "", value).upper()
    return value if isinstance(value, int | float | list) else repr(value)
