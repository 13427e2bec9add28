"""The built book, as a browser shows it: every page, light and dark, wide and narrow.

The book is built once, as a fork would build it, into a folder of its own, and served
on this machine to a Chromium that can reach nothing else.
"""

import ast
import functools
import gzip
import itertools
import re
import time
from urllib.parse import urlsplit

import pytest
from helpers.axe import load_axe, violations
from helpers.book import ROOT
from helpers.site import CHAPTERS, FORK, MILLISECONDS, PAGES, zipped
from playwright.sync_api import TimeoutError

THEMES = ("light", "dark")
# Every layout of the theme and of the book, and windows just inside their limits.
WIDTHS = (1920, 1440, 1200, 1100, 1024, 768, 390)
# What chapters have in common is measured in all widths in one of them, and in few
# widths in the others.
STRUCTURAL = "book/03_attention"
FEW_WIDTHS = (1440, 1200, 1100, 768, 390)
NARROWEST_PAIR = 1200  # in narrower windows there are tabs
PAPER = 658  # A4 without its margins, at 96 pixels an inch
# Two of the lightest that have pairs of cells, for what is the same in all.
PLAIN, ANOTHER = "book/05_feed_forward", "book/capstones"
# The sum of a page's shifts, as browsers count them: 0.1 is good, 0.02 is not noticed.
LARGEST_SHIFT = 0.02
KILOBYTE = 1000
# What a page may weigh when it is loaded for the first time, compressed by the server.
# The page that searches brings the text of all others.
MOST = {"book/index": 170 * KILOBYTE, "search": 560 * KILOBYTE}
MOST_ELSEWHERE = 300 * KILOBYTE

# Every page, read once, measured in both themes and both widths


# Only the parts that the theme takes care of.
WHAT_SCROLLS_TAKES_THE_FOCUS = """() => [...document.querySelectorAll(
    "pre, .nboutput > .output_area, .cell_output > .output, .jp-RenderedHTMLCommon, " +
    ".pst-scrollable-table-container"
)].filter(part => part.checkVisibility()).every(part => part.tabIndex === (
    part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight
        ? 0 : -1))"""


# The sum of all layout shifts so far, except in "On this page": that list unfolds where
# the reader is, and moves nothing that is being read.
COUNT_SHIFTS = """
    window.shifts = 0;
    const unfolds = ({node}) =>
        (node?.closest ? node : node?.parentElement)?.closest(".bd-sidebar-secondary");
    new PerformanceObserver(list => {
        for (const {sources, value} of list.getEntries())
            if (!sources.length || !sources.every(unfolds)) window.shifts += value;
    }).observe({type: "layout-shift", buffered: true})"""

# What can be pressed and is seen. Links in running text may be as low as their line,
# and a radio button is pressed by its label.
SMALL_OR_NAMELESS = """() => [...document.querySelectorAll(
    "a, button, summary, select, input, label, [role=button]"
)].filter(part => part.checkVisibility({visibilityProperty: true})
    && !part.closest("p, li, td, th, dd, dt, figcaption, h1, h2, h3, h4, h5")
    && part.type !== "radio"
).filter(part => {
    const {width, height} = part.getBoundingClientRect();
    const name = part.textContent.trim() || part.ariaLabel || part.title || part.value
        || part.querySelector("img")?.alt || part.labels?.length;
    return width && (width < 23.9 || height < 23.9 || !name);
}).map(part => part.outerHTML.slice(0, 120))"""

# One of each kind takes the focus, as by the keyboard: it, or the label of a radio
# button, has an outline; a part of a drawing has a line around it.
FOCUS_IS_NOT_SEEN = """() => {
    const kinds = new Map();
    for (const part of document.querySelectorAll(
            "a, button, summary, select, input, [tabindex='0']"))
        if (part.checkVisibility({visibilityProperty: true}))
            kinds.set(`${part.tagName}.${part.className} in ${
                part.parentElement.className}`, part);
    return [...kinds.values()].filter(part => {
        part.focus({focusVisible: true, preventScroll: true});
        if (document.activeElement !== part) return false;
        const inDrawing = part.ownerSVGElement && (part.querySelector("rect") ?? part);
        const label = part.type === "radio" && part.nextElementSibling;
        const style = getComputedStyle(inDrawing || label || part);
        return inDrawing
            ? style.stroke === "none" || parseFloat(style.strokeWidth) < 2
            : style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2;
    }).map(part => part.outerHTML.slice(0, 120));
}"""

