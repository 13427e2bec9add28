"""The built book is light: few bytes, little work, formulas that need no script."""

import json
import re
import unicodedata
from html import unescape

import pytest
from fontTools.ttLib import TTFont
from helpers.site import CHAPTERS, MILLISECONDS, PAGES

pytestmark = pytest.mark.slow("a page that is heavy, or a search that finds nothing")

KILOBYTE = 1000
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def page(new_context):
    return new_context(**PHONE).new_page()


@pytest.fixture(scope="module")
def chapter(browser, address):
    """A chapter, opened once, and the addresses that it asked for."""
    page, asked = browser.new_page(viewport=PHONE), []
    page.set_default_timeout(MILLISECONDS)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}book/03_attention.html", wait_until="networkidle")
    yield page, asked
    page.close()


def html(site, page):
    return (site / f"{page}.html").read_text(encoding="utf-8")


# Weight


# The work of a page is what its main thread computes until it is at rest, in seconds of
# processor time, which other programs on the machine do not lengthen much. The unit is
# the work of laying out 20,000 words, so that a slower machine has a longer unit.
LAY_OUT_WORDS = """() => {
    const box = document.createElement("div");
    for (let i = 0; i < 20000; i++) {
        const word = document.createElement("span");
        word.textContent = `word${i} `;
        box.append(word);
    }
    document.body.replaceChildren(box);
    return box.offsetHeight;
}"""


def worked(client):
    """Return the seconds that the page's main thread has computed so far."""
    metrics = client.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


@pytest.mark.parametrize(
    ("name", "most"), [("book/index", 1.3), ("book/03_attention", 2.6)]
)
def test_a_slow_processor_is_soon_free(new_context, address, name, most):
    """A page takes few units: 0.9 and 1.7 when this was written.

    With a processor four times as slow, the two then blocked a reader for 0.2 and 0.4 s
    in all.
    """
    pages, units = [], []
    for _ in range(2):
        context = new_context(**PHONE)
        page = context.new_page()
        client = context.new_cdp_session(page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(f"{address}{name}.html", wait_until="networkidle")
        pages.append(worked(client))
        for _ in range(2):
            before = worked(client)
            page.evaluate(LAY_OUT_WORDS)
            units.append(worked(client) - before)
        context.close()
    assert min(pages) <= most * min(units), (pages, units)


# Formulas


def formulas(site, page):
    return re.findall(r"<math.*?</math>", html(site, page), re.DOTALL)


def test_every_formula_is_set_and_none_is_left_as_tex(site):
    assert sum(len(formulas(site, page)) for page in PAGES) > 600
    for page in PAGES:
        text = re.sub(
            r"<(pre|code|script|style)\b.*?</\1>", "", html(site, page), flags=re.DOTALL
        )
        text = re.sub(r"<[^>]*>", " ", text)
        assert re.findall(r"\\[a-zA-Z(\[]\w*|\$\$", text) == [], page
        assert not re.search("<script[^>]*mathjax", html(site, page), re.IGNORECASE)


def test_every_sign_of_a_formula_is_in_the_font(site):
    drawn = set(TTFont(site / "_static" / "fonts" / "maths.woff2").getBestCmap())
    for page in PAGES:
        for formula in formulas(site, page):
            signs = set(unescape(re.sub(r"<[^>]*>", "", formula)))
            seen = {
                ord(sign)
                for sign in signs
                if unicodedata.category(sign) not in ("Cf", "Mn", "Zs")
            }
            assert seen <= drawn, formula


def test_the_font_of_formulas_is_used_and_small(site, chapter):
    assert (site / "_static/fonts/maths.woff2").stat().st_size <= 50 * KILOBYTE
    page, _ = chapter
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]
    query = {"nodeId": root, "selector": "#equation-3-2 mi"}
    node = client.send("DOM.querySelector", query)["nodeId"]
    fonts = client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    assert [font["familyName"] for font in fonts] == ["STIX Two Math"]


