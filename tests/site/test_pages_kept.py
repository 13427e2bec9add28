"""What a browser stores for the book's pages: only files of one build of the book.

Pages work where nothing can be stored, and what others store is never an error.
"""

import json
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from helpers.book import ROOT
from helpers.site import MILLISECONDS, QuietHandler, served
from playwright.sync_api import expect

pytestmark = pytest.mark.slow("what a browser keeps, and what happens where it may not")

expect.set_options(timeout=MILLISECONDS)
CHAPTER = "book/03_attention.html"
NAME = "attention.weights_by_hand"
TICK = f'.answer-box[data-exercise="{NAME}"] input[type=checkbox]'


@pytest.fixture
def context(new_context):
    return new_context()


def opened(context, address, problems=None):
    """Open a page; note what goes wrong on it."""
    page = context.new_page()
    if problems is not None:
        page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    return page


# Nothing is kept

REFUSED = "throw new DOMException('The operation is insecure.', 'SecurityError')"
STORES = {
    "refuses": "Object.defineProperty(globalThis, 'localStorage', "
    f"{{get() {{{REFUSED}}}}})",
    "is missing": "Object.defineProperty(globalThis, 'localStorage', {value: null})",
    "cannot be replaced": "Object.defineProperty(globalThis, 'localStorage', "
    "{configurable: false, value: undefined})",
    "is full": "Storage.prototype.setItem = () => {"
    "throw new DOMException('full', 'QuotaExceededError')}",
}


@pytest.mark.parametrize("store", STORES)
def test_where_nothing_is_kept_a_chapter_works(context, address, store):
    """A tick lasts as long as the page, and the colours can be changed."""
    context.add_init_script(STORES[store])
    page = opened(context, address + CHAPTER, problems := [])
    page.locator(TICK).check()
    assert page.locator(TICK).is_checked()
    assert page.locator(".solved-count").first.inner_text().startswith("1/")
    page.locator(TICK).uncheck()
    assert not page.locator(TICK).is_checked()
    if store == "cannot be replaced":  # the theme's own script asks for it, too
        return
    before = page.evaluate("document.documentElement.dataset.mode")
    page.locator(".theme-switch-button").first.click()
    assert page.evaluate("document.documentElement.dataset.mode") != before
    assert problems == []


CACHES = {
    "refuses": f"caches.open = async () => {{{REFUSED}}}",
    "throws": f"Object.defineProperty(globalThis, 'caches', {{get() {{{REFUSED}}}}})",
    "is missing": "Object.defineProperty(globalThis, 'caches', {value: undefined})",
    "is full": "Cache.prototype.put = Cache.prototype.add = async () => {"
    "throw new DOMException('full', 'QuotaExceededError')}",
    "cannot be read": f"Cache.prototype.match = async () => {{{REFUSED}}}",
}


def assert_a_model_writes(page):
    box = page.locator(".live-translator")
    box.get_by_role("button", name="One token").click()
    expect(box.locator("p[role=status]")).to_contain_text("1 token written")


@pytest.mark.parametrize("cache", CACHES)
def test_without_a_cache_a_model_writes(context, site, address, cache):
    """The worker, which asks the cache, runs the same lines first."""
    worker = (site / "_static/live/worker.js").read_text(encoding="utf-8")
    context.add_init_script(CACHES[cache])
    context.route(
        "**/worker.js",
        lambda route: route.fulfill(
            content_type="text/javascript", body=f"{CACHES[cache]};\n{worker}"
        ),
    )
    page = opened(context, f"{address}book/live.html", problems := [])
    assert_a_model_writes(page)
    assert problems == []


def test_without_a_worker_for_pages_a_model_writes(context, address):
    context.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'serviceWorker', "
        f"{{get() {{{REFUSED}}}}})"
    )
    page = opened(context, f"{address}book/live.html", problems := [])
    assert_a_model_writes(page)
    page.wait_for_timeout(2500)  # until the page would have been kept
    assert problems == []