# Code, output or a picture that is wider than its frame, without a shadow that shows
# it; or a picture whose letters are too small.
CUT_WITHOUT_A_CUE = """() => [
    ...document.querySelectorAll("div.cell pre, .still")
].filter(part => part.checkVisibility()).filter(part => {
    const style = getComputedStyle(part), cut = part.scrollWidth > part.clientWidth;
    if (part.matches("pre"))
        return cut && !style.backgroundAttachment.includes("local");
    const cue = parseFloat(getComputedStyle(part, "::after").width) > 20;
    const least = parseFloat(style.getPropertyValue("--least"));
    const width = Math.max(...[...part.children].map(image => image.offsetWidth));
    return cut !== cue || !part.matches(".panels") && width < least - 1;
}).map(part => part.textContent.slice(0, 80) || part.href)"""

# A formula that is wider than its place scrolls, also by keyboard, and shades at its
# edges say so: [formula, whether it does].
CUT_FORMULAS = """() => {
    const article = document.querySelector("article") ?? document.body;
    const {right} = article.getBoundingClientRect();
    const shown = [...article.querySelectorAll("math")].filter(
        formula => formula.checkVisibility() && !formula.closest("table"));
    const cut = shown.filter(formula => {
        const place = formula.closest(".formula");
        return place
            ? place.scrollWidth > place.clientWidth + 1
            : formula.getBoundingClientRect().right > right + 1;
    });
    return cut.map(formula => {
        const place = formula.closest(".formula");
        const {backgroundImage, overflowX} = getComputedStyle(place ?? formula);
        const shades = backgroundImage.match(/gradient/g)?.length ?? 0;
        const scrolls = shades === 4 && overflowX === "auto" && place.tabIndex === 0;
        return [formula.textContent, scrolls];
    });
}"""


def scroll_through(page, milliseconds=MILLISECONDS):
    """Scroll through a page, so that lazy parts are loaded, and come back."""
    page.evaluate(
        """() => {
            const nextFrame = () => new Promise(requestAnimationFrame);
            const scroll = async () => {
                const {body} = document;
                for (let top = 0; top < body.scrollHeight; top += innerHeight) {
                    scrollTo({top, behavior: "instant"});
                    await nextFrame();
                }
                await nextFrame();
                window.scrolled = true;
            };
            window.scrolled = false;
            scroll();
        }"""
    )
    page.wait_for_function(
        """() => scrolled && [...document.querySelectorAll("img, iframe")]
            .filter(part => part.checkVisibility())
            .every(part => part.complete ?? (
                part.contentWindow.location.href !== "about:blank"
                && part.contentDocument.readyState === "complete"))""",
        polling=100,
        timeout=milliseconds,
    )


class Visit:
    """A page in a fresh browser, and everything that it asked for and complained of."""

    def __init__(self, browser, address, site, name):
        self.name = name
        # What chapters have in common is measured in one of them.
        self.is_like_another = name in CHAPTERS and name != STRUCTURAL
        self.address, self.site = address, site
        self.responses = []
        self.requests = []
        self.failures = []
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.context.set_default_timeout(MILLISECONDS)
        self.page = self.context.new_page()
        self.page.add_init_script(COUNT_SHIFTS)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("response", self.note_response)
        self.page.on("requestfailed", lambda request: self.fail("failed", request.url))
        self.page.on("pageerror", lambda error: self.fail("exception", error))
        self.page.on("console", self.note_message)
        self.page.goto(f"{address}{name}.html", wait_until="networkidle")
        self.first_load = self.compressed_sizes()
        load_axe(self.page)
        self.page.evaluate("shifts = 0")

    def fail(self, kind, what):
        self.failures.append(f"{kind}: {what}")

    def note_message(self, message):
        if message.type == "error":
            self.fail("console", message.text)

    def note_response(self, response):
        if response.status >= 400:
            self.fail(response.status, response.url)
        self.responses.append(response)

    def compressed_sizes(self):
        """Bytes of each file of the page, its frames' left out, as a server zips it."""
        return {
            response.url: zipped(self.site / urlsplit(response.url).path[1:])
            for response in self.responses
            if response.frame == self.page.main_frame
            and response.url.startswith(self.address)
            # A model is loaded when it is seen.
            and not response.url.endswith(".safetensors.gz")
        }

    def show(self, theme, width):
        if self.page.viewport_size["width"] != width:
            self.page.set_viewport_size({"width": width, "height": 900})
        self.wait_for_the_theme()
        self.page.emulate_media(color_scheme=theme)
        self.page.wait_for_function(
            "theme => document.documentElement.dataset.theme === theme", arg=theme
        )

    def wait_for_the_theme(self):
        """Wait until the theme has checked, after a change, what scrolls now."""
        self.page.wait_for_function(WHAT_SCROLLS_TAKES_THE_FOCUS)


# The quick ring visits the first page, the chapter with all kinds of cells, the search.
QUICK = ("book/index", STRUCTURAL, "search")
slow = pytest.mark.slow("a fault that only this page shows")


