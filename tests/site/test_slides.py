"""Slides and sheets show what the chapter has, whole, on a screen and on paper."""

import re
from io import BytesIO
from itertools import pairwise
from unicodedata import normalize
from urllib.parse import unquote

import pikepdf
import pytest
import sheets
import taken
from bs4 import BeautifulSoup
from docutils import nodes
from helpers.site import CHAPTERS, MILLISECONDS, zipped

PART_ONE = CHAPTERS[:9]
SIZES = ((1280, 720), (1024, 768))
MOST = 300_000  # bytes, as for a chapter
SMALLEST = 15  # pixels of 720, the letters of code
SLOW = pytest.mark.slow("a slide that is cut off, an answer that is not left open")

# What reaches beyond its slide, scrolls, or is too small to read.
CUT_OFF_OR_SMALL = f"""slides => slides.flatMap(slide => {{
    const frame = slide.getBoundingClientRect();
    return [...slide.querySelectorAll("*")].filter(part => {{
        if (!part.checkVisibility() || part.closest("math *, svg *")) return false;
        const {{left, right, top, bottom}} = part.getBoundingClientRect();
        return left < frame.left - 1 || right > frame.right + 1
            || top < frame.top - 1 || bottom > frame.bottom + 1
            || part.clientWidth && part.scrollWidth > part.clientWidth + 1
            || part.tagName === "PRE"
                && parseFloat(getComputedStyle(part).fontSize) < {SMALLEST};
    }}).map(part => `${{slide.textContent.slice(0, 40)}}: ${{part.outerHTML}}`);
}})"""
# All text but what only a screen reader says.
SAID = """slide => {
    const copy = slide.cloneNode(true);
    copy.querySelectorAll(".sr-only").forEach(part => part.remove());
    return copy.textContent;
}"""
PICTURES_ARE_THERE = """slide => [...document.querySelectorAll(`${slide} img`)].every(
    image => !image.checkVisibility() || image.complete && image.naturalWidth)"""


@pytest.fixture(scope="module", params=PART_ONE)
def deck(browser, address, request):
    """The slides of a chapter, and what went wrong while they were loaded and shown."""
    page = browser.new_page()
    page.set_default_timeout(MILLISECONDS)
    wrong = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda failed: wrong.append(failed.url))
    page.asked = []
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.address = f"{address}{request.param}_slides.html"
    page.goto(page.address, wait_until="networkidle")
    yield page, wrong
    page.close()


@SLOW
def test_a_deck_is_loaded_from_the_book_alone_and_is_light(deck, site, address):
    page, _ = deck
    files = {site / unquote(url.removeprefix(address)) for url in page.asked}
    assert all(file.is_file() for file in files)
    assert sum(map(zipped, files)) <= MOST


@SLOW
def test_the_keyboard_leads_through_slides_that_fit_and_nothing_is_missing(deck):
    page, wrong = deck
    count = page.evaluate("Reveal.getTotalSlides()")
    assert 12 <= count <= 16
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("Home")
        for number in range(count):
            assert page.evaluate("Reveal.getIndices().h") == number
            page.wait_for_function(PICTURES_ARE_THERE, arg=".present")
            assert page.eval_on_selector_all(".present", CUT_OFF_OR_SMALL) == []
            page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.isLastSlide()")
    assert wrong == []


@SLOW
def test_each_slide_is_printed_whole_on_a_page(deck):
    page, _ = deck
    count = page.evaluate("Reveal.getTotalSlides()")
    page.goto(f"{page.address}?print-pdf", wait_until="load")
    page.wait_for_function("Reveal.isReady() && document.querySelector('.pdf-page')")
    page.emulate_media(media="print")
    page.wait_for_function(PICTURES_ARE_THERE, arg=".pdf-page")
    assert page.eval_on_selector_all(".pdf-page", CUT_OFF_OR_SMALL) == []
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(pikepdf.open(BytesIO(printed)).pages) == count


@pytest.mark.slow("slides that hide each other, or a figure that is there twice")
@pytest.mark.parametrize("chapter", PART_ONE)
def test_without_scripts_slides_are_a_page_with_each_figure_once(open_page, chapter):
    name = f"{chapter}_slides.html"
    page = open_page(name, width=1280, java_script_enabled=False)
    slides = page.locator(".slide").all()
    ends = [slide.bounding_box() for slide in slides]
    assert all(one["y"] + one["height"] <= two["y"] for one, two in pairwise(ends))
    assert page.eval_on_selector_all(".slide", CUT_OFF_OR_SMALL) == []
    assert not page.locator(".only-dark:visible").count()
    assert page.locator("img:visible").count() == page.locator(".only-light").count()
    for slide in slides:
        # MathML draws the letters of variables as others, which are italic.
        seen, said = (
            "".join(normalize("NFKC", text).split())
            for text in (slide.inner_text(), slide.evaluate(SAID))
        )
        assert seen == said


@SLOW
@pytest.mark.parametrize("chapter", PART_ONE)
def test_a_sheet_has_its_answers_on_its_second_side_only(open_page, chapter):
    page = open_page(f"{chapter}_sheet.html")
    first, second = BeautifulSoup(page.content(), "html.parser").select("section")
    blanks, answers = (
        [part.text.strip() for part in side.select(".open")] for side in (first, second)
    )
    assert len(blanks) == len(answers) > 5
    assert not any(blanks)
    assert all(answers)
    shown = set(first.text.split())
    assert not [one for one in answers if len(one) > 3 and one in shown]
    for paper in ("A4", "Letter"):
        assert len(pikepdf.open(BytesIO(page.pdf(format=paper))).pages) == 2


# How sentences and blanks are found


def test_a_sentence_ends_where_its_marks_are_within_code_or_a_formula():
    code = nodes.inline("", "", nodes.literal("", "ed"), nodes.Text("."))
    formula = nodes.math("", "x", after=".")
    paragraph = nodes.paragraph(
        "", "", nodes.Text("Vaswani et al. (2017) end in "), code, nodes.Text(""),
        nodes.Text("\n"), nodes.Text("So does "), formula, nodes.Text(" And "),
        nodes.strong("", "this?"), nodes.Text(" (Yes.) No."),
    )  # fmt: skip
    said = [
        "".join(node.astext() for node in sentence).strip()
        for sentence in taken.sentences(paragraph)
    ]
    assert said == [
        "Vaswani et al. (2017) end in ed.",
        "So does x",
        "And this?",
        "(Yes.)",
        "No.",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("step  2,000: 0.35 thousandths", ["0.35"]),
        ("1 [2. 6.] -1.50", ["2.", "6.", "-1.50"]),
        ("(2, 1,050) 1e-5", ["2", "1,050"]),
        ("e+a    t ea, s eat", ["e+a", "t ea, s eat"]),
    ],
)
def test_of_an_output_its_numbers_or_else_its_words_are_left_open(text, wanted):
    output = nodes.literal_block("", text)
    part = taken.Part("open", None, [nodes.container("", output)])
    blank, answer = (sheets.opened(part, shown)[0].astext() for shown in (False, True))
    find = re.compile('<span class="open">(.*?)</span>')
    assert find.findall(answer) == wanted
    assert [len(one) for one in find.findall(blank)] == [len(one) for one in wanted]
    assert not any(one.strip() for one in find.findall(blank))
