"""Print the built book as one PDF: `make pdf`.

Every page's article goes into one HTML document, in the order of the table of contents.
Anchors are prefixed with their page's name, so that links between chapters lead to a
place in the same document, and Chromium turns them into links of the PDF. Chromium
writes 150,000 objects as plain text and each picture in three bytes a pixel: both are
compressed without any visible change.
"""

import sys
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from shutil import which
from urllib.parse import unquote, urldefrag, urljoin

from exercises.marking.github import TROUBLE

import numpy as np
import pikepdf
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
PDF = ROOT / "_build" / "transformer-twice.pdf"
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# What is of use only on a screen. The hidden input before a framework's name stays,
# because the name's colour depends on it.
LEFT_OUT = (
    "script, iframe, noscript, button, input:not(.side-by-side > *), .headerlink, "
    ".answer-box, .only-dark, .start-here, .front-picture + p, .front-picture, "
    ".exercise-progress, .prev-next-footer, .tag_setup"
)
# Hidden, not removed: without a summary, a browser writes "Details" above the content.
HIDDEN = "details.hide > summary, .attention-view summary"
FOOTER = (
    '<div style="width: 100%; font: 8px sans-serif; text-align: center">'
    '<span class="pageNumber"></span></div>'
)


def pages():
    """Return the book's pages in the order of `_toc.yml`, as paths without a suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in toc["parts"]]
    return [toc["root"], *(chapter["file"] for part in parts for chapter in part)]


def anchor(page, place=""):
    """Return the id of a place on a page that is unique in the whole book."""
    return f"{page.replace('/', '-')}--{place}"


def article(soup, page, names):
    """Return a page's article, with ids and links that are valid in the whole book."""
    body = soup.select_one("article")
    body["id"] = anchor(page)
    for leftover in body.select(LEFT_OUT):
        leftover.decompose()
    for summary in body.select(HIDDEN):
        summary["style"] = "display: none"
    for folded in body.select("details"):
        folded["open"] = ""
    for node in body.select("[id]:not(article)"):
        node["id"] = anchor(page, node["id"])
    for image in body.select("img"):
        image["src"] = urljoin(f"{page}.html", image["src"])
        image["loading"] = "eager"
    for link in body.select("a[href]"):
        target, place = urldefrag(urljoin(f"{page}.html", link["href"]))
        name = unquote(target).removesuffix(".html")
        if name in names:
            link["href"] = f"#{anchor(name, place)}"
        elif ":" not in target:  # a file that is not a page of the book
            del link["href"]
    return body


def stylesheets(soups):
    """Return all stylesheets, each after those that any page loads before it."""
    sheets = TopologicalSorter()
    for page, soup in soups.items():
        links = [link["href"] for link in soup.select("[rel=stylesheet]")]
        links = [urljoin(f"{page}.html", link) for link in links]
        sheets.add(links[0])
        for before, after in pairwise(links):
            sheets.add(after, before)
    return list(sheets.static_order())


def whole_book(html, names):
    """Return one HTML document of all pages, with all their styles.

    The articles are wrapped in the elements that surround a page's own article, because
    the styles refer to them.
    """
    soups = {
        name: BeautifulSoup((html / f"{name}.html").read_text("utf-8"), "html.parser")
        for name in names
    }
    links = [f'<link rel="stylesheet" href="{link}">' for link in stylesheets(soups)]
    rule = "article { break-before: page } article:first-child { break-before: auto }"
    first = soups[names[0]]
    around = list(first.select_one("article").find_parents())
    articles = "\n".join(str(article(soups[name], name, names)) for name in names)
    for element in around:
        if element.name == "body":
            break
        kind = " ".join(element.get("class", ()))
        articles = f'<{element.name} class="{kind}">{articles}</{element.name}>'
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head>'
        f'<meta charset="utf-8"><title>{first.title.string}</title>{"".join(links)}'
        f"<style>{rule}</style></head><body>{articles}</body></html>"
    )


def print_pdf(document, target, chromium):
    """Print an HTML file as A4, with page numbers, an outline and links."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.set_default_timeout(0)  # the book is long, and the machine may be slow
        page.goto(document.as_uri())
        page.pdf(
            path=target,
            format="A4",
            margin=dict.fromkeys(("top", "bottom", "left", "right"), "18mm"),
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            tagged=True,
            outline=True,
        )
        browser.close()


def pack(pdf):
    """Rewrite Chromium's PDF in fewer bytes, without any visible change."""
    with pikepdf.open(pdf, allow_overwriting_input=True) as book:
        for part in book.objects:
            if isinstance(part, pikepdf.Stream) and part.get("/Subtype") == "/Image":
                give_palette(part)
        streams = pikepdf.ObjectStreamMode.generate
        book.save(pdf, object_stream_mode=streams)


def give_palette(picture):
    """Store a picture of at most 256 colours in one byte a pixel instead of three."""
    if picture.get("/Filter") != "/FlateDecode":  # a photograph is stored as JPEG
        return
    pixels = np.frombuffer(picture.read_bytes(), np.uint8)
    if pixels.size != picture.Width * picture.Height * 3:
        return
    red, green, blue = pixels.reshape(-1, 3).astype(np.uint32).T
    numbers = (red << 16) + (green << 8) + blue
    colours, indices = np.unique(numbers, return_inverse=True)
    if len(colours) <= 256:
        palette = b"".join(int(colour).to_bytes(3) for colour in colours)
        kind = [pikepdf.Name.Indexed, picture.ColorSpace, len(colours) - 1, palette]
        picture.ColorSpace = pikepdf.Array(kind)
        picture.write(indices.astype(np.uint8).tobytes())


def chromium():
    """The path of a browser that prints."""
    paths = filter(None, map(which, BROWSERS))
    wanted = f"There is no browser here: wanted one of {', '.join(BROWSERS)}"
    return next(paths, None) or sys.exit(f"{wanted}\nSee {TROUBLE}#no-browser")


def main():
    """Print the book that `make book` has built."""
    document = HTML / "whole-book.html"
    document.write_text(whole_book(HTML, pages()), encoding="utf-8")
    print_pdf(document, PDF, chromium())
    document.unlink()
    pack(PDF)
    print(f"Open {PDF}")


if __name__ == "__main__":
    main()