@pytest.fixture(
    scope="module",
    params=[
        page if page in QUICK else pytest.param(page, marks=slow)
        for page in (*PAGES, "search")
    ],
)
def visit(request, browser, address, build):
    visit = Visit(browser, address, build.site, request.param)
    try:
        scroll_through(visit.page, 120_000)
    except TimeoutError:
        # Seen once in many runs: the browser stops drawing a page, without an error.
        visit.context.close()
        visit = Visit(browser, address, build.site, request.param)
        scroll_through(visit.page)
    yield visit
    visit.context.close()


# First, before the window changes: nothing else may move a page.
def test_page_asks_only_its_own_server_and_nothing_fails_or_moves(visit, address):
    own = ("data:", "blob:", "about:", address)
    assert [url for url in visit.requests if not url.startswith(own)] == []
    assert visit.failures == []
    assert visit.page.evaluate("shifts") <= LARGEST_SHIFT


def widths_of(visit):
    return FEW_WIDTHS if visit.is_like_another else WIDTHS


def test_page_fits_its_paper(visit):
    """If one table is too wide, all pages of the PDF get smaller letters."""
    visit.page.emulate_media(media="print")
    visit.page.set_viewport_size({"width": PAPER, "height": 900})
    content = visit.page.evaluate("document.documentElement.scrollWidth")
    visit.page.emulate_media(media="screen")
    assert content <= PAPER


def test_page_fits_its_window(visit):
    for width in widths_of(visit):
        visit.page.set_viewport_size({"width": width, "height": 900})
        content = visit.page.evaluate("document.documentElement.scrollWidth")
        seen = visit.page.evaluate("document.documentElement.clientWidth")
        assert content <= seen, f"{content} pixels wide in a window of {width}"
        assert visit.page.evaluate(CUT_WITHOUT_A_CUE) == [], width
        # The theme's script checks this a while after a change of size.
        visit.page.wait_for_function(f"({CUT_FORMULAS})().every(([_, cue]) => cue)")
        cut = visit.page.evaluate(CUT_FORMULAS)
        assert len(cut) <= (1 if width < 400 else 0), (width, cut)


def test_controls_are_named_and_large_and_show_the_focus(visit):
    for width in (390, 1440):  # as it is now, and as the next test wants it
        visit.page.set_viewport_size({"width": width, "height": 900})
        assert visit.page.evaluate(SMALL_OR_NAMELESS) == [], width
        assert visit.page.evaluate(FOCUS_IS_NOT_SEEN) == [], width


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)], ids=str)
def test_page_is_accessible(visit, theme, width):
    """Each theme, layout and tab once.

    Wide, both columns are seen; narrow, the second tab, which has to be chosen. What
    a page is made of is the same there: only colours and what scrolls are audited.
    """
    if theme == "dark" and visit.is_like_another:
        return  # chapters have the same colours
    visit.show(theme, width)
    tabs = visit.page.locator(".side-by-side > label.tensorflow")
    if width < NARROWEST_PAIR and tabs.count():
        tabs.first.click()
        visit.wait_for_the_theme()
    only = [] if theme == "light" else ["color-contrast", "scrollable-region-focusable"]
    # Chapters have the same links, which take axe-core a third of its time.
    without = ["link-in-text-block"] if visit.is_like_another else []
    assert violations(visit.page, only, without) == []


def test_every_picture_has_alternative_text(visit):
    pictures = visit.page.evaluate(
        """[...document.querySelectorAll("img, svg[role=img], iframe")].map(picture => [
            picture.outerHTML.slice(0, 120),
            picture.alt || picture.title || picture.getAttribute("aria-label"),
        ])"""
    )
    assert [html for html, text in pictures if not (text or "").strip()] == []


def test_first_load_is_light(visit, address):
    sizes = visit.first_load
    heaviest = sorted(sizes.items(), key=lambda item: -item[1])[:8]
    assert f"{address}{visit.name}.html" in sizes
    assert sum(sizes.values()) <= MOST.get(visit.name, MOST_ELSEWHERE), heaviest


# Night and paper

PANELS = "book/13_writing"


@pytest.mark.slow("pictures of the other theme that are loaded, too")
def test_a_page_loads_the_pictures_of_its_theme_alone(open_page):
    """And panels are stacked where they are narrow."""
    asked = []
    page = open_page(f"{PANELS}.html", width=390, color_scheme="dark")
    page.on("request", lambda request: asked.append(request.url))
    scroll_through(page)
    pictures = {url for url in asked if re.search(r"/_(images|frames)/.*png$", url)}
    assert len(pictures) > 4
    assert all(url.endswith("-night.png") for url in pictures)
    sizes = page.evaluate("""[...document.querySelectorAll(".panels.only-dark")].map(
        panels => [...panels.children].map(panel => panel.getBoundingClientRect()))""")
    assert sizes
    for panels in sizes:
        assert len({round(panel["x"]) for panel in panels}) == 1
        for above, below in itertools.pairwise(panels):
            assert abs(above["bottom"] - below["top"]) < 1


