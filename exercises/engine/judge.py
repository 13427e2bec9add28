"""Decide what is right. The judge sees replies only, never the reader's code."""

import inspect
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from exercises.engine.calls import call
from exercises.engine.comparing import (
    difference,
    excess,
    is_rounded,
    misfit,
    short,
    unwrapped,
)
from exercises.engine.exercise import NAMES
from exercises.engine.programs import fingerprint_of, run_program
from exercises.worker import Failure, LocalAnswer, Reply

import numpy as np

RIGHT, NOT_ATTEMPTED, EXCEPTION = "right", "not attempted", "exception"
MISTAKE, WRONG = "mistake", "wrong"


@dataclass(frozen=True)
class Verdict:
    """The outcome of an answer, and one short message."""

    outcome: str
    message: str
    mistake: str = ""  # the sentence of the known mistake, for a teacher's statistics


# Failures for which an answer is not asked again.
_TOO_LARGE = "TooLarge"
_EXHAUSTED = ("TookTooLong", _TOO_LARGE, "MemoryError")


class _FoundError(Exception):
    """The first thing that is wrong."""

    def __init__(self, outcome, message, final=False):
        super().__init__(message)
        self.verdict = Verdict(outcome, message)
        self.final = final or outcome == NOT_ATTEMPTED  # and needs no other name


def judge(
    exercise,
    answer,
    seed,
    *,
    framework=None,
    variant=0,
    name_mistakes=True,
    largest_only=False,
):
    """Judge one answer.

    Args:
        exercise: the `Exercise`.
        answer: something with `about()` and `reply(call, framework)`, such as a
            `LocalAnswer`.
        seed: draws sizes and values of the hidden questions.
        framework: "torch" or "tensorflow" where only that one is accepted; None finds
            it out from the answer.
        variant: the seed of the values that the exercise's words showed.
        name_mistakes: whether to look for the mistake when the answer is wrong.
        largest_only: whether to ask no more than the largest question. What is wrong
            there is wrong, but not all that is right there is right.

    Returns:
        A `Verdict`.
    """
    answer = _AskedOnce(exercise, answer, variant)
    calls = _calls(exercise, seed)[-1 if largest_only else 0 :]
    try:
        framework = _framework(exercise, answer, calls, framework, variant)
    except _FoundError as found:
        return found.verdict
    ask = _Ask(exercise, answer, framework)
    try:
        questions = _examine(exercise, ask, calls, seed, variant, largest_only)
    except _FoundError as found:
        if not name_mistakes or found.final:
            return found.verdict
        return _named(ask, calls, variant, seed, found.verdict)
    return Verdict(RIGHT, _praise(exercise, framework, questions))


def _praise(exercise, framework, questions):
    if exercise.kind_of_answer == "value":
        return "Right."
    where = "" if framework == "python" else f" in {NAMES[framework]}"
    return f"Right{where}, on {questions} inputs."


# ---- Before the first question ---------------------------------------------------


def _framework(exercise, answer, calls, wanted, variant):
    """Return the framework of an answer; refuse what is not an answer at all."""
    about = answer.about()
    value = _read_value(answer, calls[0]) if about.kind == "value" else about
    if value is None or value is Ellipsis or is_starter(exercise, about, variant):
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
        reply = answer.reply(calls[0], candidate)
        # One framework's function may take the other's tensors, and return its own.
        if reply.failure is None and set(reply.made_of) <= {candidate}:
            return candidate
        if reply.failure and reply.failure.kind in _EXHAUSTED:
            raise _FoundError(*_told(reply.failure, ""))
    return candidates[0]


def _read_value(answer, case):
    reply = answer.reply(case, "python")
    if reply.failure:
        _, why = _told(reply.failure, "")
        if reply.failure.kind != _TOO_LARGE:
            why = f"Your value cannot be read, in numbers or text. {why}"
        raise _FoundError(WRONG, why)
    return reply.output


def is_starter(exercise, about, variant):
    """Whether an answer is still the starter, whatever it is called now."""
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
    if wanted == "function" and about.kind == "object":
        raise _FoundError(
            WRONG, "A function is asked for, and this is a layer: write it with `def`."
        )
    if wanted == "function" and about.kind != "function":
        advice = f": hand in `{exercise.name}` itself, without calling it"
        raise _FoundError(
            WRONG,
            f"A function is asked for, and this is a {about.kind}"
            f"{advice if about.kind == 'value' else ''}.",
        )


# ---- The questions ---------------------------------------------------------------


