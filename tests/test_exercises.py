"""Every exercise keeps its promises, in both frameworks.

A solution is right, a starter is "not attempted", each mistake is rejected with its own
sentence, and nothing that was not earned is accepted.
"""

import dataclasses
import re
from pathlib import Path

from exercises.engine import registry
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.judge import (
    EXCEPTION,
    MISTAKE,
    NOT_ATTEMPTED,
    RIGHT,
    WRONG,
    judge,
)
from exercises.engine.programs import run_program
from exercises.worker import LocalAnswer, Reply

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, SHOWN, local, one_checkpoint, pairs  # noqa: F401

SEEDS = (1, 2, 3)
# Of the exercises whose words are drawn; the book shows variant 0.
VARIANTS = (0, 1, 2, 3)
# Those that a class may get, and the book's.
ALL_VARIANTS = (0, *range(1000, 10_000))
# What Markdown, HTML or a formula reads as a mark, and half a pair of backticks.
MARKS = re.compile(r"[*`<>$\\]|\]\(|(?<!\w)_|_(?!\w)")


def is_code(exercise):
    return exercise.kind_of_answer != "value"


def is_drawn(exercise):
    return exercise.values is not None


def variants(exercise):
    return VARIANTS if exercise.values else (0,)


@pairs()
def test_the_solution_is_right(exercise, framework):
    for variant in variants(exercise):
        answer = local(exercise, exercise.solution_in(framework, variant), framework)
        for seed in SEEDS:
            verdict = judge(exercise, answer, seed, variant=variant)
            assert verdict.outcome == RIGHT, verdict.message


@pairs()
def test_the_starter_is_not_attempted(exercise, framework):
    for variant in variants(exercise):
        program = exercise.starter_in(framework, variant)
        for written in (program, exercise.renamed(program, framework)):
            name = exercise.name if written == program else exercise.name_in(framework)
            answer = LocalAnswer(run_program(written, name, framework))
            assert judge(exercise, answer, 1, variant=variant).outcome == NOT_ATTEMPTED


@dataclasses.dataclass
class Rewritten:
    """An answer that does what the starter does, but is written in other words."""

    inner: LocalAnswer

    def about(self):
        return dataclasses.replace(self.inner.about(), fingerprint="")

    def reply(self, case, framework):
        return self.inner.reply(case, framework)


@pairs("mistaken_in")
def test_every_mistake_is_rejected_and_named(exercise, framework):
    for variant in variants(exercise):
        mistakes = exercise.mistakes_in(framework, variant)
        assert len({says for says, _ in mistakes}) == len(mistakes)
        for says, program in mistakes:
            answer = Rewritten(local(exercise, program, framework, variant))
            for seed in SEEDS:
                verdict = judge(exercise, answer, seed, variant=variant)
                assert verdict.outcome == MISTAKE, f"{says}\n{verdict}\n{program}"
                assert verdict.mistake == says, f"{says}\n{verdict}\n{program}"


@pairs("mistaken_in", wanted=is_drawn)
def test_no_draw_makes_a_mistake_right(exercise, framework):
    """Each that a release can hold is tried: a few collisions are easily missed.

    Two mistakes may give the same answer; then either name will do.
    """
    draws = {repr(exercise.drawn(variant)): variant for variant in ALL_VARIANTS}
    for variant in draws.values():
        for says, program in exercise.mistakes_in(framework, variant):
            answer = local(exercise, program, framework, variant)
            verdict = judge(exercise, answer, 1, variant=variant)
            told = f"{exercise.drawn(variant)}\n{says}\n{verdict}"
            assert verdict.outcome == MISTAKE, told


def test_weights_by_hand_to_two_decimals_are_told_from_mistakes():
    """As many as the task asks for."""
    exercise = EXERCISES["attention.weights_by_hand"]
    draws = {repr(exercise.drawn(variant)): variant for variant in ALL_VARIANTS}
    for variant in draws.values():
        right = local(exercise, exercise.solution_in("python", variant), "python")
        rounded = LocalAnswer(np.round(right.answer, 2))
        assert judge(exercise, rounded, 1, variant=variant).outcome == RIGHT
        for says, program in exercise.mistakes_in("python", variant):
            answer = local(exercise, program, "python", variant)
            rounded = LocalAnswer(np.round(answer.answer, 2))
            verdict = judge(exercise, rounded, 1, variant=variant)
            assert verdict.outcome in (WRONG, MISTAKE), says


@pairs("mistaken_in")
def test_messages_are_plain_text(exercise, framework):
    """They are read at a prompt and in feedback, too, where nobody sets formulas.

    Of all marks only backticks are shown as what they mean, around code. There a star
    is a product.
    """
    for says, _ in exercise.mistakes_in(framework):
        assert not MARKS.search(re.sub("`[^`]+`", "", says)), says
        assert "$" not in says and "\\" not in says, says


@pairs(wanted=lambda exercise: exercise.kind == "find the bug")
def test_a_broken_program_to_repair_is_a_known_mistake(exercise, framework):
    starter = Rewritten(local(exercise, exercise.starter_in(framework), framework))
    assert judge(exercise, starter, 1).outcome == MISTAKE


