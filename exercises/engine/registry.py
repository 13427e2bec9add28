"""Find the exercises: one file each, in the order of the chapter's list."""

import difflib
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec

# The chapters in the book's order, and their titles; each is a package in
# `exercises/chapters`. The capstones, which belong to no chapter, come last.
TITLES = {
    "tokenization": "Tokenization",
    "embeddings": "Embeddings",
    "attention": "Attention",
    "multi_head": "Multi-head attention",
    "feed_forward": "Feed-forward",
    "encoder": "The encoder",
    "encoder_at_work": "An encoder at work",
    "decoder": "The decoder",
    "transformer": "The Transformer",
    "pretraining": "Pretraining",
    "fine_tuning": "Fine-tuning",
    "in_the_world": "Your model in the world",
    "writing": "Writing",
    "todays_decoder": "Since 2017: today's decoder",
    "post_training": "From a language model to an assistant",
    "gone_wrong": "How Transformers go wrong",
    "many_machines": "More than one machine",
    "looking_inside": "Looking inside",
    "serving": "Serving",
    "second_try": "A second try",
    "pictures": "Pictures as tokens",
    "capstones": "Capstones",
}
CHAPTERS = tuple(TITLES)
CAPSTONES = CHAPTERS[-1]


def label(chapter):
    """Return a chapter's number as text, and "C" for the capstones."""
    return "C" if chapter == CAPSTONES else str(CHAPTERS.index(chapter) + 1)


def stem(chapter):
    """Return the name of a chapter's notebook, such as "03_attention"."""
    if chapter == CAPSTONES:
        return chapter
    return f"{CHAPTERS.index(chapter) + 1:02d}_{chapter}"


@cache
def chapter_exercises(chapter):
    """Return {id: Exercise} of one chapter, in order; empty where it has none yet."""
    if chapter not in CHAPTERS:
        raise ValueError(f"chapter is {chapter!r}: wanted one of {', '.join(CHAPTERS)}")
    package = import_module(f"exercises.chapters.{chapter}")
    return {
        f"{chapter}.{name}": import_module(f"{package.__name__}.{name}").EXERCISE
        for name in package.ORDER
    }


@cache
def chapter_questions(chapter):
    """Return {id: Question} of one chapter, in order; empty where it has none."""
    name = f"exercises.questions.{chapter}"
    if chapter not in CHAPTERS or not find_spec(name):
        return {}
    questions = import_module(name).QUESTIONS
    return {f"{chapter}.{short}": one for short, one in questions.items()}


def all_exercises():
    """Return {id: Exercise} of the whole book."""
    return {
        exercise_id: exercise
        for chapter in CHAPTERS
        for exercise_id, exercise in chapter_exercises(chapter).items()
    }


def all_questions():
    """Return {id: Question} of the whole book."""
    return {
        name: question
        for chapter in CHAPTERS
        for name, question in chapter_questions(chapter).items()
    }


def find(exercise_id):
    """Return one exercise.

    Raises:
        ValueError: when there is none of this name; the message has the nearest names.
    """
    chapter = str(exercise_id).partition(".")[0]
    if chapter in CHAPTERS and exercise_id in chapter_exercises(chapter):
        return chapter_exercises(chapter)[exercise_id]
    names = [*all_exercises(), *all_questions()]
    near = difflib.get_close_matches(str(exercise_id), names, n=3, cutoff=0.4)
    wanted = " or ".join(near) or "a name that `python -m exercises list` shows"
    raise ValueError(f"exercise is {exercise_id!r}: wanted {wanted}")


def find_question(name):
    """Return the question of this name, or None, as for an exercise."""
    return chapter_questions(str(name).partition(".")[0]).get(name)


def number(exercise_id):
    """Return the exercise's number in the book, such as "3.2" or "C.1"."""
    chapter = exercise_id.partition(".")[0]
    place = list(chapter_exercises(chapter)).index(exercise_id) + 1
    return f"{label(chapter)}.{place}"


def named(text):
    """Return the id of the exercise with a number such as "3.2", or the text itself."""
    return {number(name): name for name in all_exercises()}.get(text, text)


def section_of(exercise_id):
    """Return the heading of the section to read again, and its anchor on the page.

    Example:
        `attention.score_spread` -> "Why divide by $\\sqrt{d_k}$?" and
        "why-divide-by-sqrt-d-k"
    """
    chapter, _, name = exercise_id.partition(".")
    heading = import_module(f"exercises.chapters.{chapter}").ORDER[name]
    words = heading.replace("\\", "").lower()
    return heading, re.sub(r"[^a-z0-9]+", "-", words).strip("-")
