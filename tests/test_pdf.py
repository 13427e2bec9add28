"""The printed book: one document of all pages, whose links lead to places in it."""

import re
from pathlib import Path

from tools import pdf

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]

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


def test_pages_are_those_of_the_contents():
    names = pdf.pages()
    assert names[0] == "book/index"
    assert "book/03_attention" in names
    assert all(list(ROOT.glob(f"{name}.*")) for name in names)
