"""The boxes under exercises: the page's verdict is that of `check`."""

import json
import random

from exercises.engine.judge import judge
from exercises.engine.registry import CHAPTERS, chapter_exercises
from exercises.worker import LocalAnswer

import numpy as np
import pytest
import tensorflow as tf
import torch
from answer_boxes import asks_to_predict, box, predicted
from helpers.book import ROOT
from helpers.typed_answers import PRINTED, SAID, TYPED, UNREADABLE, WRITTEN

PREDICTED = {
    name: exercise
    for chapter in CHAPTERS
    for name, exercise in chapter_exercises(chapter).items()
    if asks_to_predict(exercise)
}
FORMS = (PRINTED, TYPED, WRITTEN, SAID)


SCRIPTS = ("read_answer.js", "answers.js")


@pytest.fixture(scope="module")
def page(browser):
    """A page with the scripts of the boxes, and no box."""
    page = browser.new_page()
    for script in SCRIPTS:
        page.add_script_tag(path=ROOT / "book" / "_assets" / script)
    return page


@pytest.fixture(scope="module")
def verdicts(page):
    """Ask the page's script for the verdicts of texts: [(outcome, message), …]."""

    def ask(data, texts):
        answers = page.evaluate(
            "([data, texts]) => texts.map(text => verdict(data, text))", [data, texts]
        )
        return [(one["outcome"], one["message"]) for one in answers]

    return ask


@pytest.fixture(scope="module")
def read(page):
    """Ask the page's script what texts mean: [{"value": …} or {"problem": …}, …]."""

    def ask(texts, likes):
        return page.evaluate(
            "pairs => pairs.map(([text, like]) => readAnswer(text, like))",
            list(zip(texts, likes, strict=True)),
        )

    return ask


def nearby(value, generator):
    """A wrong answer of the same form: other numbers, longer texts."""
    if isinstance(value, list):
        return [nearby(item, generator) for item in value]
    if isinstance(value, str):
        return value + "z"
    return value + int(generator.integers(3, 9)) * (1 if value >= 0 else -1)


def rounded(value, decimals):
    """The same numbers, as many readers write them."""
    if isinstance(value, list):
        return [rounded(item, decimals) for item in value]
    return value if isinstance(value, str) else round(value, decimals)


@pytest.mark.slow("a page whose verdict is not that of `check`")
@pytest.mark.parametrize("name", PREDICTED)
def test_page_says_what_check_says(name, verdicts):
    exercise, data = PREDICTED[name], predicted(PREDICTED[name])
    generator = np.random.default_rng(0)
    answers = [data["right"], *(known["value"] for known in data["mistakes"])]
    answers += [rounded(answer, most) for most in (2, 1) for answer in answers]
    answers += [nearby(data["right"], generator) for _ in range(3)]
    texts = [json.dumps(answer, ensure_ascii=False) for answer in answers]
    for answer, (outcome, message) in zip(answers, verdicts(data, texts), strict=True):
        wanted = judge(exercise, LocalAnswer(answer), 0)
        if wanted.outcome == "right":
            assert (outcome, message) == ("right", "Right.")
        elif wanted.mistake:
            assert (outcome, message) == ("mistake", wanted.mistake)
        else:
            assert outcome == "wrong"
            wants_decimals = "more decimals" in wanted.message
            assert ("more decimals" in message) == wants_decimals, (answer, message)


@pytest.mark.parametrize("forms", FORMS, ids=("printed", "typed", "written", "said"))
def test_answers_are_read_as_people_write_them(forms, read):
    rows = [
        (text, like, value) for like, texts in forms for text, value in texts.items()
    ]
    texts, likes, values = zip(*rows, strict=True)
    wrong = {
        text: (found, value)
        for text, found, value in zip(texts, read(texts, likes), values, strict=True)
        if found != {"value": value}
    }
    assert wrong == {}


def test_there_are_many_forms():
    assert sum(len(texts) for group in FORMS for _, texts in group) >= 300


def test_what_cannot_be_read_is_named(read):
    likes, texts, named = zip(*UNREADABLE, strict=True)
    readings = read(texts, likes)
    wrong = {
        text: one
        for text, one, part in zip(texts, readings, named, strict=True)
        if part not in one.get("problem", "")
    }
    assert wrong == {}


# How a list of numbers may be written: each part goes with all others.
MINUS, BRACKETS = "-−–", ("{}", "[{}]", "({})", "[ {} ]", "{{{}}}", "x = {}")
UNITS = ("", " GB", " ms", "kg")
ENGLISH = [("{:,}", ", "), ("{:,}", "; "), ("{:_}", " "), ("{}", ", "), ("{}", " and ")]
OF_WHOLE = [*ENGLISH, ("{}", ","), ("{}", "  ")]


def spaced(text):
    return text.replace(",", "\u202f")


def german(text):
    return text.translate(str.maketrans(",.", ".,"))


