"""Decide what is right. The judge sees replies only, never the reader's code."""

import inspect
from dataclasses import dataclass

from scratch.exercises.answers import LocalAnswer, fingerprint_of, run_program
from scratch.exercises.exercise import NAMES, call

import numpy as np

RIGHT, NOT_ATTEMPTED, EXCEPTION = "right", "not attempted", "exception"
MISTAKE, WRONG = "mistake", "wrong"


@dataclass(frozen=True)
class Verdict:
    """What came of an answer: one outcome, one short message."""

    outcome: str
    message: str
    mistake: str = ""  # the sentence of the known mistake, for a teacher's statistics


# Failures for which an answer is not asked again.
_EXHAUSTED = ("TookTooLong", "TooLarge", "MemoryError")


class _FoundError(Exception):
    """The first thing that is wrong."""

    def __init__(self, outcome, message, final=False):
        super().__init__(message)
        self.verdict = Verdict(outcome, message)
        self.final = final or outcome == NOT_ATTEMPTED  # and needs no other name


def judge(exercise, answer, seed, *, framework=None, variant=0, name_mistakes=True):
    """Judge one answer and return a `Verdict`.

    Args:
        exercise: the `Exercise`.
        answer: something with `about()` and `reply(call, framework)`, such as a
            `LocalAnswer`.
        seed: draws sizes and values of the hidden questions.
        framework: "torch" or "tensorflow" where only that one is accepted; None tells
            it from the answer.
        variant: the seed of the values that the exercise's words showed.
        name_mistakes: whether to look for the mistake when the answer is wrong.
    """
    calls = exercise.calls(seed)
    try:
        framework = _framework(exercise, answer, calls, framework, variant)
        ask = _Ask(exercise, answer, framework)
        _look(exercise, ask, calls, seed, variant)
    except _FoundError as found:
        if not name_mistakes or found.final:
            return found.verdict
        return _named(exercise, answer, calls, framework, variant, found.verdict)
    return Verdict(RIGHT, _praise(exercise, framework, len(calls)))


def _praise(exercise, framework, questions):
    if exercise.kind_of_answer == "value":
        return "Right."
    where = "" if framework == "python" else f" in {NAMES[framework]}"
    return f"Right{where}, on {questions} inputs."


# ---- Before the first question ---------------------------------------------------


def _framework(exercise, answer, calls, wanted, variant):
    """Refuse what is no answer at all, and tell which framework this one is in."""
    about = answer.about()
    value = answer.reply(calls[0], None).output if about.kind == "value" else about
    if value is None or value is Ellipsis or _is_starter(exercise, about, variant):
        name = f": {about.name}" if about.name else ""
        raise _FoundError(NOT_ATTEMPTED, f"Not attempted yet{name}.")
    _require_kind(exercise, about)
    if about.from_the_book:
        raise _FoundError(WRONG, "That is the book's own. The exercise asks for yours.")
    if exercise.frameworks == ("python",) or about.kind == "value":
        return "python"
    candidates = about.frameworks or exercise.frameworks
    if wanted:
        if wanted not in candidates:
            raise _FoundError(
                WRONG,
                f"This answer is written in {NAMES[candidates[0]]}; here "
                f"{NAMES[wanted]} is asked for.",
            )
        return wanted
    if len(candidates) == 1:
        return candidates[0]
    for candidate in candidates:
        failure = answer.reply(calls[0], candidate).failure
        if failure is None:
            return candidate
        if failure.kind in _EXHAUSTED:
            raise _FoundError(*_told(failure, ""), final=True)
    return candidates[0]


def _is_starter(exercise, about, variant):
    starters = (exercise.starter_in(f, variant) for f in exercise.frameworks)
    return bool(about.fingerprint) and any(
        about.fingerprint == fingerprint_of(starter, exercise.name)
        for starter in starters
    )


def _require_kind(exercise, about):
    wanted, name = exercise.kind_of_answer, about.name or exercise.name
    if wanted == "class" and about.kind == "object":
        raise _FoundError(
            WRONG, "Hand in the class itself, not an object made from it."
        )
    if wanted == "value" and about.kind in ("function", "class"):
        raise _FoundError(
            WRONG, f"A value is asked for, and `{name}` is a {about.kind}."
        )
    if wanted == "class" and about.kind != "class":
        raise _FoundError(WRONG, f"A class is asked for, and this is a {about.kind}.")
    if wanted == "function" and about.kind != "function":
        advice = f": hand in `{exercise.name}` itself, without calling it"
        a_kind = "an object" if about.kind == "object" else f"a {about.kind}"
        raise _FoundError(
            WRONG, f"A function is asked for, and this is {a_kind}{advice}."
        )


