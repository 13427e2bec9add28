"""The outcome of an answer."""

from dataclasses import dataclass

RIGHT, NOT_ATTEMPTED, EXCEPTION = "right", "not attempted", "exception"
MISTAKE, WRONG = "mistake", "wrong"


@dataclass(frozen=True)
class Verdict:
    """The outcome of an answer, and one short message."""

    outcome: str
    message: str
    mistake: str = ""  # the sentence of the known mistake, for a teacher's statistics
