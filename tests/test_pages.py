"""The built book, as a browser shows it: every page, light and dark, wide and narrow.

The book is built once, as a fork would build it, into a folder of its own, and served
on this machine to a Chromium that can reach nothing else.
"""

import functools
import gzip
import http.server
import os
import re
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import yaml
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FORK = "https://github.com/a-reader/a-fork"
THEMES = ("light", "dark")
WIDTHS = (1440, 1024, 390)
KILOBYTE = 1000
# How long a page may take to do something: a busy machine is slow, not wrong.
MILLISECONDS = 600_000


def pages_in_toc():
    """The pages of `_toc.yml`, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"], *(chapter["file"] for chapter in chapters)]


PAGES = pages_in_toc()
CHAPTERS = [page for page in PAGES if re.match(r"book/\d\d_", page)]


# The book, a server and a browser


def run_build(folder):
    """Build the book into `folder`; say whether it was clean, its log, its seconds.

    Seconds of processor time, which other programs on the machine do not lengthen.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = Path(sys.executable).with_name("jupyter-book")
    options = ["--path-output", folder, "-W", "-n", "--keep-going"]
    result = subprocess.run(
        [program, "build", ROOT, *options],
        env=os.environ | {"BOOK_REPOSITORY": FORK, "BOOK_BRANCH": "main"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return SimpleNamespace(
        clean=result.returncode == 0,
        log=result.stdout,
        seconds=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    )


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The built book: its folder, and how the first and a second build went."""
    folder = tmp_path_factory.mktemp("book")
    site = folder / "_build" / "html"
    first = run_build(folder)
    assert (site / "index.html").exists(), first.log[-3000:]
    return SimpleNamespace(site=site, first=first, second=run_build(folder))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Say nothing: the tests report what a page asked for."""


@pytest.fixture(scope="module")
def address(build):
    handler = functools.partial(QuietHandler, directory=build.site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=chromium,
            # The second: no name but this machine's number leads anywhere.
            args=[
                "--no-sandbox",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )


@pytest.fixture
def open_page(browser, address):
    """A function that opens a page of the book in a fresh browser profile."""
    contexts = []

    def open_(name, width=1440, context=None, **options):
        if context is None:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, **options
            )
            context.set_default_timeout(MILLISECONDS)
            contexts.append(context)
        page = context.new_page()
        assert page.goto(address + name, wait_until="load").ok
        return page

    yield open_
    for context in contexts:
        context.close()


# Every page, read once, measured in both themes and both widths


# Coloured code is thousands of spans in a few colours, for which axe-core takes half a
# minute. One span of each kind in each kind of block is enough; the others are undone.
ONE_OF_EACH_COLOUR = """() => {
    const seen = new Set();
    for (const span of document.querySelectorAll(".highlight span, .sig span")) {
        const cell = span.closest(".cell_input, .cell_output, .sig");
        const kind = `${span.className} in ${cell?.className}`;
        if (seen.has(kind)) span.replaceWith(...span.childNodes);
        seen.add(kind);
    }
}"""


# What the theme sees to, and no other part.
WHAT_SCROLLS_TAKES_THE_FOCUS = """() => [...document.querySelectorAll(
    "pre, .nboutput > .output_area, .cell_output > .output, .jp-RenderedHTMLCommon, " +
    ".pst-scrollable-table-container"
)].filter(part => part.checkVisibility()).every(part => part.tabIndex === (
    part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight
        ? 0 : -1))"""


def violations(page, **rules):
    """What axe-core finds wrong with a page as it is shown now."""
    # No preloading: axe would ask for style sheets by wrong addresses.
    report = page.evaluate(
        """rules => axe.run(document,
            {resultTypes: ["violations"], iframes: false, preload: false, rules})""",
        rules,
    )
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
        for violation in report["violations"]
        for node in violation["nodes"]
    ]


class Visit:
    """A page in a fresh browser, and everything that it asked for and complained of."""

    def __init__(self, browser, address, name):
        self.name = name
        self.responses = []
        self.requests = []
        self.failures = []
        self.context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.context.set_default_timeout(MILLISECONDS)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("response", self.note_response)
        self.page.on("requestfailed", lambda request: self.fail("failed", request.url))
        self.page.on("pageerror", lambda error: self.fail("exception", error))
        self.page.on("console", self.note_message)
        self.page.goto(f"{address}{name}.html", wait_until="networkidle")
        self.first_load = sum(self.compressed_sizes().values())
        self.page.evaluate(ONE_OF_EACH_COLOUR)
        self.page.evaluate(AXE_SCRIPT)
        # Colours are measured where they end, not while they fade.
        self.page.add_style_tag(content="* { transition: none !important }")

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
            response.url: min(len(body := response.body()), len(gzip.compress(body)))
            for response in self.responses
            if response.frame == self.page.main_frame
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
        """Wait: it looks a while after a change which parts of the page now scroll."""
        self.page.wait_for_function(WHAT_SCROLLS_TAKES_THE_FOCUS)


@pytest.fixture(scope="module", params=[*PAGES, "search"])
def visit(request, browser, address):
    visit = Visit(browser, address, request.param)
    yield visit
    visit.context.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_page_fits_its_window(visit, theme, width):
    visit.show(theme, width)
    beyond = visit.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert beyond <= 0, f"the page is {beyond} pixels wider than its window"


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)], ids=str)
def test_page_is_accessible(visit, theme, width):
    """Each theme, layout and tab once: an audit of a chapter takes seconds.

    Wide, both columns are seen; narrow, the second tab, which has to be chosen.
    """
    visit.show(theme, width)
    tabs = visit.page.locator(".side-by-side > label.tensorflow")
    if width < 1000 and tabs.count():
        tabs.first.click()
        visit.wait_for_the_theme()
    assert violations(visit.page) == []


