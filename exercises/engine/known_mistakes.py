"""Name the mistake in a wrong answer: the known one that fails in the same way."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from exercises.engine.examination import Ask, AskedOnce, DefectError, calls_of, examine
from exercises.engine.output_difference import difference, is_rounded
from exercises.engine.output_form import misfit
from exercises.engine.programs import run_program
from exercises.engine.verdict import MISTAKE, Verdict
from exercises.worker import LocalAnswer


def with_mistake_named(ask, calls, variant, seed, verdict):
    """Return the verdict with the sentence of the known mistake that fails alike.

    That mistake gives the same outputs, or for a value the same ones before rounding.
    Where the outputs are right, it fails the same check. Without such a mistake the
    verdict stays as it is.
    """
    exercise, answer, framework = ask.exercise, ask.answer, ask.framework
    likenesses = [_is_same]
    if exercise.kind_of_answer == "value":
        got = answer.reply(calls[0], framework).output
        if not is_rounded(got, exercise.right(variant)):
            likenesses.append(_rounds)
    # The largest question tells most mistakes apart. But an answer that failed before
    # reaching it may never return, so it is asked no more than it must be.
    order = calls[::-1] if answer.was_asked(calls[-1], framework) else calls
    for is_like in likenesses:
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
            # The mistake's place comes last, because it takes a whole examination.
            if alike and (
                is_like is _rounds or not ask.place or ask.place == known.place
            ):
                return Verdict(MISTAKE, f"{verdict.message} {says}", says)
    return verdict


@lru_cache(maxsize=16)
def known_mistakes(exercise, framework, variant, seed):
    """Return [(sentence, answer)]; each answer gets a seed's questions once."""
    return [
        (says, _Mistake(exercise, known, variant, framework=framework, seed=seed))
        for says, known in _known_answers(exercise, framework, variant)
    ]


@dataclass
class _Mistake(AskedOnce):
    """An answer with a known mistake, examined as a reader's answer is."""

    framework: str = ""
    seed: int = 0

    @cached_property
    def place(self):
        """What is being examined when it fails."""
        ask = Ask(self.exercise, self, self.framework)
        calls = calls_of(self.exercise, self.seed)
        try:
            examine(self.exercise, ask, calls, self.seed, self.variant, False)
        except DefectError:
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
    """The answer that a mistake's program gives; the program runs when it is needed."""

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


def _is_same(a, b, tolerance, framework):
    if a.failure or b.failure:
        # The words must be the same, because so many failures are a RuntimeError.
        return _words(a.failure) == _words(b.failure)
    if _form(a, framework) != _form(b, framework):
        return False
    # A change in place is the defect, whatever the output is.
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


def _rounds(a, b, tolerance, framework):
    return not (a.failure or b.failure) and is_rounded(a.output, b.output)