@pairs(wanted=lambda e: is_code(e) and e.frameworks == FRAMEWORKS)
def test_the_other_framework_is_refused(exercise, framework):
    answer = local(exercise, exercise.solution_in(framework), framework)
    (other,) = set(FRAMEWORKS) - {framework}
    assert judge(exercise, answer, 1, framework=framework).outcome == RIGHT
    assert judge(exercise, answer, 1, framework=other).outcome in (WRONG, EXCEPTION)


# ---- What was not earned ---------------------------------------------------------


@dataclasses.dataclass
class Spoilt:
    """The solution, with its output replaced on the way back."""

    inner: LocalAnswer
    spoil: object

    def about(self):
        return dataclasses.replace(self.inner.about(), fingerprint="")

    def reply(self, case, framework):
        reply = self.inner.reply(case, framework)
        if reply.failure:
            return reply
        given = [*case.args, *case.kwargs.values(), None]
        output = self.spoil(reply.output, given[0])
        return reply if output is None else Reply(output, reply.made_of)


def each_array(change):
    """Apply a change to every array or number of an output."""

    def spoil(output, first_argument=None):
        if isinstance(output, list | tuple):
            return type(output)(map(spoil, output))
        if isinstance(output, dict):
            return {key: spoil(value) for key, value in output.items()}
        return change(output) if isinstance(output, np.ndarray) else type(output)()

    return spoil


SPOILS = {
    "zeros": each_array(np.zeros_like),
    "ones": each_array(np.ones_like),
    "a constant": lambda output, first: 7,
    "a text": lambda output, first: "forty-two",
    "the input": lambda output, first: "no input" if first is None else first,
    "NaN": each_array(lambda a: np.full(a.shape, np.nan)),
    "an axis more": each_array(lambda a: a[None]),
    "an empty array": lambda output, first: np.zeros(0),
    "texts": each_array(lambda a: a.astype(str)),
    "nested once more": lambda output, first: [[output]],
    "an object": lambda output, first: object(),
}


@pairs()
@pytest.mark.parametrize("name", SPOILS)
def test_nothing_unearned_is_accepted(exercise, framework, name):
    answer = local(exercise, exercise.solution_in(framework), framework)
    verdict = judge(exercise, Spoilt(answer, SPOILS[name]), 1)
    assert verdict.outcome in (WRONG, MISTAKE, EXCEPTION), verdict.message


@pairs()
def test_a_crash_is_reported_as_one(exercise, framework):
    def crashing(*args, **kwargs):
        raise ZeroDivisionError("the reader's own words")

    if exercise.kind_of_answer == "class":
        crashing = type("Crashing", (), {"__init__": crashing})
    verdict = judge(exercise, LocalAnswer(crashing), 1)
    if is_code(exercise):
        assert verdict.outcome == EXCEPTION
        assert "the reader's own words" in verdict.message
    else:
        assert verdict.outcome == WRONG


@pairs()
@pytest.mark.parametrize("answer", [None, ...])
def test_nothing_is_not_attempted(exercise, framework, answer):
    assert judge(exercise, LocalAnswer(answer), 1).outcome == NOT_ATTEMPTED


@pairs(wanted=is_code)
def test_questions_stay_few(exercise, framework):
    """A check answers within half a second; counted in questions, not by the clock."""
    answer = Counting(
        local(exercise, exercise.mistakes_in(framework)[-1][1], framework)
    )
    judge(exercise, answer, 1)
    assert answer.questions <= (20 if exercise.kind_of_answer == "class" else 60)


@dataclasses.dataclass
class Counting:
    """An answer that counts the questions put to it."""

    inner: LocalAnswer
    questions: int = 0

    def about(self):
        return self.inner.about()

    def reply(self, case, framework):
        self.questions += 1
        return self.inner.reply(case, framework)


# ---- The collection --------------------------------------------------------------


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_an_exercise_is_complete(exercise_id):
    exercise = EXERCISES[exercise_id]
    assert len(exercise.hints) >= 2
    assert len(exercise.mistakes) >= (4 if exercise.kind == "build" else 3)
    assert exercise.prompt.strip() and exercise.why.strip() and exercise.title
    for framework in exercise.frameworks:
        # Two starters stand side by side, each in a narrow column.
        starter = exercise.renamed(exercise.starter_in(framework), framework)
        widest = 88 if exercise.one_starter else 62
        assert max(map(len, starter.splitlines())) <= widest, starter


@pytest.mark.parametrize("chapter", registry.CHAPTERS)
def test_a_chapter_lists_every_file(chapter):
    folder = Path(registry.__file__).parent / chapter
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    listed = [name.partition(".")[2] for name in registry.chapter_exercises(chapter)]
    assert files == set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("chapter", SHOWN)
def test_a_chapter_has_six_exercises_of_all_kinds(chapter):
    kinds = [e.kind for e in registry.chapter_exercises(chapter).values()]
    assert len(kinds) >= 6
    for kind, least in {
        "build": 2,
        "predict": 2,
        "find the bug": 1,
        "explore": 1,
    }.items():
        assert kinds.count(kind) >= least, f"{chapter} has too few: {kind}"
