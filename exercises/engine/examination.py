"""Question an answer until a reply is wrong, or all are right.

The examination sees replies only, never the reader's code.
"""

import inspect
from dataclasses import dataclass, field, replace
from functools import lru_cache

from exercises.engine.calls import call
from exercises.engine.exercise import NAMES
from exercises.engine.output_difference import difference
from exercises.engine.output_form import excess, misfit, unwrapped
from exercises.engine.output_in_words import short
from exercises.engine.verdict import EXCEPTION, NOT_ATTEMPTED, WRONG, Verdict
from exercises.worker import Failure, Reply

import numpy as np

# After these failures an answer is not asked again.
TOO_LARGE = "TooLarge"
EXHAUSTED = ("TookTooLong", TOO_LARGE, "MemoryError")


class DefectError(Exception):
    """The first thing that is wrong; `final` where no mistake's name could say more."""

    def __init__(self, outcome, message, final=False):
        super().__init__(message)
        self.verdict = Verdict(outcome, message)
        self.final = final or outcome == NOT_ATTEMPTED


@dataclass
class AskedOnce:
    """An answer that gets each question once, however often its reply is needed.

    Only the numbers of a value count, not what wraps them. An output far larger than
    any right one is refused unread, because reading it would take too long.
    """

    exercise: object
    answer: object
    variant: int
    replies: dict = field(default_factory=dict)

    def about(self):
        return self.answer.about()

    def was_asked(self, case, framework):
        return (id(case), framework) in self.replies

    def reply(self, case, framework):
        key = id(case), framework
        if key not in self.replies:  # keeping the case keeps its id from being reused
            self.replies[key] = case, self._put(case, framework)
        return self.replies[key][1]

    def _put(self, case, framework):
        reply = self.answer.reply(case, framework)
        is_value = self.exercise.kind_of_answer == "value"
        right = self.exercise.right(self.variant) if is_value else None
        if too_much := excess(reply.output, right, lists=framework == "python"):
            return Reply(failure=Failure(TOO_LARGE, too_much))
        if is_value:
            return replace(reply, output=unwrapped(reply.output, right))
        return reply


class Ask:
    """Question an answer, and raise `DefectError` where it fails.

    A property calls it as it would call the answer, and gets the output.
    """

    def __init__(self, exercise, answer, framework):
        self.exercise, self.answer, self.framework = exercise, answer, framework
        self.place = ""  # what is being examined, if not the outputs of all `cases`

    def __call__(self, *args, **how):
        return self.output(call(*args, **how))

    def output(self, case):
        reply = self.answer.reply(case, self.framework)
        if reply.failure:
            final = reply.failure.kind in EXHAUSTED
            raise DefectError(*failure_in_words(reply.failure, self.given(case)), final)
        if _is_unfinished(reply.output):
            raise DefectError(NOT_ATTEMPTED, _UNFINISHED)
        if self.framework != "python":
            self._require_own_tensors(reply.made_of)
        if reply.changed:
            raise DefectError(
                WRONG,
                f"{self.given(case)}your code changed its {reply.changed} in place. "
                "It is still needed as it was: compute a new one.",
            )
        if reply.frozen and reply.output is not None:  # `misfit` reports None
            raise DefectError(
                WRONG,
                f"`{reply.frozen}` cannot learn: no gradient reaches it. Is it used, "
                "and is no tensor detached or made a plain number on its way to the "
                "output?",
            )
        if reply.nan:
            raise DefectError(
                WRONG,
                f"{self.given(case)}the gradient of `{reply.nan}` is NaN, although the "
                "loss is not. Has each row of scores a key left, even a row that the "
                "loss leaves out?",
            )
        return reply.output

    def _require_own_tensors(self, made_of):
        if "numpy" in made_of:
            raise DefectError(
                WRONG, "You return a NumPy array; a tensor of the framework is wanted."
            )
        foreign = [name for name in made_of if name != self.framework]
        if foreign:
            has, wanted = NAMES.get(foreign[0], foreign[0]), NAMES[self.framework]
            raise DefectError(
                WRONG, f"You return a {has} tensor; a {wanted} tensor is wanted."
            )

    def given(self, case):
        """Say which input it was: small values in full, larger ones by shape."""
        if self.exercise.cases is None:
            return ""
        words = [
            f"{name}={short(value)}"
            for name, value in [
                *(case.new or {}).items(),
                *zip(_parameters(self.exercise), case.args, strict=False),
                *case.kwargs.items(),
            ]
        ]
        return f"With {', '.join(words)}: " if words else ""