@pytest.mark.slow("a dark page that is printed dark")
def test_a_dark_page_is_printed_black_on_white(open_page):
    looks = []
    for theme in ("light", "dark"):
        page = open_page(f"{PLAIN}.html", color_scheme=theme)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        page.add_style_tag(content="* { transition: none !important }")
        page.emulate_media(media="print", color_scheme=theme)
        looks.append(
            page.evaluate("""[...document.querySelectorAll("article *, body")]
                .filter(part => part.checkVisibility())
                .map(part => getComputedStyle(part))
                .map(({color, backgroundColor, borderColor}) =>
                    [color, backgroundColor, borderColor])""")
        )
    assert len(looks[0]) > 1000
    assert looks[0] == looks[1]


@pytest.mark.slow("a page without scripts and colours")
def test_a_page_without_scripts_has_all_colours_of_a_light_one(open_page):
    page = open_page("book/index.html", java_script_enabled=False)
    with_scripts = open_page("book/index.html", color_scheme="light")
    look = """link => {
        const {color, backgroundColor} = getComputedStyle(link);
        return [color, backgroundColor];
    }"""
    first = ".start-here a:first-child"
    looks = [one.locator(first).evaluate(look) for one in (page, with_scripts)]
    assert looks[0] == looks[1]
    page.goto(page.url.replace("index", "05_feed_forward"))
    assert page.locator(".only-light:visible").count()
    assert not page.locator(".only-dark:visible").count()


@pytest.mark.slow("a term whose sentence a key or a finger does not show")
def test_a_term_shows_its_sentence_to_pointer_keyboard_and_finger(open_page):
    page = open_page("book/03_attention.html")
    note = page.locator("#glossary-note")
    term = page.locator("a.glossary-term").nth(2)
    sentence = term.get_attribute("title")
    term.hover()
    assert note.inner_text() == sentence
    assert term.get_attribute("aria-describedby") == "glossary-note"
    note.hover()
    page.wait_for_timeout(400)  # longer than it stays when the pointer has left it
    assert note.is_visible()
    page.keyboard.press("Escape")
    assert not note.is_visible()
    page.mouse.move(0, 0)
    term.evaluate("term => term.focus({focusVisible: true})")
    assert note.inner_text() == sentence
    page.keyboard.press("Escape")
    assert not note.is_visible()
    assert term.evaluate("term => term === document.activeElement")
    phone = open_page("book/03_attention.html", width=390, has_touch=True)
    note, term = (
        phone.locator("#glossary-note"),
        phone.locator("a.glossary-term").nth(2),
    )
    term.tap()
    assert note.inner_text().startswith(sentence)
    box = note.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    phone.locator("article h1").tap()
    assert not note.is_visible()
    term.tap()
    term.tap()
    phone.wait_for_url("**/glossary.html#term-*")


# Side by side


def boxes(page, selector):
    """For each pair of the page, the boxes of what `selector` finds in each column.

    Folded parts have none.
    """
    return page.evaluate(
        """selector => [...document.querySelectorAll(".side-by-side")].map(pair =>
            [...pair.querySelectorAll(":scope > .sd-tab-content")].map(column => {
                const found = [...column.querySelectorAll(selector)].find(
                    cell => cell.checkVisibility());
                const {left, right, top, bottom} = found?.getBoundingClientRect() ?? {};
                return found && {left, right, top, bottom};
            }))""",
        selector,
    )


def shown(page):
    """The frameworks whose column or tab can be seen, pair by pair."""
    return page.evaluate(
        """[...document.querySelectorAll(".side-by-side")].map(pair =>
            [...pair.querySelectorAll(":scope > .sd-tab-content")]
                .filter(tab => tab.checkVisibility())
                .map(tab =>
                    tab.classList.contains("pytorch") ? "PyTorch" : "TensorFlow"))
        """
    )


def test_columns_stand_beside_each_other_and_are_aligned(visit):
    for width in (width for width in widths_of(visit) if width >= NARROWEST_PAIR):
        visit.page.set_viewport_size({"width": width, "height": 900})
        inputs = boxes(visit.page, ".cell_input, details.hide")  # folded or not
        assert inputs or visit.name not in CHAPTERS, "the chapter has no pair of cells"
        assert all(
            columns == ["PyTorch", "TensorFlow"] for columns in shown(visit.page)
        )
        for left, right in inputs:
            assert left["right"] < right["left"]
            assert right["right"] <= width
            assert left["top"] == pytest.approx(right["top"], abs=1)
            assert left["bottom"] == pytest.approx(right["bottom"], abs=1)
        for left, right in boxes(visit.page, ".cell_output"):
            if left and right:
                assert left["top"] == pytest.approx(right["top"], abs=1)