def test_page_asks_only_its_own_server_and_nothing_fails(visit, address):
    # To the end of the page and back, so that what is lazy is loaded too.
    visit.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    visit.page.wait_for_load_state("networkidle")
    own = ("data:", "blob:", "about:", address)
    assert [url for url in visit.requests if not url.startswith(own)] == []
    assert visit.failures == []


def test_every_picture_has_alternative_text(visit):
    pictures = visit.page.evaluate(
        """[...document.querySelectorAll("img, svg[role=img], iframe")].map(picture => [
            picture.outerHTML.slice(0, 120),
            picture.alt || picture.title || picture.getAttribute("aria-label"),
        ])"""
    )
    assert [html for html, text in pictures if not (text or "").strip()] == []


def test_first_load_is_light(visit):
    assert visit.first_load <= 900 * KILOBYTE, sorted(
        visit.compressed_sizes().items(), key=lambda item: -item[1]
    )[:8]


def test_search_finds_a_word(open_page):
    page = open_page("search.html?q=softmax")
    page.locator("#search-results li a").first.wait_for()


# Side by side


def boxes(page, selector):
    """For each pair of the page, the boxes of what `selector` finds in each column.

    What is folded away has none.
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
    for width in (1200, 1440, 1920):
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


def test_one_choice_changes_every_pair_and_is_remembered(open_page):
    page = open_page(f"{CHAPTERS[0]}.html", width=390)
    assert {*map(tuple, shown(page))} == {("PyTorch",)}
    page.locator(".side-by-side > label.tensorflow").first.click()
    assert {*map(tuple, shown(page))} == {("TensorFlow",)}
    page = open_page(f"{CHAPTERS[1]}.html", context=page.context)
    page.set_viewport_size({"width": 390, "height": 900})
    assert {*map(tuple, shown(page))} == {("TensorFlow",)}


def test_address_makes_the_choice(open_page):
    page = open_page(f"{CHAPTERS[0]}.html?framework=tensorflow", width=390)
    assert {*map(tuple, shown(page))} == {("TensorFlow",)}
    page = open_page(f"{CHAPTERS[0]}.html?framework=pytorch", context=page.context)
    page.set_viewport_size({"width": 390, "height": 900})
    assert {*map(tuple, shown(page))} == {("PyTorch",)}


def test_arrow_keys_change_the_tab(open_page):
    page = open_page(f"{CHAPTERS[0]}.html", width=390)
    page.locator(".side-by-side > input").first.focus()
    page.keyboard.press("ArrowRight")
    assert {*map(tuple, shown(page))} == {("TensorFlow",)}


def test_without_javascript_tabs_and_columns_work(open_page):
    page = open_page(f"{CHAPTERS[0]}.html", width=390, java_script_enabled=False)
    pair = page.locator(".side-by-side").first
    assert pair.locator("> .pytorch.sd-tab-content").is_visible()
    pair.locator("> label.tensorflow").click()
    assert pair.locator("> .tensorflow.sd-tab-content").is_visible()
    assert not pair.locator("> .pytorch.sd-tab-content").is_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    assert pair.locator("> .pytorch.sd-tab-content").is_visible()
    assert pair.locator("> .tensorflow.sd-tab-content").is_visible()


def test_print_shows_both_frameworks_one_after_the_other(open_page):
    page = open_page(f"{CHAPTERS[0]}.html", width=800)
    page.emulate_media(media="print")
    assert all(columns == ["PyTorch", "TensorFlow"] for columns in shown(page))
    for first, second in boxes(page, ".cell_input"):
        assert not first or first["bottom"] < second["top"]
    assert not page.locator(".bd-sidebar-primary").is_visible()


# Attention views


def frames(build):
    return sorted((build.site / "_frames").glob("*.html"))


def test_views_draw_without_a_network_and_are_accessible(build, browser, address):
    assert frames(build), "the book has no attention view"
    context = browser.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(MILLISECONDS)
    for file in frames(build):
        page = context.new_page()
        problems = []
        page.on("pageerror", lambda error, found=problems: found.append(error))
        page.on(
            "request",
            lambda request, found=problems: (
                request.url.startswith(address) or found.append(request.url)
            ),
        )
        page.goto(f"{address}_frames/{file.name}", wait_until="networkidle")
        assert page.locator("svg text").count() > 0, file.name
        assert problems == [], file.name
        page.evaluate(AXE_SCRIPT)
        # Its heading is that of the page around it.
        rules = {"page-has-heading-one": {"enabled": False}}
        assert violations(page, **rules) == [], file.name
        page.close()
    context.close()


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


# The build, and where its buttons lead


def test_build_is_clean(build):
    assert build.first.clean, build.first.log[-3000:]


def test_second_build_does_nothing(build):
    assert build.second.clean, build.second.log[-3000:]
    assert "0 added, 0 changed, 0 removed" in build.second.log


def test_build_is_quick(build):
    """In a unit of this machine: what adding a hundred million numbers takes."""
    begin = time.process_time()
    sum(range(10**8))
    unit = time.process_time() - begin
    assert build.first.seconds < 40 * unit
    assert build.second.seconds < 10 * unit


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_buttons_lead_to_the_fork(build, chapter):
    html = (build.site / f"{chapter}.html").read_text()
    links = re.findall(r'<a href="([^"]*)"[^>]*class="btn', html)
    for wanted in (
        FORK,
        f"{FORK}/blob/main/{chapter}.ipynb",
        f"{FORK}/issues/new",
        f"https://colab.research.google.com/github/a-reader/a-fork/blob/main/{chapter}.ipynb",
        "https://mybinder.org/v2/gh/a-reader/a-fork/main",
    ):
        assert any(link.startswith(wanted) for link in links), (wanted, links)
    assert "transformer-twice/book" not in " ".join(links)


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
            if not parts.scheme and not parts.netloc and parts.path:
                assert (file.parent / parts.path).exists(), (page, link)
