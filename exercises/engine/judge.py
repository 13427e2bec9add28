"""Decide what is right. The judge sees replies only, never the reader's code."""

from exercises.engine.examination import (
    EXHAUSTED,
    TOO_LARGE,
    Ask,
    AskedOnce,
    DefectError,
    calls_of,
    examine,
    failure_in_words,
)
from exercises.engine.exercise import NAMES
from exercises.engine.known_mistakes import with_mistake_named
from exercises.engine.programs import fingerprint_of
from exercises.engine.verdict import NOT_ATTEMPTED, RIGHT, WRONG, Verdict


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
        framework: "torch" or "tensorflow" where only that one is accepted; with None,
            the answer tells.
        variant: the seed of the values that the exercise's words showed.
        name_mistakes: whether to look for the mistake in a wrong answer.
        largest_only: whether to ask the largest question alone. An answer that is wrong
            there is wrong, but one that is right there need not be right.

    Returns:
        A `Verdict`.
    """
    answer = AskedOnce(exercise, answer, variant)
    calls = calls_of(exercise, seed)[-1 if largest_only else 0 :]
    try:
        framework = _framework(exercise, answer, calls, framework, variant)
    except DefectError as defect:
        return defect.verdict
    ask = Ask(exercise, answer, framework)
    try:
        questions = examine(exercise, ask, calls, seed, variant, largest_only)
    except DefectError as defect:
        if not name_mistakes or defect.final:
            return defect.verdict
        return with_mistake_named(ask, calls, variant, seed, defect.verdict)
    return Verdict(RIGHT, _praise(exercise, framework, questions))


def _praise(exercise, framework, questions):
    if exercise.kind_of_answer == "value":
        return "Right."
    where = "" if framework == "python" else f" in {NAMES[framework]}"
    return f"Right{where}, on {questions} inputs."


def _framework(exercise, answer, calls, wanted, variant):
    """Return the framework of an answer; refuse anything that is not an answer."""
    about = answer.about()
    value = _read_value(answer, calls[0]) if about.kind == "value" else about
    if value is None or value is Ellipsis or is_starter(exercise, about, variant):
        name = f": {about.name}" if about.name else ""
        raise DefectError(NOT_ATTEMPTED, f"Not attempted yet{name}.")
    _require_kind(exercise, about)
    if about.from_the_book:
        raise DefectError(WRONG, "That is the book's own. The exercise asks for yours.")
    if exercise.frameworks == ("python",) or about.kind == "value":
        return "python"
    candidates = about.frameworks or exercise.frameworks
    if wanted:
        if wanted not in candidates:
            raise DefectError(
                WRONG,
                f"This answer is written in {NAMES[candidates[0]]}; here "
                f"{NAMES[wanted]} is asked for.",
            )
        return wanted
    if len(candidates) == 1:
        return candidates[0]
    for candidate in candidates:
        reply = answer.reply(calls[0], candidate)
        # One framework's function may accept the other's tensors and return its own.
        if reply.failure is None and set(reply.made_of) <= {candidate}:
            return candidate
        if reply.failure and reply.failure.kind in EXHAUSTED:
            raise DefectError(*failure_in_words(reply.failure, ""))
    return candidates[0]


def _read_value(answer, case):
    reply = answer.reply(case, "python")
    if reply.failure:
        _, why = failure_in_words(reply.failure, "")
        if reply.failure.kind != TOO_LARGE:
            why = f"Your value cannot be read, in numbers or text. {why}"
        raise DefectError(WRONG, why)
    return reply.output


def is_starter(exercise, about, variant):
    """Whether an answer is still the starter, under whatever name."""
    starters = (exercise.starter_in(f, variant) for f in exercise.frameworks)
    return bool(about.fingerprint) and any(
        about.fingerprint == fingerprint_of(starter, exercise.name)
        for starter in starters
    )


def _require_kind(exercise, about):
    wanted, kind = exercise.kind_of_answer, about.kind
    if wanted == "class" and kind == "object":
        problem = "Hand in the class itself, not an object made from it."
    elif wanted == "value" and kind in ("function", "class"):
        name = about.name or exercise.name
        problem = f"A value is asked for, and `{name}` is a {kind}."
    elif wanted == "class" and kind != "class":
        problem = f"A class is asked for, and this is a {kind}."
    elif wanted == "function" and kind == "object":
        problem = "A function is asked for, and this is a layer: write it with `def`."
    elif wanted == "function" and kind != "function":
        advice = f": hand in `{exercise.name}` itself, without calling it"
        advice = advice if kind == "value" else ""
        problem = f"A function is asked for, and this is a {kind}{advice}."
    else:
        return
    raise DefectError(WRONG, problem)
