"""The collection is complete: every chapter, every exercise, every word."""

import ast
import dataclasses
import re
from importlib import import_module
from pathlib import Path

from exercises.engine import registry
from exercises.engine.judge import judge
from exercises.engine.verdict import RIGHT

import numpy as np
import pytest
from helpers.exercise_answers import EXERCISES, SHOWN, FromReference, pairs
from helpers.markdown_rule import marks_in


@pytest.mark.parametrize("chapter", registry.CHAPTERS)
def test_an_exercise_is_complete(chapter):
    for name, exercise in registry.chapter_exercises(chapter).items():
        assert len(exercise.hints) >= 2, name
        assert exercise.prompt.strip() and exercise.why.strip() and exercise.title, name
        assert bool(exercise.bug) == (exercise.kind == "find the bug"), name
        for framework in exercise.mistaken_in:
            least = 4 if exercise.kind == "build" else 3
            assert len(exercise.mistakes_in(framework)) >= least, (name, framework)
        for framework in exercise.frameworks:
            # Two starters are shown side by side, each in a narrow column.
            starter = exercise.renamed(exercise.starter_in(framework), framework)
            widest = 88 if exercise.one_starter else 62
            assert max(map(len, starter.splitlines())) <= widest, starter


def is_to_be_written(exercise):
    """Whether a reader writes the `return` of a function that returns tensors."""
    is_function = exercise.kind_of_answer == "function"
    return is_function and exercise.kind == "build" and not exercise.one_starter


@pairs(wanted=is_to_be_written)
def test_a_starter_names_the_tensors_that_its_check_insists_on(exercise, framework):
    """Where neither a tensor nor a shape is named, a list of floats is right, too."""
    functions = ast.parse(exercise.starter_in(framework)).body
    returns, *arguments = ast.get_docstring(functions[-1]).split("\n\n")
    if "tensor" in returns:
        return
    also = re.findall(r"the result(?: is)? \(.*?\)", " ".join(arguments))
    shapes = re.findall(r"\(([^()]*,[^()]*|\.{3})\)", " ".join([returns, *also]))
    named = [len([axis for axis in shape.split(",") if axis]) for shape in shapes]
    right = FromReference(exercise).reply(exercise.calls(1)[-1], framework).output
    for part in right if isinstance(right, tuple | list) else [right]:
        if isinstance(part, np.ndarray) and (part.ndim or exercise.learns):
            assert part.ndim in named or "..." in "".join(shapes), returns


@pytest.mark.parametrize("chapter", registry.CHAPTERS)
def test_messages_are_plain_text(chapter):
    """They are also read at a prompt and in feedback, where formulas are not set.

    Of all marks only backticks are shown as what they mean, around code. There a star
    is a product.
    """
    for exercise in registry.chapter_exercises(chapter).values():
        for framework in exercise.mistaken_in:
            for says, _ in exercise.mistakes_in(framework):
                assert not marks_in(says), says


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_questions_stay_few(exercise_id):
    """A check answers within half a second, measured by its number of questions."""
    exercise = EXERCISES[exercise_id]
    answer = FromReference(exercise)
    assert judge(exercise, answer, 1).outcome == RIGHT
    assert answer.questions <= (20 if exercise.kind_of_answer == "class" else 60)


@pytest.mark.parametrize("chapter", registry.CHAPTERS)
def test_a_chapter_lists_every_file(chapter):
    folder = Path(import_module(f"exercises.chapters.{chapter}").__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    listed = [name.partition(".")[2] for name in registry.chapter_exercises(chapter)]
    assert files == set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("chapter", sorted({*SHOWN} - {registry.CAPSTONES}))
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


@pytest.mark.parametrize("chapter", sorted({*SHOWN} - {registry.CAPSTONES}))
def test_a_chapter_begins_with_a_short_easy_exercise(chapter):
    first, *_ = registry.chapter_exercises(chapter).values()
    assert first.difficulty == 1 and first.minutes <= 5, first.title


def test_an_exercise_tells_its_title_and_the_line():
    exercise = EXERCISES["attention.causal_mask"]
    with pytest.raises(ValueError, match="'A sliding window': line 3 is 'key_at =< "):
        dataclasses.replace(exercise, mistakes="\nA typo.\n- key_at =< query_at\n+ x")
    with pytest.raises(ValueError, match=r"'No such mistake'.* begins 0 mistakes"):
        dataclasses.replace(exercise, bug="No such mistake")
