"""The search finds sections, not pages, and is loaded on its own page only.

While a page is read, the words of each of its sections are kept; when all are written,
they go into `_static/sections.js`, which the search page loads (`_assets/search.js`). A
formula is kept as it looks, not as TeX; of code and signatures, only the names that the
text around them does not have. An entry of the glossary or the API counts as a section.
"""

import json
import re
from html import unescape
from pathlib import Path

from docutils import nodes
from math_core import LatexError
from mathml import mathml
from sphinx import addnodes

MARKUP = re.compile(r"<[^>]*>")
NAME = re.compile(r"[^\W\d]\w{2,}")
SKIPPED = (
    nodes.math_block,
    nodes.raw,
    nodes.image,
    nodes.comment,
    nodes.rubric,
    addnodes.toctree,
)


def sections_of(document):
    """Return [anchor, title, text, names in code] for each section of a page."""
    parts = {}

    def section(anchor, title):
        parts[anchor] = [title, [], set()]

    def visit(node, anchor):
        if isinstance(node, SKIPPED):
            return
        if isinstance(node, nodes.section | addnodes.desc):
            anchor = opened(node, section) or anchor
        elif isinstance(node, nodes.definition_list_item):
            anchor = term(node, section) or anchor
        if isinstance(node, nodes.literal_block | addnodes.desc_signature):
            parts[anchor][2].update(NAME.findall(node.astext()))
        elif isinstance(node, nodes.TextElement):
            if not isinstance(node, nodes.title | nodes.term):
                parts[anchor][1].append(plain(node))
        else:
            for child in node.children:
                visit(child, anchor)

    section("", "")
    visit(document, "")
    entries = []
    for anchor, (title, texts, names) in parts.items():
        text = " ".join(" ".join(texts).split())
        if title or text or names:
            names -= set(NAME.findall(text))
            entries.append([anchor, title, text, " ".join(sorted(names))])
    return entries


def opened(node, section):
    """Note a section or a description in the API; return its anchor."""
    title = node.next_node(nodes.title) or node.next_node(addnodes.desc_signature)
    ids = (node if isinstance(node, nodes.section) else title)["ids"]
    if not ids:
        return None
    name = title.get("fullname") or plain(title)
    section(ids[0], name)
    return ids[0]


def term(node, section):
    """Note an entry of the glossary under all its names; return its anchor."""
    terms = [term for term in node.findall(nodes.term) if term["ids"]]
    if not terms:
        return None
    anchor = terms[0]["ids"][0]
    section(anchor, ", ".join(term.astext() for term in terms))
    return anchor


def plain(node):
    """Return the text of a node with formulas as they look."""
    if isinstance(node, nodes.math):
        try:
            look = mathml(node.astext()).replace("<msqrt>", "√")
        except LatexError:  # which is a warning where the formula is written
            return ""
        return unescape(MARKUP.sub("", look))
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(map(plain, node.children))


def keep(app, document):
    """Note the sections of a page that was read."""
    if not hasattr(app.env, "book_sections"):
        app.env.book_sections = {}
    app.env.book_sections[app.env.docname] = sections_of(document)


def forget(app, env, page):
    getattr(env, "book_sections", {}).pop(page, None)


def write(app, error):
    """Write the sections of all pages as a script, which `file://` may load too."""
    if error or app.builder.format != "html":
        return
    pages = [
        [
            app.builder.get_target_uri(page),
            app.env.titles[page].astext(),
            app.env.book_sections[page],
        ]
        for page in sorted(app.env.book_sections)
    ]
    text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    target = Path(app.outdir, "_static", "sections.js")
    target.write_text(f"const PAGES = {text};\n", encoding="utf-8")


def setup(app):
    app.add_css_file("search.css")
    app.connect("doctree-read", keep)
    app.connect("env-purge-doc", forget)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
