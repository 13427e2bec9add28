"""The boxes under exercises: the page's verdict is that of `check`."""

import json
import sys
from pathlib import Path

from exercises.engine.judge import judge
from exercises.engine.registry import CHAPTERS, chapter_exercises
from exercises.worker import LocalAnswer

import numpy as np
import pytest
from helpers.site import browsing

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from answer_boxes import asks_to_predict, box, predicted  # noqa: E402

PREDICTED = {
    name: exercise
    for chapter in CHAPTERS
    for name, exercise in chapter_exercises(chapter).items()
    if asks_to_predict(exercise)
}


@pytest.fixture(scope="module")
def verdicts(chromium):
    """Ask the page's script for the verdicts of texts: [(outcome, message), …]."""
    script = (ROOT / "book" / "_assets" / "answers.js").read_text(encoding="utf-8")
    with browsing(chromium) as browser:
        page = browser.new_page()
        page.add_script_tag(content=script)

        def ask(data, texts):
            found = page.evaluate(
                "([data, texts]) => texts.map(text => verdict(data, text))",
                [data, texts],
            )
            return [(one["outcome"], one["message"]) for one in found]

        yield ask


def nearby(value, generator):
    """A wrong answer of the same form: every number moved, every text longer."""
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


@pytest.mark.parametrize(
    ("right", "texts"),
    [
        ([12, 0.5], ["[12, .5]", "(12.0, 0.50)", "12, 0.5", "[12., 0.5,]"]),
        ([[1, 2], [3, 4]], ["[(1, 2), (3, 4)]", "(1, 2), (3, 4)"]),
        (1234, ["1234", "1_234", " 1234.0 "]),
        ("un ##it", ["un ##it", "'un ##it'", '"un ##it"']),
        (["a", "b c"], ["['a', 'b c']", "a, b c", '("a", "b c")']),
        (-0.25, ["-.25", "-0.25", "-2.5e-1"]),
    ],
)
def test_answer_may_be_written_in_several_ways(right, texts, verdicts):
    data = {"right": right, "tolerance": 1e-4, "wanted": "", "mistakes": []}
    assert {outcome for outcome, _ in verdicts(data, texts)} == {"right"}


def test_unreadable_and_unfinished_answers_are_told_apart(verdicts):
    data = {"right": 0.6789, "tolerance": 1e-4, "wanted": "a number", "mistakes": []}
    empty, text, short, wrong = verdicts(data, [" ", "one", "0.68", "0.7"])
    assert empty[0] == "empty"
    assert text == ("wrong", "Your answer cannot be read: wanted a number.")
    assert "more decimals" in short[1]
    assert "0.7" in wrong[1]
    assert "0.6789" not in wrong[1] + short[1]


def test_box_of_code_holds_no_answer():
    assert "right" not in box("attention.causal_mask")
    assert "right" in box("attention.weights_by_hand")
