"""The printed book: one document of all pages, with links to places within it."""

import base64
import re
from io import BytesIO

from readymade.views.figures import as_png, figure_style

import matplotlib.pyplot as plt
import pikepdf
import pytest
from bs4 import BeautifulSoup
from helpers.book import ROOT
from helpers.site import MILLISECONDS, browsing
from helpers.tools import tool
from PIL import Image

pytestmark = pytest.mark.slow("a printed book with a page or a link missing")

pdf = tool("pdf")

PAGE = """
<html><head><title>{title}</title><link rel="stylesheet" href="../_static/a.css">
</head><body><nav>left out</nav><article><h1 id="top">{title}<a class="headerlink"
href="#top">#</a></h1><p><a href="#top">here</a> <a href="{other}.html#top">there</a>
<a href="{other}.html">page</a> <a href="https://example.org/">web</a>
<a href="../file.zip">file</a></p><img src="../_images/x.png" loading="lazy">
<details><summary>Hint 1</summary>Look.</details><button>Copy</button><script>1</script>
</article></body></html>
"""


@pytest.fixture
def book(tmp_path):
    """A book of two pages that link to each other, as `make book` writes it."""
    (tmp_path / "book").mkdir()
    for name, other in [("one", "two"), ("two", "one")]:
        text = PAGE.format(title=name, other=other)
        (tmp_path / "book" / f"{name}.html").write_text(text)
    printed = pdf.whole_book(tmp_path, ["book/one", "book/two"])
    return BeautifulSoup(printed, "html.parser")


def test_every_link_within_the_book_leads_to_a_place_in_it(book):
    ids = [node["id"] for node in book.select("[id]")]
    assert len(ids) == len(set(ids)) == 4
    links = [link["href"] for link in book.select("a[href]")]
    inside = [link for link in links if link.startswith("#")]
    assert len(inside) == 6
    assert {link[1:] for link in inside} == set(ids)
    assert links.count("https://example.org/") == 2
    assert len(links) == 8  # a file that is not a page is no link on paper


def test_nothing_that_needs_a_screen_is_left(book):
    assert not book.select("script, button, .headerlink, nav")
    assert all(hint.has_attr("open") for hint in book.select("details"))
    assert {image["src"] for image in book.select("img")} == {"_images/x.png"}
    assert not book.select("[loading=lazy]")
    assert book.select_one("link")["href"] == "_static/a.css"


def test_print_has_pages_links_and_an_outline(book, chromium, tmp_path):
    document, target = tmp_path / "book.html", tmp_path / "book.pdf"
    document.write_text(str(book))
    pdf.print_pdf(document, target, chromium)
    printed = target.read_bytes()
    assert len(re.findall(rb"/Type /Page\b", printed)) == 2
    assert printed.count(b"/Subtype /Link") == 8
    assert b"/Outlines" in printed


def test_a_packed_pdf_has_the_same_pages_links_and_dots(book, chromium, tmp_path):
    document, target = tmp_path / "book.html", tmp_path / "book.pdf"
    figure, photograph = as_png(plain_figure()), BytesIO()
    Image.new("RGB", (8, 8)).save(photograph, "jpeg")
    images = "".join(
        f"<img src='data:image/{kind};base64,{base64.b64encode(data).decode()}'>"
        for kind, data in (("png", figure), ("jpeg", photograph.getvalue()))
    )
    document.write_text(str(book).replace("<article", f"{images}<article", 1))
    pdf.print_pdf(document, target, chromium)
    before = contents(target)
    size = target.stat().st_size
    pdf.pack(target)
    assert target.stat().st_size < 0.7 * size
    assert b"/Indexed" in target.read_bytes()
    assert contents(target) == before


def contents(target):
    """What each page of a PDF draws, its links, and the dots of its pictures."""
    with pikepdf.open(target) as book:
        return [
            (
                page.Contents.read_bytes(),
                [
                    str(one.get("/Dest", one.get("/A")))
                    for one in page.get("/Annots", [])
                ],
                [dots_of(picture) for picture in page.get_images().values()],
            )
            for page in book.pages
        ]


