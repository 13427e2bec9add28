"""The built book in Firefox: formulas are set, and a chapter fits its window."""

from pathlib import Path

import pytest
from helpers.firefox import browsing_in_firefox
from helpers.site import built, served

CHAPTER = "book/03_attention.html"


@pytest.fixture(scope="module")
def visit(tmp_path_factory, firefox):
    """A function that opens a page of the book and returns a function to ask it."""
    site = built(tmp_path_factory).site
    profile = Path(tmp_path_factory.mktemp("firefox"))
    with served(site) as address, browsing_in_firefox(firefox, profile) as browser:

        def open_(page, width=1440):
            browser.open(address + page, width)
            return lambda script: browser.evaluate(f"(async () => {{ {script} }})()")

        yield open_


def test_formulas_are_set_in_the_font_of_the_book(visit):
    ask = visit(CHAPTER)
    above, below, root, inside = ask("""
        await document.fonts.load("16px 'STIX Two Math of the book'");
        const box = part => part.getBoundingClientRect();
        const equation = document.querySelector("#equation-3-2");
        const [above, below] = equation.querySelector("mfrac").children;
        const root = equation.querySelector("msqrt");
        return [box(above), box(below), box(root), box(root.lastElementChild)];
    """)
    assert above["bottom"] <= below["top"] + 1
    assert root["width"] > inside["width"] and root["top"] < inside["top"]
    assert ask("""return [...document.fonts].some(font =>
        font.family.includes("STIX Two Math") && font.status === "loaded");""")


@pytest.mark.parametrize(("width", "columns"), [(1440, 2), (390, 1)])
def test_a_chapter_fits_its_window(visit, width, columns):
    ask = visit(CHAPTER, width)
    content, window, shown = ask("""
        const page = document.documentElement;
        const pair = document.querySelector(".side-by-side");
        const cells = [...pair.querySelectorAll(":scope > .sd-tab-content")];
        return [page.scrollWidth, page.clientWidth,
                cells.filter(cell => cell.checkVisibility()).length];
    """)
    assert content <= window
    assert shown == columns
