"""Beside the reader's code: describe an answer, call it, bring NumPy back.

`asking` puts a question to an answer; `session` leaves the reader's session as it was
and limits time; `failing` says what went wrong, and where. For the sandbox, `__main__`
runs a notebook's cells, of which `commands` makes plain Python, and answers questions
about what they define; `wire` carries these, and `template` makes such workers. The
walls around them stand in `exercises/marking/sandbox.py`.

Nothing here knows what is right. The same files run in the reader's notebook and in the
teacher's sandbox, where nothing that they say is trusted. They import nothing else of
the book.
"""

from .asking import About, LocalAnswer, Reply, describe, reply, too_late
from .failure import Failure, failure_of
from .session import TookTooLongError, time_limit, undisturbed

__all__ = [
    "About",
    "Failure",
    "LocalAnswer",
    "Reply",
    "TookTooLongError",
    "describe",
    "failure_of",
    "reply",
    "time_limit",
    "too_late",
    "undisturbed",
]
