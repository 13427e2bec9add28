"""The metadata of the published site, and the files beside its pages.

Each page tells search engines, previews of links and browsers its description, made of
its first sentences, Open Graph's title, text and picture, and its published address.
That is `html_baseurl` in `_config.yml` or the environment variable BOOK_PAGES, with
which the workflow that publishes says where; else it follows from the repository's
(`repository.py`), as GitHub Pages makes it. Links to the published pages of the
configured repository lead there, so that a fork's lead to its own.

The files are `index.html` at the root, which leads to the book; `404.html`, which
GitHub Pages shows for an address that leads nowhere; `sitemap.xml` and `robots.txt` for
search engines; and `.nojekyll`, without which GitHub Pages leaves out every folder that
begins with `_`.
"""

import os
import re
from html import escape
from pathlib import Path

from exercises.marking.github import ADDRESS, published_address

from docutils import nodes

PICTURE = "_static/side-by-side.png"
PICTURE_IN_WORDS = "A page of the book: the same code in PyTorch and in TensorFlow"
# The least and the most letters that a search engine shows.
SHORTEST, LONGEST = 70, 160
FIRST_PAINT = Path(__file__).with_name("first_paint.js")
PAGE = """\
<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{head}
<style>
:root {{ color-scheme: light dark; font: 1.0625rem/1.65 system-ui, sans-serif; }}
body {{ margin: 15vh auto; max-width: 34rem; padding: 0 1.2rem;
  background: light-dark(#fff, #15181d); }}
a {{ color: light-dark(#0a5c9c, #7cc0f4); }}
</style>
<script>try {{
  document.documentElement.style.colorScheme = localStorage.theme ?? ""
}} catch {{}}</script>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def set_address(app, config):
    repository = config.html_theme_options["repository_url"]
    address = config.html_baseurl or os.environ.get("BOOK_PAGES")
    config.html_baseurl = (address or published_address(repository)).rstrip("/") + "/"


def lead_to_own_pages(app, doctree, page):
    """Let links to the published pages lead to those of this copy of the book."""
    configured = published_address(ADDRESS)
    for link in doctree.findall(nodes.reference):
        rest = link.get("refuri", "").removeprefix(configured)
        if rest != link.get("refuri", ""):
            link["refuri"] = app.config.html_baseurl + rest


def description(doctree):
    """The first sentences of a page, as many as fit, cut at the end of a word."""
    words = ""
    for paragraph in doctree.findall(nodes.paragraph):
        words = f"{words} {' '.join(paragraph.astext().split())}".strip()
        if len(words) >= SHORTEST:
            break
    if len(words) <= LONGEST:
        return words
    sentences = re.match(rf".{{{SHORTEST},{LONGEST - 1}}}[.?!](?= )", words)
    if sentences:
        return sentences[0]
    return words[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:–") + " …"


def add_to_head(app, page, template, context, doctree):
    picture = app.config.html_baseurl + PICTURE
    words = description(doctree) if doctree else ""
    graph = {
        "site_name": app.config.html_title,
        "type": "article" if doctree else "website",
        "title": without_markup(context.get("title", "")),
        "description": words,
        "url": context.get("pageurl"),
        "image": picture,
        "image:alt": PICTURE_IN_WORDS,
    }
    tags = [
        f'<meta property="og:{name}" content="{escape(value)}">'
        for name, value in graph.items()
        if value
    ]
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    if words:
        tags.append(f'<meta name="description" content="{escape(words)}">')
    tags.append(f"<script>\n{FIRST_PAINT.read_text('utf-8')}</script>")
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def without_markup(title):
    return re.sub("<[^>]*>", "", title)


def root_page(book, language, first):
    """A page that leads on to the first, by itself or by a click."""
    head = (
        f'<meta http-equiv="refresh" content="0; url={first}">\n'
        f'<link rel="canonical" href="{first}">'
    )
    body = f'<h1>{book}</h1>\n<p><a href="{first}">Read the book</a></p>'
    return PAGE.format(title=book, language=language, head=head, body=body)


def lost_page(book, language, base, first):
    """The page for an address that leads nowhere, however deep it is."""
    body = (
        "<h1>This page is not here</h1>\n"
        "<p>The address may have a mistake in it, or the page has moved.</p>\n"
        f'<p>Go to <a href="{base}{first}">the front page</a> or '
        f'<a href="{base}search.html">search the book</a>.</p>'
    )
    title = f"Not found — {book}"
    head = '<meta name="robots" content="noindex">'
    return PAGE.format(title=title, language=language, head=head, body=body)


def sitemap(addresses):
    rows = "".join(f"<url><loc>{escape(one)}</loc></url>\n" for one in addresses)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )


def write_files(app, error):
    if error or app.builder.format != "html":
        return
    base, language = app.config.html_baseurl, app.config.language
    book, site = escape(app.config.html_title), Path(app.outdir)
    first = app.builder.get_target_uri(app.config.root_doc)
    pages = sorted(map(app.builder.get_target_uri, app.env.found_docs))
    files = {
        "index.html": root_page(book, language, first),
        "404.html": lost_page(book, language, base, first),
        "sitemap.xml": sitemap(base + page for page in pages),
        "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n",
        ".nojekyll": "",
    }
    for name, text in files.items():
        (site / name).write_text(text, encoding="utf-8")


def setup(app):
    app.connect("config-inited", set_address)
    app.connect("doctree-resolved", lead_to_own_pages)
    app.connect("html-page-context", add_to_head)
    app.connect("build-finished", write_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