def test_an_equation_has_its_number_and_its_address(site):
    tags = [
        tag
        for page in CHAPTERS
        for tag in re.findall(r"\\tag\{([\d.]+)\}", notebook_text(site, page))
    ]
    assert len(tags) > 40
    for page in CHAPTERS:
        text = html(site, page)
        for tag in re.findall(r"\\tag\{([\d.]+)\}", notebook_text(site, page)):
            anchor = f"equation-{tag.replace('.', '-')}"
            assert text.count(f'id="{anchor}"') == 1
            assert f'href="#{anchor}" aria-label="Equation {tag}">({tag})<' in text


def notebook_text(site, page):
    notebook = json.loads((site / "_sources" / f"{page}.ipynb").read_text())
    cells = notebook["cells"]
    return "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


# Icons


def test_every_icon_is_in_the_small_font(site, chapter):
    font = site / "_static" / "fonts" / "icons.woff2"
    assert font.stat().st_size <= 5 * KILOBYTE
    drawn = set(TTFont(font).getBestCmap())
    page, asked = chapter
    icons = page.evaluate(
        """[...document.querySelectorAll("[class*='fa-']")].map(icon => [
            icon.className, getComputedStyle(icon, "::before").content])"""
    )
    assert len(icons) > 10
    for name, content in icons:
        assert len(content) == 3, name  # one sign in quotation marks
        assert ord(content[1]) in drawn, name
    assert any("fonts/icons.woff2" in url for url in asked)
    assert not any("webfonts" in url for url in asked)


# Search


def sections(site):
    text = (site / "_static" / "sections.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const PAGES = ").rstrip(";\n"))


def test_every_hit_of_the_search_leads_to_its_section(site):
    pages = sections(site)
    assert {address for address, _, _ in pages} == {f"{page}.html" for page in PAGES}
    for address, _, entries in pages:
        ids = set(re.findall(r'\bid="([^"]*)"', (site / address).read_text("utf-8")))
        assert len(entries) > 1, address
        assert {anchor for anchor, *_ in entries if anchor} <= ids, address


def test_excerpts_have_no_tex(site):
    for _, _, entries in sections(site):
        for anchor, title, text, _ in entries:
            assert not re.search(r"\\(text|frac|sqrt|tag|sum)\b", title + text), anchor
    titles = [title for _, _, entries in sections(site) for _, title, *_ in entries]
    assert "Why divide by √dk?" in titles


def hits(page):
    page.locator("#search-results li a").first.wait_for()
    return page.eval_on_selector_all(
        "#search-results li a", "links => links.map(link => link.getAttribute('href'))"
    )


# What is asked for, and which hit comes first.
FIRST = {
    "attention": "book/03_attention.html#attention",
    "encoder": "book/06_encoder.html#the-encoder",
    "RoPE": "book/14_todays_decoder.html#rotary-positions",
    "causal_mask": "book/api.html#scratch.torch.causal_mask",
    "attenton": "book/03_attention.html#attention",
    "kvcache": "book/glossary.html#term-KV-cache",
    "finetuning": "book/11_fine_tuning.html#fine-tuning",
    "quantisation": "book/glossary.html#term-quantization",
    "optimiser": "book/glossary.html#term-optimizer",
    "torch.nn.MultiheadAttention": "book/api.html#scratch.torch.MultiHeadAttention",
    "torch.nn.functional.scaled_dot_product_attention": "book/api.html"
    "#scratch.torch.scaled_dot_product_attention",
    "what is a token": "book/glossary.html#term-token",
}


def test_the_search_puts_first_what_is_asked_for(page, address):
    """Also with a typo, another spelling, joined words or dotted names."""
    page.goto(f"{address}search.html?q=mask")
    first_hit = {}
    for query in FIRST:
        page.locator(".bd-search-container input").fill(query)
        first_hit[query] = hits(page)[0]
        guess = page.locator("#search-status a")
        assert guess.count() == (query == "attenton"), query
    assert first_hit == {query: f"./{first}" for query, first in FIRST.items()}
    page.locator(".bd-search-container input").fill("xyzzyq")
    assert page.locator("#search-results li").count() == 0