@pytest.mark.parametrize("model", ["writer", "encoder"])
def test_a_page_that_has_lost_the_network_says_so(context, address, model):
    """In a sentence with one full stop."""
    page = opened(context, f"{address}book/live.html")
    page.locator("#live-load:enabled").wait_for()
    context.set_offline(True)
    place = ".live-writer .live-main" if model == "writer" else "#live-load"
    said = ".live-writer p[role=status]" if model == "writer" else "#live-status"
    page.locator(place).click()
    expect(page.locator(said)).to_have_text(
        "That did not work: the server did not answer. Try again."
    )


# What is solved


FOREIGN = ["3", '{"a": 1}', '[1, null, ["x"], {}]', "{broken", "null", '"text"', "true"]


def test_what_another_project_keeps_is_no_error_and_stays(context, address):
    """Under the plain word that the book's key was once."""
    page = opened(context, address + CHAPTER, problems := [])
    boxes = page.locator(".answer-box[data-exercise]")
    for value in FOREIGN:
        page.evaluate("localStorage.clear()")
        page.evaluate("value => localStorage.setItem('solved', value)", value)
        page.reload()
        assert boxes.locator("input[type=checkbox]").count() == boxes.count() > 3
        page.locator(TICK).check()
        assert page.locator(TICK).is_checked()
        assert page.evaluate("localStorage.getItem('solved')") == value
    assert problems == []


def test_whatever_is_under_the_key_boxes_are_drawn(context, address):
    page = opened(context, address + CHAPTER, problems := [])
    for value in FOREIGN:
        page.locator(TICK).check()
        page.evaluate(
            """([value, name]) => {
                for (const [key, kept] of Object.entries(localStorage))
                    if (kept.includes(name)) localStorage.setItem(key, value);
            }""",
            [value, NAME],
        )
        page.reload()
        assert not page.locator(TICK).is_checked(), value
    assert problems == []


def test_what_was_solved_before_is_taken_over_once(context, address):
    page = opened(context, address + CHAPTER)
    kept = json.dumps([NAME, "of.another_project", 5])
    page.evaluate("kept => localStorage.setItem('solved', kept)", kept)
    page.reload()
    assert page.locator(TICK).is_checked()
    page.goto(f"{address}book/exercises.html")
    progress = page.locator(".exercise-progress")
    assert "You have solved 1 of " in progress.inner_text()
    progress.get_by_role("button").click()
    page.reload()
    assert "You have solved 0 of " in progress.inner_text()


def test_each_edition_has_its_own(context, site, tmp_path):
    for edition in ("first", "second"):
        (tmp_path / edition).symlink_to(site)
    with served(tmp_path) as address:
        page = opened(context, f"{address}first/{CHAPTER}")
        page.locator(TICK).check()
        other = opened(context, f"{address}second/{CHAPTER}")
        assert not other.locator(TICK).is_checked()
        page.goto(f"{address}first/book/exercises.html")
        assert (
            "You have solved 1 of " in page.locator(".exercise-progress").inner_text()
        )


def test_two_tabs_have_the_same_ticks(context, address):
    """Boxes, contents and counts; and neither overwrites what the other has stored."""
    one, other = (opened(context, address + CHAPTER) for _ in range(2))
    listed = opened(context, f"{address}book/exercises.html")
    boxes = "(//*[@class='answer-box']//input[@type='checkbox'])"
    one.locator(f"{boxes}[1]").check()
    expect(other.locator(f"{boxes}[1]")).to_be_checked()
    other.locator(f"{boxes}[2]").check()
    expect(one.locator(f"{boxes}[2]")).to_be_checked()
    expect(one.locator(".solved-count").first).to_have_text(re.compile("^2/"))
    expect(listed.locator(".exercise-progress")).to_contain_text("solved 2 of")
    one.locator(f"{boxes}[1]").uncheck()
    expect(other.locator(f"{boxes}[1]")).not_to_be_checked()
    listed.get_by_role("button", name="Forget what I have solved").click()
    expect(other.locator(f"{boxes}[2]")).not_to_be_checked()


# Pages without a network


