"""The files that a published site has beside its pages.

`index.html` at the root, which leads to the book; `404.html`, which GitHub Pages shows
for an address that leads nowhere; `sitemap.xml` and `robots.txt` for search engines;
and `.nojekyll`, without which GitHub Pages leaves out every folder that begins with
`_`.
"""

from html import escape
from pathlib import Path

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
body {{ margin: 15vh auto; max-width: 34rem; padding: 0 1.2rem; }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def root_page(book, language, first):
    """A page that leads on to the first, by itself or by a click."""
    head = (
        f'<meta http-equiv="refresh" content="0; url={first}">\n'
        f'<link rel="canonical" href="{first}">'
    )
    body = f'<h1>{book}</h1>\n<p><a href="{first}">Read the book</a></p>'
    return PAGE.format(title=book, language=language, head=head, body=body)


def lost_page(book, language, base, first):
    """The page for an address that leads nowhere, at whatever depth it is shown."""
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
    app.connect("build-finished", write_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