def test_twin_methods_face_each_other(open_page):
    page = open_page(f"{PLAIN}.html")
    twins = page.evaluate(
        """() => ["def forward", "def call"].map(words => {
            const pair = [...document.querySelectorAll(".side-by-side")].find(
                pair => pair.textContent.includes("def call"));
            const texts = document.createTreeWalker(pair, NodeFilter.SHOW_TEXT);
            while (texts.nextNode().data !== words.slice(4));
            return texts.currentNode.parentElement.getBoundingClientRect().top;
        })"""
    )
    assert twins[0] == pytest.approx(twins[1], abs=1)


def frameworks(page):
    """The frameworks that a pair of the page shows, where all show the same."""
    (columns,) = {*map(tuple, shown(page))}
    return columns


@pytest.mark.slow("a choice of framework that is forgotten")
def test_one_choice_changes_every_pair_and_is_remembered(open_page):
    """With the pointer, a key or the address, which has priority."""
    page = open_page(f"{PLAIN}.html", width=390)
    assert frameworks(page) == ("PyTorch",)
    page.locator(".side-by-side > input").first.focus()
    page.keyboard.press("ArrowRight")
    assert frameworks(page) == ("TensorFlow",)
    page.keyboard.press("ArrowLeft")
    assert frameworks(page) == ("PyTorch",)
    page.locator(".side-by-side > label.tensorflow").first.click()
    assert frameworks(page) == ("TensorFlow",)
    other = page.url.replace(PLAIN, ANOTHER)
    assert page.goto(other).ok
    assert frameworks(page) == ("TensorFlow",)
    for name, address in (("PyTorch", "pytorch"), ("TensorFlow", "tensorflow")):
        page.goto(f"{other}?framework={address}")
        assert frameworks(page) == (name,)


@pytest.mark.slow("a page that is empty without scripts")
def test_without_javascript_a_line_says_so_and_all_is_there(open_page):
    """Tabs and columns work, and pictures take the places of views."""
    page = open_page(f"{STRUCTURAL}.html", width=390, java_script_enabled=False)
    assert page.locator(".no-script").is_visible()
    views = page.locator(".attention-view").all()
    assert len(views) > 1
    for view in views:
        assert not view.locator("iframe").is_visible()
        assert view.locator("img:visible").count()
    pair = page.locator(".side-by-side").first
    assert pair.locator("> .pytorch.sd-tab-content").is_visible()
    pair.locator("> label.tensorflow").click()
    assert pair.locator("> .tensorflow.sd-tab-content").is_visible()
    assert not pair.locator("> .pytorch.sd-tab-content").is_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    assert pair.locator("> .pytorch.sd-tab-content").is_visible()
    assert pair.locator("> .tensorflow.sd-tab-content").is_visible()


def test_a_dark_page_is_dark_before_any_script_is_loaded(new_context, address):
    context = new_context(color_scheme="dark")
    context.route("**/*.js*", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{address}{PAGES[0]}.html")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground)[:3])) < 64, ground
    # The reader's own choice counts more.
    page.evaluate("localStorage.setItem('mode', 'light')")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.slow("a printed page that lacks a part")
def test_print_is_whole_and_short(open_page):
    page = open_page(f"{STRUCTURAL}.html", width=718)  # the width of A4, less margins
    page.emulate_media(media="print")
    assert not page.locator(".bd-sidebar-primary").is_visible()
    printed = [columns for columns in shown(page) if columns]
    assert printed and all(one == ["PyTorch", "TensorFlow"] for one in printed)
    for first, second in boxes(page, ".cell_input"):
        assert not first or first["bottom"] < second["top"]
    clipped = """[...document.querySelectorAll("pre")].filter(
        part => part.scrollWidth > part.clientWidth).length"""
    assert page.evaluate(clipped) == 0
    # A label stays with its code, of which at least six lines stay together.
    look = "part => ({...getComputedStyle(part)})"
    label = page.locator(".side-by-side > label").first
    assert label.evaluate(look)["breakAfter"] == "avoid"
    code = page.locator("div.cell_input").first
    assert code.evaluate(look)["breakBefore"] == "avoid"
    assert code.locator("pre").evaluate(look)["orphans"] == "6"
    pages = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))
    assert len(pages) <= 40


# Attention views


def frames(build):
    return sorted((build.site / "_frames").glob("*.html"))


# Views of one kind are made of the same parts, with the same attributes.
KINDS_OF_PARTS = """() => [...document.body.querySelectorAll("*")].map(part => [
    part.tagName, part.className.baseVal ?? part.className, ...part.getAttributeNames()
].join(" "))"""

# A view of a model has thousands of lines, which mean nothing to axe-core and cost
# time: one of each group is enough.
WITHOUT_LINES = """() => document.querySelectorAll("line + line").forEach(
    line => line.remove())"""


