"""What a page says of itself to search engines, to a link's preview, to the browser.

A description from the page's first sentences, Open Graph's title, text and picture,
and the address where the published page stands. That address is made from the
repository (`repository.py`), as GitHub Pages makes it, unless `html_baseurl` in
`_config.yml` gives another.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from repository import GITHUB

PICTURE = "_static/side-by-side.png"
PICTURE_IN_WORDS = "A page of the book: the same code in PyTorch and in TensorFlow"
# A search engine shows about so many letters.
SHORTEST, LONGEST = 70, 160
# What it says runs before the first paint.
FIRST_PAINT = Path(__file__).with_name("first_paint.js")


def published_address(repository):
    """Where GitHub Pages shows a repository: `https://owner.github.io/name/`."""
    owner, name = GITHUB.fullmatch(repository).group("owner", "name")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def set_address(app, config):
    repository = config.html_theme_options["repository_url"]
    config.html_baseurl = config.html_baseurl or published_address(repository)


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
    said = description(doctree) if doctree else ""
    graph = {
        "site_name": app.config.html_title,
        "type": "article" if doctree else "website",
        "title": without_markup(context.get("title", "")),
        "description": said,
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
    if said:
        tags.append(f'<meta name="description" content="{escape(said)}">')
    tags.append(f"<script>\n{FIRST_PAINT.read_text('utf-8')}</script>")
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def without_markup(title):
    return re.sub("<[^>]*>", "", title)


def setup(app):
    app.connect("config-inited", set_address)
    app.connect("html-page-context", add_to_head)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
