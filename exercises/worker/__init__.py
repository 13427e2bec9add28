"""Run next to a reader's code: describe an answer, call it, bring NumPy back.

`asking` asks an answer a question, `session` keeps the reader's session as it was and
limits time, and `failure` says what went wrong and where. In the sandbox, `fork_server`
forks workers. There `__main__` runs a notebook's cells, which `ipython_commands` turns
into plain Python, and answers questions about them over `wire`. The walls around them
are in `exercises/marking/sandbox.py`.

Nothing here knows what is right, or imports anything else of the book. The same files
run in the reader's notebook and in the teacher's sandbox, where they are not trusted.
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