# What finds the same sections, however it is written.
SAME = {
    "fine-tuning": ["fine–tuning", "fine—tuning", "fine‑tuning", "fine−tuning"],
    "model's": ["model’s", "model‘s"],
    "scaled_dot_product_attention": [
        "torch.nn.functional.scaled_dot_product_attention",
        "F.scaled_dot_product_attention(query, key, value)",
        "`F.scaled_dot_product_attention`",
    ],
    "gelu": ["torch.nn.functional.gelu", "tf.nn.gelu(", "keras.activations.gelu(x)"],
    "softmax": ["torch.nn.functional.softmax", "F.softmax", "“softmax”", "softmax("],
    "Linear": ["nn.Linear(", "torch.nn.Linear(512, 64)"],
    "shape": ["x.shape[0]", "tensor.shape["],
}


def test_the_search_reads_dashes_apostrophes_and_names_as_code_has_them(page, address):
    page.goto(f"{address}search.html?q=mask")

    def found(query):
        page.locator(".bd-search-container input").fill(query)
        return page.locator("#search-status").inner_text()

    for plain, others in SAME.items():
        wanted = found(plain)
        assert re.match("[1-9]", wanted), plain
        assert [found(query) for query in others] == [wanted] * len(others), plain
    page.locator(".bd-search-container input").fill("tf.nn.softmaks")
    assert page.locator("#search-status a").inner_text() == "softmax"


@pytest.mark.parametrize("origin", ["http", "file"])
def test_search_leads_to_a_section_also_from_the_disk(site, page, address, origin):
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    start = address if origin == "http" else f"{site.as_uri()}/"
    page.goto(f"{start}search.html?q=why+divide")
    assert "book/03_attention.html#why-divide" in hits(page)[0]
    page.locator(".bd-search-container input").fill("teacher forcing")
    assert page.locator("#search-status").inner_text().endswith("found.")
    page.locator("#search-results li a").first.click()
    page.wait_for_url(re.compile(r"\.html#"))
    assert page.evaluate("document.querySelector(location.hash) !== null")
    assert problems == []


def test_search_is_loaded_when_it_is_asked_for(site):
    for page in PAGES:
        assert not re.search(r"searchtools|searchindex|sections\.js", html(site, page))


def test_what_is_typed_does_not_touch_the_icon(page, address):
    page.goto(f"{address}search.html?q=softmax")
    apart = page.evaluate(
        """() => {
            const field = document.querySelector(".bd-search-container input");
            const icon = field.form.querySelector("i").getBoundingClientRect();
            const padding = parseFloat(getComputedStyle(field).paddingLeft);
            return field.getBoundingClientRect().left + padding - icon.right;
        }"""
    )
    assert apart > 4


@pytest.mark.parametrize("name", ["book/index", "book/03_attention"])
def test_a_page_works_from_the_disk(site, page, name):
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    page.goto((site / f"{name}.html").as_uri(), wait_until="networkidle")
    loaded = page.evaluate(
        "[...document.fonts].filter(font => font.status === 'loaded').length"
    )
    assert loaded >= 1
    assert problems == []


def test_a_figure_is_dark_from_the_disk(site, page):
    """There a frame can't see the page around it, so the page has to tell it."""
    page.emulate_media(color_scheme="dark")
    page.goto((site / "book/05_feed_forward.html").as_uri(), wait_until="networkidle")
    frame = page.locator(".figure-frame iframe").first
    frame.scroll_into_view_if_needed()
    figure = frame.element_handle().content_frame()
    figure.wait_for_function("document.documentElement.dataset.theme === 'dark'")


@pytest.mark.parametrize(
    ("name", "width"), [("14_todays_decoder", 390), ("09_transformer", 1440)]
)
def test_a_comma_stays_on_the_line_of_its_code(site, page, name, width):
    """Not on the next one, and not over the code."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / f"book/{name}.html").as_uri())
    held, parted = page.evaluate("""() => {
        const place = node => {
            const range = document.createRange();
            range.selectNodeContents(node);
            return [...range.getClientRects()].at(-1);
        };
        const words = [...document.querySelectorAll("article .with-marks > code")]
            .filter(code => code.nextSibling && code.checkVisibility());
        return [words.length, words.filter(code => {
            const marks = place(code.nextSibling), word = place(code.lastElementChild);
            return marks.top > word.bottom - 2 || marks.left < word.right - 2;
        }).map(code => code.textContent)];
    }""")
    assert held > 20
    assert parted == []