@contextmanager
def two_builds(site):
    """The address of a site, and a function that puts a later build in its place.

    There, the live page has another text, style and script, as a build would name them.
    """
    build = {"number": 1}

    def changed(path, body):
        if path.endswith("live.html"):
            body = body.replace("Live models</h1>", "Live models, again</h1>")
            body = re.sub("Live models<a", "Live models, again<a", body)
            return re.sub(r"(live\.css\?v=)\w+", r"\g<1>later", body)
        if path.endswith("live.css"):
            return body + ".live-bar { display: grid !important }"
        if path.endswith("writer.js"):
            return body + "\ndocument.documentElement.dataset.script = 'later';"
        return body.replace('BUILD = "', 'BUILD = "later')

    class Handler(QuietHandler):
        def send_head(self):
            path = self.path.partition("?")[0]
            file = site / path.lstrip("/")
            known = ("live.html", "live.css", "live/writer.js", "live/keep.js")
            if build["number"] == 1 or not path.endswith(known):
                return super().send_head()
            body = changed(path, file.read_text(encoding="utf-8")).encode()
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return None

        def end_headers(self):
            self.send_header("Cache-Control", "no-cache")
            super().end_headers()

        def __init__(self, *arguments):
            super().__init__(*arguments, directory=site)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", lambda: build.update(number=2)
        server.shutdown()


KEPT = """async () => {
    const found = [];
    for (const name of await caches.keys())
        for (const {url} of await (await caches.open(name)).keys()) found.push(url);
    return found;
}"""


def wait_until_kept(page, name):
    """Wait until a file is stored, and nothing else of its name."""
    stem = name.partition("?")[0]
    for _ in range(MILLISECONDS // 100):
        same = [url for url in page.evaluate(KEPT) if stem in url]
        if same and all(name in url for url in same):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{name} is not kept alone: {same}")


def use(page, address):
    page.goto(f"{address}book/live.html")
    box = page.locator(".live-writer")
    box.get_by_role("button", name="One token").click()
    expect(box.get_by_role("log").locator("button")).to_have_count(1)
    return box


def test_without_a_network_a_page_is_all_of_the_last_build(context, site):
    page = context.new_page()
    with two_builds(site) as (address, build_again):
        use(page, address)
        wait_until_kept(page, "live.css?v=")
        # As an older version of the book stored them, which knew no builds.
        page.evaluate(
            """async address => {
                const cache = await caches.open("the-transformer-twice-pages");
                await cache.put(address, new Response("an old page"));
                await cache.put("http://elsewhere.test/", new Response("another's"));
            }""",
            page.url,
        )
        build_again()
        use(page, address)
        wait_until_kept(page, "live.css?v=later")
        kept = page.evaluate(KEPT)
    assert "http://elsewhere.test/" in kept  # which another edition may need
    assert len({url.partition("?")[0] for url in kept}) == len(kept)
    box = use(page, address)
    assert page.locator(".bd-article h1").inner_text().startswith("Live models, again")
    bar = box.locator(".live-bar")
    assert bar.evaluate("bar => getComputedStyle(bar).display") == "grid"
    assert page.evaluate("document.documentElement.dataset.script") == "later"
    # A page is the same whatever its query.
    page.goto(f"{address}book/live.html?framework=pytorch")
    assert page.locator(".bd-article h1").inner_text().startswith("Live models, again")


def test_a_browser_asks_for_each_file_of_a_served_book_anew(tmp_path):
    """It keeps its copy if the answer is that nothing has changed."""
    (tmp_path / "page.html").write_text("a page")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "tools/serve.py", "--directory", tmp_path, str(port)]
    address = f"http://127.0.0.1:{port}/page.html"
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as server:
        try:
            first = answer_from(address)
            assert first.headers["Cache-Control"] == "no-cache"
            since = {"If-Modified-Since": first.headers["Last-Modified"]}
            with pytest.raises(HTTPError) as unchanged:
                urlopen(Request(address, headers=since))
            assert unchanged.value.code == 304
        finally:
            server.terminate()


def answer_from(address):
    """The answer of a server that may still be starting."""
    for _ in range(100):
        try:
            return urlopen(address)
        except URLError:
            time.sleep(0.1)
    raise AssertionError(f"{address} does not answer")