def open_view_at(page, address, width):
    """Open a view, which is drawn for the width of the window; try its controls."""
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(address)
    assert page.locator("svg text, .controls").count() > 0, address
    assert page.evaluate(SMALL_OR_NAMELESS) == [], (address, width)
    assert page.evaluate(FOCUS_IS_NOT_SEEN) == [], (address, width)


@pytest.mark.slow("a view that needs a network")
def test_views_draw_without_a_network_and_are_accessible(build, new_context, address):
    assert frames(build), "the book has no attention view"
    page = new_context().new_page()
    problems, audited = [], set()
    page.on("pageerror", lambda error: problems.append(error))
    page.on(
        "request",
        lambda request: request.url.startswith(address) or problems.append(request.url),
    )
    for file in frames(build):
        open_view_at(page, f"{address}_frames/{file.name}", 900)
        kinds = {*page.evaluate(KINDS_OF_PARTS)}
        if kinds - audited:  # a part that no view before it had
            audited |= kinds
            page.evaluate(WITHOUT_LINES)
            load_axe(page)
            # Its heading is that of the page around it.
            assert violations(page, without=["page-has-heading-one"]) == [], file.name
            open_view_at(page, page.url, 330)
        assert problems == [], file.name


HEADS, DRAWINGS, VECTORS = '<div id="heads"', "renderThumbnail", '<button id="vectors"'


@pytest.fixture
def open_view(build, open_page):
    """A function that opens the first view of the book with something in its page."""

    def open_(part):
        file = next(file for file in frames(build) if part in file.read_text())
        return open_page(f"_frames/{file.name}")

    return open_


def test_the_keyboard_chooses_a_token_and_words_say_what_it_attends_to(open_view):
    page = open_view(HEADS)
    token = page.locator("#left g[role=button]")
    token.first.focus()
    page.keyboard.press("ArrowDown")
    second = token.nth(1).get_attribute("aria-label")
    assert page.locator("#told").inner_text().startswith(f"{second} attends to")
    assert page.locator(
        "#attention[visibility=hidden] line[visibility=visible]"
    ).count()