def dots_of(picture):
    return pikepdf.PdfImage(picture).as_pil_image().convert("RGB").tobytes()


def plain_figure():
    with figure_style():
        figure, axis = plt.subplots()
        axis.plot([1, 2])
    return figure


# How an element looks, and its place from left to right. Inside a formula, a drawing or
# a program, thousands of elements look like their parent.
LOOKS = """name => {
    const article = document.querySelector(name);
    const edge = article.getBoundingClientRect().left;
    const properties = ["display", "position", "color", "background", "border", "font",
        "textAlign", "textDecoration", "overflow", "whiteSpace", "margin", "padding"];
    return [...article.querySelectorAll(":not(:is(math, svg, pre) *)")].map(element => {
        const style = getComputedStyle(element);
        const {left, width} = element.getBoundingClientRect();
        const said = properties.map(property => `${property}: ${style[property]}`);
        said.push(`left: ${Math.round(left - edge)}`, `width: ${Math.round(width)}`);
        return [element.outerHTML.slice(0, 80), said];
    });
}"""
# Not "networkidle": Chromium may never tell it of a page in the background.
ARRIVED = """() => Promise.all([document.fonts.ready, ...[...document.images]
    .filter(image => !image.complete && image.loading !== "lazy")
    .map(image => new Promise(done => { image.onload = image.onerror = done; }))])"""
# What a page's own first of each kind is compared with, and what a colour stands for.
KINDS = ("label.pytorch", "label.tensorflow", "figcaption", ".equation .number", "math")
FIRST = """([article, kinds]) => kinds.map(kind => {
    const style = getComputedStyle(document.querySelector(`${article} ${kind}`));
    return [kind, style.color, style.font, style.display];
})"""
STYLED = ("book/03_attention", "book/live", "book/index")


def test_a_printed_chapter_looks_like_its_page(chromium, site, address):
    """Formulas, numbers of equations, frameworks, captions: each element as on paper.

    The page gets the article that the book prints, and keeps its own styles. Only this
    sees a style that is missing, comes too late or reaches another page.
    The first of each kind is compared with the page as it is, too.
    """
    book = pdf.whole_book(site, [*STYLED, "book/api"])
    with browsing(chromium) as browser:
        context = browser.new_context(viewport={"width": 700, "height": 900})
        context.set_default_timeout(MILLISECONDS)
        context.route("**/*.js*", lambda route: route.abort())
        printed, page = context.new_page(), context.new_page()
        for one in (printed, page):
            one.emulate_media(media="print", color_scheme="light")
        printed.route("**/printed.html", lambda route: route.fulfill(body=book))
        printed.goto(f"{address}printed.html")
        for name in STYLED:
            article = f"#{pdf.anchor(name)}"
            page.goto(f"{address}{name}.html")
            if name == "book/03_attention":
                firsts = [
                    one.evaluate(FIRST, [place, KINDS])
                    for one, place in ((printed, article), (page, "article"))
                ]
                assert firsts[0] == firsts[1]
                assert firsts[0][0] != firsts[0][1]  # each framework has its colour
            page.evaluate(
                """([address, article]) => {
                    const base = document.createElement("base");
                    base.href = address;
                    document.head.append(base);
                    document.documentElement.dataset.theme = "light";
                    document.querySelector("article").outerHTML = article;
                }""",
                [address, printed.locator(article).evaluate("node => node.outerHTML")],
            )
            looks = []
            for one in (printed, page):
                one.evaluate(ARRIVED)
                looks.append(one.evaluate(LOOKS, article))
            assert len(looks[0]) > 50
            differences = [
                (element, *sorted(set(on_paper) ^ set(on_page)))
                for (element, on_paper), (_, on_page) in zip(*looks, strict=True)
                if on_paper != on_page
            ]
            assert differences == []


def test_pages_are_those_of_the_contents():
    names = pdf.pages()
    assert names[0] == "book/index"
    assert "book/03_attention" in names
    assert all(list(ROOT.glob(f"{name}.*")) for name in names)