@dataclass
class _AskedOnce:
    """An answer that is put each question once, however often its reply is needed.

    Of a value, only the numbers count, not their wrapping. What is far larger than any
    right output is not looked at: that would take longer than all the rest.
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
        if key not in self.replies:  # the case is kept, too: its id is not given anew
            self.replies[key] = case, self._put(case, framework)
        return self.replies[key][1]

    def _put(self, case, framework):
        reply = self.answer.reply(case, framework)
        is_value = self.exercise.kind_of_answer == "value"
        right = self.exercise.right(self.variant) if is_value else None
        if told := excess(reply.output, right, lists=framework == "python"):
            return Reply(failure=Failure(_TOO_LARGE, told))
        if is_value:
            return replace(reply, output=unwrapped(reply.output, right))
        return reply


class _Ask:
    """Put questions to an answer, and raise `_FoundError` where it fails.

    A property calls it like the answer itself and gets its output.
    """

    def __init__(self, exercise, answer, framework):
        self.exercise, self.answer, self.framework = exercise, answer, framework
        self.place = ""  # what is examined beside the outputs of all `cases`

    def __call__(self, *args, **how):
        return self.output(call(*args, **how))

    def output(self, case):
        reply = self.answer.reply(case, self.framework)
        if reply.failure:
            final = reply.failure.kind in _EXHAUSTED
            raise _FoundError(*_told(reply.failure, self.given(case)), final)
        if _is_unfinished(reply.output):
            raise _FoundError(NOT_ATTEMPTED, _UNFINISHED)
        if self.framework != "python":
            self._require_own_tensors(reply.made_of)
        if reply.changed:
            raise _FoundError(
                WRONG,
                f"{self.given(case)}your code changed its {reply.changed} in place. "
                "It is still needed as it was: compute a new one.",
            )
        if reply.frozen and reply.output is not None:  # None is told by its form
            raise _FoundError(
                WRONG,
                f"`{reply.frozen}` cannot learn: no gradient reaches it. Is it used, "
                "and is no tensor detached or made a plain number on its way to the "
                "output?",
            )
        if reply.nan:
            raise _FoundError(
                WRONG,
                f"{self.given(case)}the gradient of `{reply.nan}` is NaN, although the "
                "loss is not. Has each row of scores a key left, even a row that the "
                "loss leaves out?",
            )
        return reply.output

    def _require_own_tensors(self, made_of):
        if "numpy" in made_of:
            raise _FoundError(
                WRONG, "You return a NumPy array; a tensor of the framework is wanted."
            )
        foreign = [name for name in made_of if name != self.framework]
        if foreign:
            has, wanted = NAMES.get(foreign[0], foreign[0]), NAMES[self.framework]
            raise _FoundError(
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


def _told(failure, given):
    if "llipsis" in failure.message:
        return NOT_ATTEMPTED, _UNFINISHED
    if failure.kind == "MisfitError":
        return WRONG, f"{given}{failure.message}."
    if failure.kind == _TOO_LARGE:
        return WRONG, _sentence(given, failure.message)
    where = (
        f" in your line {failure.line_number}, `{failure.line}`" if failure.line else ""
    )
    message = failure.message or "no message"
    return EXCEPTION, f"{given}{failure.kind}{where}: {message.rstrip('.')}."


def _examine(exercise, ask, calls, seed, variant, largest_only):
    """Return the number of questions asked; raise `_FoundError` for a wrong answer."""
    checks = () if largest_only else exercise.checks
    long_calls = [] if largest_only else _long_calls(exercise, seed)
    lists = ask.framework == "python"
    pairs = []
    for case in calls:  # first the form of every output…
        want = _reference(exercise, case, variant)
        got = ask.output(case)
        if wrong := misfit(got, want, lists=lists):
            raise _FoundError(WRONG, _sentence(ask.given(case), wrong))
        pairs.append((case, got, want))
    for number, check in enumerate(checks):  # …then what must hold…
        ask.place = f"check {number}"
        if sentence := _held(check, ask, np.random.default_rng([number, seed])):
            raise _FoundError(WRONG, sentence)
    ask.place = ""
    # A value that is told what it should be would need no second thought.
    tell = exercise.kind_of_answer != "value"
    for case, got, want in pairs:  # …then the values
        if wrong := difference(got, want, exercise.tolerance, tell=tell):
            raise _FoundError(WRONG, _sentence(ask.given(case), wrong))
    ask.place = "long"
    for case in long_calls:  # …and last what only a long input shows
        want = _reference(exercise, case, variant)
        got = ask.output(case)
        wrong = misfit(got, want, lists=lists)
        if wrong := wrong or difference(got, want, exercise.tolerance):
            raise _FoundError(WRONG, _sentence(ask.given(case), wrong))
    return len(calls) + len(long_calls)


def _sentence(given, wrong):
    return f"{given}{wrong}" if given else wrong[0].upper() + wrong[1:]


def _held(check, ask, draw):
    """Ask for a property; an output of a form that it cannot read is wrong too."""
    try:
        return check(ask, draw)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return "For other inputs your output has another form than it should."


# ---- The mistake's name ----------------------------------------------------------


def _named(ask, calls, variant, seed, verdict):
    """Return the verdict with the sentence of the mistake that has the same defect.

    It gives the same outputs, and fails at the same place where they are right; of a
    value, it may give them rounded. The verdict stays as it is when no known
    mistake does.
    """
    exercise, answer, framework = ask.exercise, ask.answer, ask.framework
    ways = [_same]
    if exercise.kind_of_answer == "value":
        got = answer.reply(calls[0], framework).output
        ways += [] if is_rounded(got, exercise.right(variant)) else [_rounded]
    # The largest question tells most mistakes apart. But an answer that failed before
    # it is not asked more than it must be: it may never end.
    order = calls[::-1] if answer.was_asked(calls[-1], framework) else calls
    for is_like in ways:
        for says, known in known_mistakes(exercise, framework, variant, seed):
            alike = all(
                is_like(
                    answer.reply(case, framework),
                    known.reply(case, framework),
                    exercise.tolerance,
                    framework,
                )
                for case in order
            )
            # Where a mistake fails is asked last: it takes a whole examination.
            if alike and (
                is_like is _rounded or not ask.place or ask.place == known.place
            ):
                return Verdict(MISTAKE, f"{verdict.message} {says}", says)
    return verdict


# Many answers are judged with the same questions, and what is right is always the same,
# and so are the mistakes.


@lru_cache(maxsize=64)
def _calls(exercise, seed):
    """Return the questions of a seed."""
    return exercise.calls(seed)


@lru_cache(maxsize=16)
def _long_calls(exercise, seed):
    return exercise.long_calls(seed)


@lru_cache(maxsize=1024)
def _reference(exercise, case, variant):
    """Return the right output of a question."""
    if exercise.cases is None:
        return exercise.right(variant)
    named = dict(case.kwargs)
    if case.new is not None:
        named |= {"weights": case.weights, **case.new}
    return exercise.reference(*case.args, **named)


@lru_cache(maxsize=16)
def known_mistakes(exercise, framework, variant, seed):
    """Return [(sentence, answer)] of the list; each is put a seed's question once."""
    return [
        (says, _Mistake(exercise, known, variant, framework=framework, seed=seed))
        for says, known in _known_answers(exercise, framework, variant)
    ]