def test_the_keyboard_hides_and_isolates_heads(open_view):
    page = open_view(HEADS)
    heads = page.locator("#heads button")
    pressed = "heads => heads.map(head => head.ariaPressed)"
    count = heads.count()
    heads.first.focus()
    page.keyboard.press("Enter")
    assert heads.evaluate_all(pressed) == ["false"] + ["true"] * (count - 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+Enter")
    assert heads.evaluate_all(pressed).count("true") == 1
    opacities = """lines => lines.map(line => +line.getAttribute("stroke-opacity"))"""
    lines = page.locator("[head-index='0'] line")
    assert not any(lines.evaluate_all(opacities))


def test_the_keyboard_opens_and_closes_a_head_of_the_model(open_view):
    page = open_view(DRAWINGS)
    drawings = page.locator("[role=button]")
    drawings.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    chosen = drawings.nth(1).get_attribute("aria-label")
    words = " ".join(page.locator("text.detail").all_text_contents())
    assert words.lower() == chosen.lower()
    assert page.locator("#told").inner_text().startswith(f"{chosen}, strongest")
    page.keyboard.press(" ")
    assert page.locator(".detail").count() == 0


def test_a_button_hides_the_vectors_of_a_neuron_view(open_view):
    page = open_view(VECTORS)
    expanded = page.locator("#expanded")
    assert expanded.get_attribute("visibility") == "visible"
    page.locator("#vectors").press("Enter")
    assert expanded.get_attribute("visibility") == "hidden"


def test_a_view_is_as_dark_as_its_page(open_page):
    page = open_page(f"{STRUCTURAL}.html", color_scheme="dark")
    view = page.locator(".attention-view iframe").first
    view.scroll_into_view_if_needed()
    view.content_frame.locator("html[data-theme=dark]").wait_for()


def test_views_are_light(build):
    sizes = {
        file.name: len(gzip.compress(file.read_bytes())) / KILOBYTE
        for file in frames(build)
    }
    assert max(sizes.values()) <= 120, sizes


def test_views_wait_until_the_reader_comes_near(build):
    for chapter in CHAPTERS:
        html = (build.site / f"{chapter}.html").read_text()
        for frame in re.findall(r"<iframe[^>]*>", html):
            assert 'loading="lazy"' in frame
            assert "srcdoc" not in frame


def test_a_view_of_a_chapter_is_on_the_page_of_live_models_too(build):
    files = []
    for page in "book/live", "book/19_serving":
        html = (build.site / f"{page}.html").read_text()
        (address,) = re.findall(r'<iframe[^>]* src="\.\./([^"]*)"', html)
        files.append((build.site / address).read_text())
    assert files[0] == files[1]


# The build, and where its buttons lead


def test_build_is_clean(build):
    assert build.first.clean, build.first.log[-3000:]


def test_build_imports_only_what_it_installs(build):
    """Whatever else is installed here could not be imported in either build."""
    heavy = {"torch", "tensorflow", "keras", "transformers", "scipy", "sklearn"}
    for run in (build.first, build.second):
        said = re.search("^Without (.*)$", run.log, re.MULTILINE)
        assert heavy < {*said[1].split()}


def test_second_build_does_nothing(build):
    assert build.second.clean, build.second.log[-3000:]
    assert "0 added, 0 changed, 0 removed" in build.second.log


def test_build_is_quick(build):
    """The unit is the time that adding a hundred million numbers takes here."""
    begin = time.process_time()
    sum(range(10**8))
    unit = time.process_time() - begin
    assert build.first.seconds < 60 * unit
    assert build.second.seconds < 15 * unit


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_buttons_lead_to_the_fork(build, chapter):
    html = (build.site / f"{chapter}.html").read_text()
    links = re.findall(r'<a href="([^"]*)"[^>]*class="btn', html)
    for wanted in (
        FORK,
        f"{FORK}/blob/main/{chapter}.ipynb",
        f"{FORK}/issues/new",
        f"https://colab.research.google.com/github/a-reader/a-fork/blob/main/{chapter}.ipynb",
    ):
        assert any(link.startswith(wanted) for link in links), (wanted, links)
    assert "transformer-twice/book" not in " ".join(links)


# What the site says of itself, and what the text names


def read(build, page):
    return (build.site / f"{page}.html").read_text()


def meta(html, name):
    content = re.search(rf'<meta (?:name|property)="{name}" content="([^"]*)"', html)
    return content and content[1]


def test_every_page_describes_itself(build):
    said = {}
    for page in PAGES:
        html = read(build, page)
        address = f"https://a-reader.github.io/a-fork/{page}.html"
        assert f'<link rel="canonical" href="{address}"' in html, page
        assert meta(html, "og:url") == address
        assert meta(html, "og:title"), page
        picture = meta(html, "og:image").removeprefix(
            "https://a-reader.github.io/a-fork"
        )
        assert (build.site / picture.lstrip("/")).exists()
        said[page] = meta(html, "description")
        assert 40 <= len(said[page]) <= 165, (page, said[page])
    assert len(set(said.values())) == len(PAGES)


def test_site_has_the_files_that_a_published_site_needs(build, open_page):
    root = (build.site / "index.html").read_text()
    assert root.startswith("<!DOCTYPE html>\n<html lang=") and "<title>" in root
    page = open_page("index.html")
    page.wait_for_url(f"**/{PAGES[0]}.html")
    page.evaluate("localStorage.theme = 'dark'")
    page.goto(page.url.replace(f"{PAGES[0]}.html", "404.html"))
    assert page.evaluate("getComputedStyle(document.body).color") != "rgb(0, 0, 0)"
    lost = (build.site / "404.html").read_text()
    assert f'href="https://a-reader.github.io/a-fork/{PAGES[0]}.html"' in lost
    listed = re.findall("<loc>(.*?)</loc>", (build.site / "sitemap.xml").read_text())
    base = "https://a-reader.github.io/a-fork/"
    assert sorted(listed) == sorted(f"{base}{page}.html" for page in PAGES)
    assert f"{base}sitemap.xml" in (build.site / "robots.txt").read_text()
    assert (build.site / ".nojekyll").exists()


def test_a_forks_front_page_leads_to_where_the_fork_is_published(build):
    front = read(build, PAGES[0])
    address = re.escape("https://a-reader.github.io/a-fork/")
    assert re.search(rf'<a [^>]*href="{address}">read it online</a>', front)
    assert "transformer-twice.github.io" not in front


NAMED = re.compile(r"\b[Ff]igure \d+\.\d+|\b[Cc]hapter \d+|\(\d+\.\d+\)")


def test_every_caption_belongs_to_a_figure(build):
    for chapter in CHAPTERS:
        html = read(build, chapter)
        captions = re.findall(r'<strong class="figure-label">Figure ([\d.]+)\.<', html)
        figures = re.findall(r'<figure id="figure-([\d-]+)"', html)
        assert captions, chapter
        assert [one.replace("-", ".") for one in figures] == captions


@pytest.fixture(scope="module")
def chapter_page(browser, address):
    """A chapter that was opened once, for tests that only read it."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(MILLISECONDS)
    assert page.goto(f"{address}{STRUCTURAL}.html").ok
    yield page
    page.close()


def test_what_the_text_names_is_linked(chapter_page):
    """Figures, other chapters and numbered equations; not the figures of papers."""
    page = chapter_page
    pieces = page.evaluate(
        """() => {
            const skip = "a, pre, code, summary, figcaption strong, h1, h2, h3, h4,"
                + "nav, .math, math";
            const texts = document.createTreeWalker(
                document.querySelector("article"), NodeFilter.SHOW_TEXT);
            const found = [];
            while (texts.nextNode())
                if (!texts.currentNode.parentElement.closest(skip))
                    found.push(texts.currentNode.data);
            return found;
        }"""
    )
    assert [piece for piece in pieces if NAMED.search(piece)] == []
    for name, address in {
        "figure 3.4": "#figure-3-4",
        "equation (3.2)": "#equation-3-2",
        "chapter 4": "04_multi_head.html",
        "Clark et al. (2019)": "https://arxiv.org/abs/1906.04341",
    }.items():
        link = page.locator("article a", has_text=re.compile(f"^{re.escape(name)}$"))
        assert link.first.get_attribute("href") == address, name


def test_only_code_is_copied_and_folded_code_says_what_it_makes(chapter_page):
    page = chapter_page
    assert page.locator(".cell_input .copybtn").count() > 9
    assert page.locator(".cell_output .copybtn").count() == 0
    prompt = "Show the code of figure 3.1"
    assert page.locator("summary").get_by_text(prompt, exact=True).is_visible()
    assert page.locator("summary[aria-label]").count() == 0


# What a button copies, once it is clicked: the browser's clipboard is left alone.
COPIED = """button => {
    let copied;
    document.execCommand = () => {
        copied = [...document.querySelectorAll("textarea")].at(-1).value;
        return true;
    };
    button.click();
    return copied;
}"""
ALL_COPIED = f"""() => [...document.querySelectorAll(".copybtn")].map(button => {{
    const code = document.querySelector(button.dataset.clipboardTarget);
    return [code.textContent, ({COPIED})(button)];
}})"""


@pytest.mark.parametrize(
    "page", ["book/api", *(pytest.param(one, marks=slow) for one in CHAPTERS[::5])]
)
def test_of_a_session_what_was_typed_is_copied(open_page, page):
    """Neither prompts nor results; code without prompts is copied as it is."""
    sessions = 0
    for shown, copied in open_page(f"{page}.html").evaluate(ALL_COPIED):
        lines = shown.rstrip("\n").split("\n")
        typed = [line for line in lines if re.match(r"(>>>|\.\.\.)( |$)", line)]
        if lines[0].startswith(">>>"):
            sessions += 1
            lines = [line[4:] for line in typed]
            ast.parse("\n".join(lines))
        assert copied == "\n".join(lines)
    assert sessions > 15 or page != "book/api"


SESSIONS = {
    ">>> for x in y:\n...     f(x)\n...\n>>> g()\n7": "for x in y:\n    f(x)\n\ng()",
    ">>> f()\n[[1, 2],\n\n [3, 4]]\n>>> g()": "f()\ng()",
    "x = ...\n\ny = [1]  # >>> 2": "x = ...\n\ny = [1]  # >>> 2",
}


@pytest.mark.parametrize("text", SESSIONS)
def test_a_session_is_copied_line_by_line(chapter_page, text):
    page = chapter_page
    copied = page.evaluate(
        f"""text => {{
            const button = document.querySelector(".copybtn");
            const code = document.querySelector(button.dataset.clipboardTarget);
            const before = code.innerHTML;
            code.textContent = text;
            const copied = ({COPIED})(button);
            code.innerHTML = before;
            return copied;
        }}""",
        text,
    )
    assert copied == SESSIONS[text]


@pytest.mark.slow("letters of twice the size that push a button out")
@pytest.mark.parametrize("size", [100, 150, 200])
def test_with_large_letters_the_bar_fits_a_phone(open_page, size):
    page = open_page(f"{STRUCTURAL}.html", width=390)
    page.add_style_tag(content=f"html {{ font-size: {size}% !important }}")
    bar = page.locator(".bd-header-article")
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    assert bar.locator(".btn:visible").count() > 5
    edges = bar.locator(".btn:visible").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    assert max(edges) <= 390


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_download_button_gives_the_notebook(build, chapter):
    copy = build.site / "_sources" / f"{chapter}.ipynb"
    assert copy.read_bytes() == (ROOT / f"{chapter}.ipynb").read_bytes()
    html = (build.site / f"{chapter}.html").read_text()
    assert f"_sources/{chapter}.ipynb" in html


def test_every_local_link_leads_somewhere(build):
    for page in PAGES:
        file = build.site / f"{page}.html"
        for link in re.findall(r'(?:href|src)="([^"]*)"', file.read_text()):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            other = (file.parent / parts.path).resolve() if parts.path else file
            assert other.exists(), (page, link)
            if parts.fragment and other.suffix == ".html":
                assert parts.fragment in anchors(other), (page, link)


@functools.cache
def anchors(file):
    return set(re.findall(r'\bid="([^"]*)"', file.read_text()))
