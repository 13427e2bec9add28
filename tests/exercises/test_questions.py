"""The questions between sections: complete, true to their source, and never marked."""

import re

from exercises import check
from exercises.engine import notebooks
from exercises.engine.listing import table
from exercises.engine.question import Question
from exercises.engine.registry import (
    CHAPTERS,
    all_exercises,
    all_questions,
    chapter_questions,
)
from exercises.marking.release import release

import numpy as np
import pytest
from helpers.book import BOOK
from helpers.markdown_rule import complaints, marks_in

PART_ONE = CHAPTERS[:9]
ASKED = [chapter for chapter in CHAPTERS if chapter_questions(chapter)]
QUESTIONS = all_questions()


def choices(question):
    """Return the letters of the choices, or of what is to be put in order."""
    return re.findall(r"^- \*\*(\w)\*\* ", question.task, re.MULTILINE)


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_answer_gets_its_own_sentence(name):
    question = QUESTIONS[name]
    right = question.judge(question.right)
    assert (right.outcome, right.message) == ("right", f"Right. {question.because}")
    for value, says in question.mistakes.items():
        wrong = question.judge(value)
        assert (wrong.outcome, wrong.message) == ("mistake", says)
    says = [*question.mistakes.values(), question.because]
    assert len(says) == len(set(says)) > 2
    assert [marks for one in says if (marks := marks_in(one))] == []


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_choice_is_judged(name):
    question = QUESTIONS[name]
    letters = choices(question)
    if not isinstance(question.right, str):
        assert not letters
    elif len(question.right) == 1:
        assert {question.right, *question.mistakes} == set(letters)
    else:
        assert sorted(question.right) == letters != [*question.right]
        assert all(sorted(wrong) == letters for wrong in question.mistakes)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_task_is_short_and_reads_well_everywhere(name):
    task = QUESTIONS[name].task
    assert len(re.findall(r"\w[^\s]*", task)) <= 60
    assert complaints(task) == []


@pytest.mark.parametrize("chapter", PART_ONE)
def test_a_chapter_of_part_one_has_six_to_eight(chapter):
    assert 6 <= len(chapter_questions(chapter)) <= 8


@pytest.mark.parametrize("chapter", ASKED)
def test_a_chapter_asks_each_once_in_the_words_of_its_source(chapter):
    cells = notebooks.read(notebooks.chapter_notebook(chapter, BOOK))["cells"]
    asked = [name for cell in cells if (name := notebooks.question_in(cell))]
    assert asked == list(chapter_questions(chapter))
    advice = f"python -m exercises place {chapter}"
    assert notebooks.with_questions(cells) == cells, advice


def test_no_question_is_an_exercise_or_in_the_marks(tmp_path):
    assert QUESTIONS.keys() & all_exercises().keys() == set()
    texts = [path.read_text() for path in release("attention", "S", tmp_path)]
    handed_out = "\n".join([table(), *texts])
    assert not [name for name in QUESTIONS if name in handed_out]


def asked(right):
    return Question("Which?", right, because="It is.", mistakes={})


@pytest.mark.parametrize(
    ("right", "answers"),
    [
        ("B", ["B", "b", " B. "]),
        ("BAC", ["bac", "B, A, C", "1. B 2. A 3. C", ["B", "A", "C"]]),
        (0.25, [1 / 4, np.float32(0.25)]),
        (3, [3.0, np.int64(3)]),
        ((2, 1, 5), [(2, 1, 5), [2, 1, 5], np.zeros((2, 1, 5)).shape]),
    ],
)
def test_an_answer_may_be_written_in_several_ways(right, answers):
    for answer in answers:
        assert asked(right).judge(answer).outcome == "right", answer
    for answer in (None, ...):
        assert asked(right).judge(answer).outcome == "not attempted"
    for answer in ("C", 0, (1, 2), {1: 2}, print, np.zeros(9)):
        verdict = asked(right).judge(answer)
        assert verdict.outcome == "wrong" and str(right) not in verdict.message


def test_check_answers_a_question(capsys):
    name, question = next(iter(QUESTIONS.items()))
    check(name, question.right)
    assert capsys.readouterr().out == f"✓ Right. {question.because}\n"
    check(name, ...)
    assert capsys.readouterr().out == "· Not attempted yet.\n"
    with pytest.raises(ValueError, match=f"wanted {name}"):
        check(f"{name}s", question.right)