@dataclass
class _Mistake(_AskedOnce):
    """An answer of the list, judged as a reader's is, once."""

    framework: str = ""
    seed: int = 0

    @cached_property
    def place(self):
        """What is examined when it fails."""
        ask = _Ask(self.exercise, self, self.framework)
        calls = _calls(self.exercise, self.seed)
        try:
            _examine(self.exercise, ask, calls, self.seed, self.variant, False)
        except _FoundError:
            return ask.place
        return None


@lru_cache(maxsize=4)
def _known_answers(exercise, framework, variant):
    return [
        (says, _Known(exercise, framework, variant, program))
        for says, program in exercise.mistakes_in(framework, variant)
    ]


@dataclass
class _Known:
    """An answer with a mistake of the list. Its program runs when it is asked."""

    exercise: object
    framework: str
    variant: int
    program: str

    @cached_property
    def _answer(self):
        exercise, given = self.exercise, self.exercise.given(self.variant)
        return LocalAnswer(
            run_program(self.program, exercise.name, self.framework, given)
        )

    def about(self):
        return self._answer.about()

    def reply(self, case, framework):
        return self._answer.reply(case, framework)


def _same(a, b, tolerance, framework):
    if a.failure or b.failure:
        # In the same words: too much of what goes wrong is a RuntimeError.
        return _words(a.failure) == _words(b.failure)
    if _form(a, framework) != _form(b, framework):
        return False
    # What is changed in place is the defect, whatever comes out.
    return bool(a.changed) or not (
        misfit(a.output, b.output, finite=False, lists=framework == "python")
        or difference(a.output, b.output, tolerance)
    )


def _words(failure):
    return failure and (failure.kind, failure.message)


def _form(reply, framework):
    """Return what is wrong with an output even where its numbers are right."""
    foreign = () if framework == "python" else {*reply.made_of} - {framework}
    return foreign, reply.changed, bool(reply.frozen), bool(reply.nan)


def _rounded(a, b, tolerance, framework):
    return not (a.failure or b.failure) and is_rounded(a.output, b.output)
