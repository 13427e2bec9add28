"""In the built book: answers are checked, what is solved is kept, figures answer."""

import json

from exercises.engine.registry import (
    CHAPTERS,
    all_exercises,
    chapter_questions,
    section_of,
    stem,
)

import pytest

pytestmark = pytest.mark.slow("an answer that the built page does not check or keep")

ASKED = [chapter for chapter in CHAPTERS if chapter_questions(chapter)]
BOX = '.answer-box[data-exercise="attention.weights_by_hand"]'


def test_every_exercise_leads_to_a_section_that_a_page_has(site):
    for name in all_exercises():
        page = site / "book" / f"{stem(name.partition('.')[0])}.html"
        assert f'<section id="{section_of(name)[1]}"' in page.read_text(), name


def test_solved_exercises_are_kept_counted_and_forgotten(open_page, address):
    page = open_page("book/03_attention.html")
    box = page.locator(BOX)
    data = json.loads(box.locator("script").text_content())
    field, verdict = box.locator("input[type=text]"), box.get_by_role("status")
    field.fill(str(data["mistakes"][0]["value"]))
    field.press("Enter")
    assert verdict.inner_text() == data["mistakes"][0]["says"].replace("`", "")
    assert not box.locator("input[type=checkbox]").is_checked()
    field.fill(str(data["right"]))
    box.get_by_role("button").click()
    assert verdict.inner_text() == "Right."

    page.reload()
    assert page.locator(BOX).locator("input[type=checkbox]").is_checked()
    page.goto(f"{address}book/04_multi_head.html")
    chapter = page.locator(".bd-sidebar-primary a", has_text="3 Attention").first
    assert chapter.text_content().endswith("1/7")

    page.goto(f"{address}book/exercises.html")
    progress = page.locator(".exercise-progress")
    assert "You have solved 1 of " in progress.inner_text()
    progress.get_by_role("button").click()
    assert "You have solved 0 of " in progress.inner_text()
    assert not page.locator(".solved-count").count()


@pytest.mark.parametrize("chapter", ASKED)
def test_each_question_is_answered_and_marks_nothing(chapter, open_page):
    page = open_page(f"book/{stem(chapter)}.html")
    asked = chapter_questions(chapter)
    boxes = page.locator("[data-question]")
    names = boxes.evaluate_all("boxes => boxes.map(box => box.dataset.question)")
    assert names == list(asked)
    for box, question in zip(boxes.all(), asked.values(), strict=True):
        assert box.locator("xpath=..").inner_text().startswith("Question.")
        field, verdict = box.locator("input"), box.get_by_role("status")
        expected = {
            "": "Not attempted yet.",
            question.right: f"Right. {question.because}",
            **question.mistakes,
        }
        for answer, says in expected.items():
            field.fill(str(answer).lower())
            field.press("Enter")
            assert verdict.inner_text() == says.replace("`", "")
    assert not page.locator(".solved-count").count()


def test_hints_unfold_one_by_one(open_page):
    page = open_page("book/03_attention.html")
    hints = page.locator("section", has=page.locator(BOX)).last.locator(".hint")
    assert [hint.is_visible() for hint in hints.all()] == [True, False, False]
    hints.first.locator("summary").click()
    assert [hint.is_visible() for hint in hints.all()] == [True, True, False]


def test_a_figure_in_a_chapter_answers(open_page):
    page = open_page("book/03_attention.html")
    frame = page.locator("iframe[title='Attention as a sheet of numbers']")
    frame.scroll_into_view_if_needed()
    sheet = frame.content_frame
    sheet.get_by_role("button", name="causal").click()
    masked = sheet.get_by_role("button", name="animal attends to street: masked")
    assert masked.inner_text() == "−∞"
    details = page.locator(".attention-view", has=frame).locator("details")
    assert not details.get_attribute("open")


def test_the_front_page_cuts_what_is_typed(open_page):
    page = open_page("book/index.html")
    page.get_by_label("Type something").fill("the light")
    names = page.locator(".front-token span").all_inner_texts()
    assert "".join(names) == "the␣light"