# ---- The questions ---------------------------------------------------------------


class _Ask:
    """Puts questions to an answer, and turns failures into findings.

    A property calls it like the answer itself and gets its output.
    """

    def __init__(self, exercise, answer, framework):
        self.exercise, self.answer, self.framework = exercise, answer, framework

    def __call__(self, *args, **how):
        return self.output(call(*args, **how))

    def output(self, case):
        reply = self.answer.reply(case, self.framework)
        if reply.failure:
            final = reply.failure.kind in _EXHAUSTED
            raise _FoundError(*_told(reply.failure, self.given(case)), final)
        foreign = [m for m in reply.made_of if m != self.framework]
        if foreign and self.framework != "python":
            has = {"numpy": "a NumPy array"}.get(foreign[0], f"a {foreign[0]} tensor")
            raise _FoundError(
                WRONG, f"You return {has}; a {NAMES[self.framework]} tensor is wanted."
            )
        if reply.changed:
            raise _FoundError(
                WRONG,
                f"{self.given(case)}your code changed its argument `{reply.changed}` "
                "in place. The caller still needs it: compute a new one.",
            )
        return reply.output

    def given(self, case):
        """Say which input it was: small values in full, larger ones by shape."""
        if self.exercise.cases is None:
            return ""
        words = [
            f"{name}={_short(value)}"
            for name, value in [
                *(case.new or {}).items(),
                *zip(_parameters(self.exercise), case.args, strict=False),
                *case.kwargs.items(),
            ]
        ]
        return f"With {', '.join(words)}: " if words else ""


def _parameters(exercise):
    return [
        name
        for name in inspect.signature(exercise.reference).parameters
        if name != "weights"
    ]


def _told(failure, given):
    if "llipsis" in failure.message:
        return NOT_ATTEMPTED, "Not finished yet: a `...` is still to be filled in."
    if failure.kind == "MisfitError":
        return WRONG, f"{given}{failure.message}."
    where = (
        f" in your line {failure.line_number}, `{failure.line}`" if failure.line else ""
    )
    message = failure.message or "no message"
    return EXCEPTION, f"{given}{failure.kind}{where}: {message.rstrip('.')}."


def _look(exercise, ask, calls, seed, variant):
    """Raise `_FoundError` for the first thing that is wrong."""
    pairs = []
    for case in calls:  # first the form of every output…
        got, want = ask.output(case), _reference(exercise, case, variant)
        if wrong := misfit(got, want):
            raise _FoundError(WRONG, f"{ask.given(case)}{wrong}")
        pairs.append((case, got, want))
    for number, check in enumerate(exercise.checks):  # …then what must hold…
        sentence = check(ask, np.random.default_rng([number, seed]))
        if sentence:
            raise _FoundError(WRONG, sentence)
    for case, got, want in pairs:  # …then the values
        if wrong := difference(got, want, exercise.tolerance):
            raise _FoundError(WRONG, f"{ask.given(case)}{wrong}")


def _reference(exercise, case, variant):
    if exercise.cases is None:
        return exercise.reference(**exercise.drawn(variant))
    named = dict(case.kwargs)
    if case.new is not None:
        named |= {"weights": case.weights, **case.new}
    return exercise.reference(*case.args, **named)


# ---- The mistake's name ----------------------------------------------------------


def _named(exercise, answer, calls, framework, variant, verdict):
    """Add the sentence of the known mistake that gives the same outputs."""
    if framework is None:
        return verdict
    replies = [answer.reply(case, framework) for case in calls]
    for says, program in exercise.mistakes_in(framework, variant):
        name, given = exercise.name, exercise.given(variant)
        known = LocalAnswer(run_program(program, name, framework, given))
        if all(
            _same(reply, known.reply(case, framework), exercise.tolerance)
            for case, reply in zip(calls, replies, strict=True)
        ):
            return Verdict(MISTAKE, f"{verdict.message} {says}", says)
    return verdict