def test_every_sign_goes_with_every_other(read):
    """Numbers written with any of the signs, brackets, units and separators.

    Only this tries them together.
    """
    draw = random.Random(2026)
    texts, likes, wanted = [], [], []
    for _ in range(500):
        is_whole = draw.random() < 0.5
        size = draw.choice([9, 999, 99_999, 9_999_999])
        numbers = [draw.randint(-size, size) for _ in range(draw.randint(2, 4))]
        if not is_whole:
            numbers = [number + draw.choice([0.25, 0.5, 0.0625]) for number in numbers]
        form, separator = draw.choice(OF_WHOLE if is_whole else ENGLISH)
        written = [form.format(number) for number in numbers]
        change = draw.choice([str, str, german, spaced])
        if change is german and (is_whole or separator == ", "):
            change = str
        if change is spaced and separator != "; ":
            change = str
        unit, minus = draw.choice(UNITS), draw.choice(MINUS)
        written = [change(one).replace("-", minus) + unit for one in written]
        texts.append(draw.choice(BRACKETS).format(separator.join(written)))
        likes.append([7 if is_whole else 0.7] * len(numbers))
        wanted.append(numbers)
    values = [one.get("value", one) for one in read(texts, likes)]
    rows = zip(texts, values, wanted, strict=True)
    assert [row for row in rows if row[1] != row[2]] == []


def prints(value):
    """A value as Python and its libraries print it."""
    array = np.array(value, dtype=np.float64 if np.ndim(value) < 2 else None)
    for one in (array, array.astype(np.float32)):
        several = (list(one), tuple(one)) if one.ndim else (one[()],)
        for shown in (one, *several):
            yield from (str(shown), repr(shown))
    for tensor in (torch.tensor(value), tf.constant(value), tf.Variable(value)):
        yield from (str(tensor), repr(tensor))
    yield from (repr(value), f"answer = {value!r}")


NUMBERS = [
    name
    for name, exercise in PREDICTED.items()
    if np.asarray(exercise.right()).dtype.kind in "if"
]


@pytest.mark.parametrize("name", NUMBERS)
def test_what_the_libraries_print_is_right(name, verdicts):
    """As they print it here: only this notices when a library prints in a new way."""
    data = predicted(PREDICTED[name])
    texts = [" ".join(text.split()) for text in prints(data["right"])]
    verdict_of = dict(zip(texts, verdicts(data, texts), strict=True))
    # Four decimals are not always enough, nor five digits of a count.
    wrong = {
        text: one
        for text, one in verdict_of.items()
        if one[0] != "right" and "more decimals" not in one[1] and "e+" not in text
    }
    assert wrong == {}
    assert verdict_of[repr(data["right"])][0] == "right"


def test_unreadable_and_unfinished_answers_are_told_apart(verdicts):
    data = {"right": 0.6789, "tolerance": 1e-4, "wanted": "a number", "mistakes": []}
    empty, dots, text, short, wrong = verdicts(data, [" ", "...", "one", "0.68", "0.7"])
    assert empty == dots == ("empty", "Not attempted yet.")
    assert text == (
        "wrong",
        "“one” is not a number. Write one number, such as 1234 or 0.25.",
    )
    assert "more decimals" in short[1]
    assert "0.7" in wrong[1]
    assert "0.6789" not in wrong[1] + short[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "0.5",
            "Your answer is 0.5: wanted 3 entries. Write three numbers, such as (x).",
        ),
        (
            "[0.5]",
            "Your answer has 1 entry: wanted 3. Write three numbers, such as (x).",
        ),
        (
            "1, 2",
            "Your answer has 2 entries: wanted 3. Write three numbers, such as (x).",
        ),
        ("0.2, 0.5, 12.4", "Entry [0] is 0.2, and that is not right."),
        (
            "0.2, 0.3, 12.4",
            "Entry [0] is 0.2: not right, or more decimals are wanted.",
        ),
        (
            "0.21, True, 12.4",
            "Entry [1] is True: wanted a number. Write three numbers, such as (x).",
        ),
    ],
)
def test_messages_say_what_to_change(text, message, verdicts):
    """More decimals are wanted only where nothing else is wrong."""
    data = {
        "right": [0.2125, 0.3, 12.4],
        "tolerance": 1e-4,
        "wanted": "such as (x)",
        "mistakes": [],
    }
    assert verdicts(data, [text]) == [("wrong", message)]


def test_the_n_of_a_rate_may_be_written_as_the_box_has_it(verdicts):
    data = predicted(PREDICTED["transformer.warm_up"])
    right = data["right"]
    texts = [f"{right}", f"1/{right}", f"rate = 1 ⁄ {right:,}", str(1 / right)]
    outcomes = [outcome for outcome, _ in verdicts(data, texts)]
    assert outcomes == ["right", "right", "right", "mistake"]


def test_three_digits_are_enough_where_they_are_asked_for(verdicts):
    data = predicted(PREDICTED["many_machines.seconds_by_hand"])
    texts = [", ".join(f"{number:.3g}" for number in data["right"])]
    assert verdicts(data, texts) == [("right", "Right.")]


def test_the_value_that_was_read_is_shown_where_it_is_written_otherwise(page):
    shown = page.evaluate(
        """pairs => pairs.map(([text, value]) => readingOf(text, value))""",
        [["11,880", 11880], ["11880", 11880], ["[1, 2.0]", [1, 2]], ["1 2", [1, 2]]],
    )
    assert shown == ["Read as `11880`", "", "", "Read as `[1, 2]`"]


def test_box_of_code_holds_no_answer():
    assert "right" not in box("attention.causal_mask")
    assert "right" in box("attention.weights_by_hand")
