"""Ask an answer a question, and bring NumPy back.

`describing` says what an answer is, and in which framework. `building` makes an object
of its class with the question's weights, `converting` carries values between NumPy and
the frameworks, and `learning` watches what a gradient reaches.
"""

import inspect
from dataclasses import dataclass, field
from typing import Any

from ..failure import Failure, failure_of
from ..session import TookTooLongError, time_limit, undisturbed
from .building import build
from .converting import equal, to_framework, to_numpy
from .describing import About, codes_of, describe, is_layer
from .learning import Called, call_function, call_layer

SECONDS = 5  # for one call, far more than any answer needs


@dataclass(frozen=True)
class Reply:
    """The result of one call, in NumPy and Python."""

    output: Any = None
    made_of: tuple[str, ...] = ()  # libraries whose arrays are in the output
    changed: str = ""  # the argument or weight that the call changed in place
    frozen: str = ""  # the weight or argument that no gradient reaches
    nan: str = ""  # the argument for which a loss has a NaN gradient
    failure: Failure | None = None


@dataclass
class LocalAnswer:
    """An answer that lives in this process."""

    answer: Any
    seconds: float = SECONDS
    _about: About | None = field(default=None, repr=False)

    def about(self):
        self._about = self._about or describe(self.answer)
        return self._about

    def reply(self, case, framework):
        return reply(self.answer, case, framework, self.seconds)


def reply(answer, case, framework, seconds=SECONDS):
    """Ask the answer one question and return its `Reply`."""
    if not callable(answer) or is_layer(answer):
        try:
            with time_limit(seconds):
                return Reply(*to_numpy(answer))
        except TookTooLongError as error:
            return Reply(failure=too_late(error, (), seconds))
        except Exception as error:
            return Reply(failure=failure_of(error, ()))
    files = {code.co_filename for code in codes_of(answer)}
    names = _argument_names(answer, len(case.args))
    args = [to_framework(value, framework) for value in case.args]
    kwargs = {name: to_framework(v, framework) for name, v in case.kwargs.items()}
    try:
        with undisturbed(), time_limit(seconds):
            if case.new is not None:
                layer = build(answer, case, framework, args, kwargs)
                called = call_layer(layer, case, framework, args, kwargs)
            elif case.learns:
                called = call_function(answer, args, names, framework, case.learns)
            else:
                called = Called(answer(*args, **kwargs))
            output, made_of = to_numpy(called.output)
    except TookTooLongError as error:
        return Reply(failure=too_late(error, files, seconds))
    except (Exception, SystemExit) as error:
        return Reply(failure=failure_of(error, files))
    before, after = [*case.args, *case.kwargs.values()], [*args, *kwargs.values()]
    changed = [
        f"argument `{name}`"
        for name, old, new in zip([*names, *kwargs], before, after, strict=True)
        if not equal(old, to_numpy(new)[0])
    ]
    changed += [f"weight `{name}`" for name in called.changed]
    changed = changed[0] if changed else ""
    return Reply(output, made_of, changed, called.frozen, called.nan)


def _argument_names(answer, number):
    """Return the names of the positional arguments in the reader's code."""
    if isinstance(answer, type):
        answer = getattr(answer, "forward", None) or getattr(answer, "call", answer)
    try:
        names = [
            name for name in inspect.signature(answer).parameters if name != "self"
        ]
    except (TypeError, ValueError):
        names = []
    places = [f"argument {place + 1}" for place in range(number)]
    return names[:number] + places[len(names) :]


def too_late(error, files, seconds):
    """Return the failure of code that was stopped, with its line at that moment."""
    where = failure_of(error, files)
    message = f"it ran for more than {seconds:.3g} seconds"
    return Failure("TookTooLong", message, where.line, where.line_number)