def _same(a, b, tolerance):
    if a.failure or b.failure:
        return bool(a.failure and b.failure) and a.failure.kind == b.failure.kind
    if a.changed and a.changed == b.changed:
        return True
    return not (
        misfit(a.output, b.output, finite=False)
        or difference(a.output, b.output, tolerance)
    )


# ---- Comparing -------------------------------------------------------------------


def misfit(got, want, finite=True):
    """Say what is wrong with the form of an output: type, length, shape, finiteness."""
    if isinstance(want, np.ndarray | np.generic | bool | int | float):
        return _array_misfit(got, np.asarray(want), finite)
    if isinstance(want, tuple | list):
        if got is None:
            return "it returns None. Is there a `return`?"
        if isinstance(got, np.ndarray) and got.ndim > 0:
            got = list(got)
        if not isinstance(got, tuple | list):
            return f"{_a(got)} comes back; {_a(want)} of {len(want)} is wanted."
        if len(got) != len(want):
            return f"{len(got)} come back ({_short(got)}); {len(want)} are wanted."
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            if wrong := misfit(one, other, finite):
                return f"in place {place}, {wrong}"
        return None
    if got is None and want is not None:
        return "it returns None. Is there a `return`?"
    if type(got) is not type(want):
        return f"{_a(got)} comes back; {_a(want)} is wanted."
    return None


def _array_misfit(got, want, finite):
    if got is None:
        return "it returns None. Is there a `return`?"
    loose = want.ndim == 0 and isinstance(got, bool | int | float)
    if isinstance(got, list | tuple) and want.ndim:
        got = np.array(got) if _is_even(got) else got
    if not isinstance(got, np.ndarray) and not loose:
        return f"{_a(got)} comes back; {_a(want)} is wanted."
    got = np.asarray(got)
    kinds = {"b": "True and False", "i": "whole numbers", "u": "whole numbers"}
    has, wants = (
        kinds.get(got.dtype.kind, "floats"),
        kinds.get(want.dtype.kind, "floats"),
    )
    if got.dtype.kind not in "biuf":
        return f"{_a(got)} comes back; {wants} are wanted."
    if got.shape != want.shape:
        return f"the shape is {got.shape}; {want.shape} is wanted."
    if has != wants and not (loose and has == "whole numbers"):
        return f"it holds {has} ({got.dtype}); {wants} are wanted."
    if finite and got.dtype.kind == "f" and np.isfinite(want).all():
        bad = np.argwhere(~np.isfinite(got))
        if len(bad):
            return f"{_entry(bad[0])} is {got[tuple(bad[0])]}."
    return None


def _is_even(values):
    try:
        np.array(values)
    except ValueError:
        return False
    return True


def difference(got, want, tolerance):
    """Say where an output of the right form differs, and both values."""
    if isinstance(want, np.ndarray | np.generic | bool | int | float):
        got, want = np.asarray(got), np.asarray(want)
        if want.dtype.kind in "biu" and got.dtype.kind in "biu":
            wrong = np.argwhere(got != want)
        else:
            near = np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
            wrong = np.argwhere(~near)
        if not len(wrong):
            return None
        at = tuple(wrong[0])
        return "{} is {}; {} is wanted.".format(
            _entry(at), *_told_apart(got[at], want[at])
        )
    if isinstance(want, tuple | list):
        for place, (one, other) in enumerate(zip(got, want, strict=True)):
            if wrong := difference(one, other, tolerance):
                return f"in place {place}, {wrong}"
        return None
    if got != want:
        return f"it is {_short(got)}; {_short(want)} is wanted."
    return None


def _entry(at):
    return f"entry [{', '.join(map(str, at))}]" if len(at) else "it"


def _told_apart(got, want):
    """Write two numbers with as many digits as it takes to see that they differ."""
    for digits in range(3, 8):
        pair = _short(got, digits), _short(want, digits)
        if pair[0] != pair[1]:
            break
    return pair


def _short(value, digits=3):
    if isinstance(value, np.ndarray | np.generic) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, np.ndarray):
        if value.size <= 6:
            return np.array2string(value, precision=2, separator=", ").replace("\n", "")
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _a(value):
    names = {
        np.ndarray: "a tensor",
        str: "a text",
        int: "a whole number",
        float: "a number",
        bool: "a truth value",
        type(None): "None",
    }
    return names.get(type(value), f"a {type(value).__name__}")