_UNFINISHED = "Not finished yet: a `...` is still to be filled in."


def _is_unfinished(output):
    if isinstance(output, tuple | list):
        return any(map(_is_unfinished, output))
    return output is Ellipsis


def _parameters(exercise):
    return [
        name
        for name in inspect.signature(exercise.reference).parameters
        if name != "weights"
    ]


def failure_in_words(failure, given):
    """Return the outcome and the message; `given` is the input in words."""
    if "llipsis" in failure.message:
        return NOT_ATTEMPTED, _UNFINISHED
    if failure.kind == "MisfitError":
        return WRONG, f"{given}{failure.message}."
    if failure.kind == TOO_LARGE:
        return WRONG, _sentence(given, failure.message)
    where = (
        f" in your line {failure.line_number}, `{failure.line}`" if failure.line else ""
    )
    message = failure.message or "no message"
    return EXCEPTION, f"{given}{failure.kind}{where}: {message.rstrip('.')}."


def examine(exercise, ask, calls, seed, variant, largest_only):
    """Return the number of questions asked; raise `DefectError` for a wrong answer."""
    checks = () if largest_only else exercise.checks
    long_calls = [] if largest_only else long_calls_of(exercise, seed)
    lists = ask.framework == "python"
    pairs = []
    for case in calls:  # first the form of every output…
        want = _right_output(exercise, case, variant)
        got = ask.output(case)
        if wrong := misfit(got, want, lists=lists):
            raise DefectError(WRONG, _sentence(ask.given(case), wrong))
        pairs.append((case, got, want))
    for number, check in enumerate(checks):  # …then what must hold…
        ask.place = f"check {number}"
        draw = np.random.default_rng([number, seed])
        if sentence := _violation(check, ask, draw):
            raise DefectError(WRONG, sentence)
    ask.place = ""
    # Whoever is told the right value need not think again.
    tell = exercise.kind_of_answer != "value"
    for case, got, want in [] if exercise.free else pairs:  # …then the values
        if wrong := difference(got, want, exercise.tolerance, tell=tell):
            raise DefectError(WRONG, _sentence(ask.given(case), wrong))
    ask.place = "long"
    for case in long_calls:  # …and last what only a long input shows
        want = _right_output(exercise, case, variant)
        got = ask.output(case)
        wrong = misfit(got, want, lists=lists)
        if wrong := wrong or difference(got, want, exercise.tolerance):
            raise DefectError(WRONG, _sentence(ask.given(case), wrong))
    return len(calls) + len(long_calls)


def _sentence(given, wrong):
    return f"{given}{wrong}" if given else wrong[0].upper() + wrong[1:]


def _violation(check, ask, draw):
    """Check a property; an output that the check cannot read violates it, too."""
    try:
        return check(ask, draw)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return "For other inputs your output has another form than it should."


# Many answers are judged with the same questions, whose right outputs never change.


@lru_cache(maxsize=64)
def calls_of(exercise, seed):
    """Return the questions of a seed."""
    return exercise.calls(seed)


@lru_cache(maxsize=16)
def long_calls_of(exercise, seed):
    return exercise.long_calls(seed)


@lru_cache(maxsize=1024)
def _right_output(exercise, case, variant):
    """Return the right output of a question."""
    if exercise.cases is None:
        return exercise.right(variant)
    named = dict(case.kwargs)
    if case.new is not None:
        named |= {"weights": case.weights, **case.new}
    return exercise.reference(*case.args, **named)
