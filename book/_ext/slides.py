"""Slides: what a teacher shows of a chapter, taken from its cells by their tags.

Beside each chapter that has tagged cells (`taken.py`), a page is written that shows
them with reveal.js, from the package sphinx-revealjs. On a slide there is one thing,
such as a formula, a figure or a pair of code cells, and at most two sentences: the one
that leads to it and the first one after it. A cell in PyTorch brings its twin along.

A chapter links to its slides and its sheet beside its reading time; the directive
`in-class` lists all of them.
"""

import re
from pathlib import Path

from exercises.engine.registry import TITLES, label

import pictures
from docutils import nodes
from made_tables import table
from model_map import PAGES
from sphinx.util.docutils import SphinxDirective
from taken import (
    SENTENCES,
    has_slides,
    html,
    is_code,
    is_tagged,
    of_code,
    taken,
    without_links,
    write,
)

FIRST_PAINT = Path(__file__).with_name("first_paint.js")
READING_TIME = "Reading this chapter takes"
# The picture of an interactive view, as `frames.py` writes it.
STILL = re.compile("</summary>(.*)</details>", re.DOTALL)
SIZE = re.compile(r'only-light".*?--wide:(\d+);--high:(\d+)')
TALL = 1.4  # times as wide as high, or less


def grouped(parts):
    """Return the parts of each slide.

    A thing joins the sentence that leads to it in its section, and the first sentence
    of a text joins the thing before it.
    """
    slides = []
    for part in parts:
        before = slides[-1] if slides else []
        said = [one.kind in SENTENCES for one in before]
        if part.kind == "first":
            joins = before and not said[-1]
        else:
            leads = all(said) and before and before[0].heading is part.heading
            joins = leads and part.kind not in SENTENCES
        if joins:
            before.append(part)
        else:
            slides.append([part])
    return slides


def columns(part):
    """Return what a part shows, side by side: a pair of cells if it has a twin."""
    pair = part.cell
    while pair is not None and "side-by-side" not in pair.get("classes", ()):
        pair = pair.parent
    if pair is None or part.kind == "output":
        return [part.nodes]
    codes = [code for code in pair.findall(nodes.container) if is_code(code)]
    return [
        [without_links(block.deepcopy()) for block in of_code(code, "")]
        for code in codes
    ]


def slide(app, parts):
    """Return what the template needs to know of a slide."""
    body, letters, lines = "", 1, 1
    for part in parts:
        if part.kind in SENTENCES:
            body += html(app, *part.nodes, classes=["says"])
            continue
        sides = columns(part)
        if part.cell is not None:
            keep_the_picture(part.nodes)
        blocks = [
            [block.astext().rstrip() for block in found(nodes.literal_block, side)]
            for side in sides
        ]
        rows = [[row for text in side for row in text.splitlines()] for side in blocks]
        longest = max((len(row) for side in rows for row in side), default=1)
        letters = longest * len(sides)
        lines = max(map(len, rows)) + max(map(len, blocks))
        shown = [nodes.container("", *side) for side in sides]
        body += html(app, *shown, classes=["shows"])
    heading = next((p for p in parts if p.kind not in SENTENCES), parts[0]).heading
    return {
        "heading": app.builder.render_partial(inline(heading))["fragment"],
        "place": heading.parent["ids"][0],
        "body": body,
        "letters": letters,
        "lines": lines,
        "tall": is_tall(body),
    }


def is_tall(body):
    """Whether what a slide shows is pictures alone, together hardly wider than high."""
    sizes = [tuple(map(int, size)) for size in SIZE.findall(body)]
    if not sizes or "<pre" in body:
        return False
    wide, high = zip(*sizes, strict=True)
    return sum(wide) <= TALL * max(high)


def keep_the_picture(blocks):
    """Let a picture be in one piece and alone, and take that of an interactive view."""
    for view in found(nodes.raw, blocks):
        if picture := STILL.search(view.astext()):
            view[:] = [nodes.Text(picture[1])]
    for still in found(pictures.still, blocks):
        still["cuts"] = []
        for printed in list(found(nodes.literal_block, [still.parent])):
            printed.parent.remove(printed)


def inline(heading):
    return nodes.inline("", "", *heading.deepcopy().children)


def found(kind, blocks):
    return [node for block in blocks for node in block.findall(kind)]


def write_slides(app, page, template, context, doctree):
    if not doctree or not has_slides(app, page):
        return
    parts = taken(app.env, doctree, page, "slide")
    question = next(doctree.findall(nodes.paragraph))
    write(
        app,
        page,
        "slides",
        title=next(doctree.findall(nodes.title)).astext(),
        question=question.astext(),
        slides=[slide(app, group) for group in grouped(parts)],
        first_paint=FIRST_PAINT.read_text(encoding="utf-8"),
    )


def link(app, doctree, page):
    """Put the links beside the reading time of a chapter."""
    if not has_slides(app, page):
        return
    for paragraph in doctree.findall(nodes.paragraph):
        if paragraph.astext().startswith(READING_TIME):
            slides, sheet = links(Path(page).name)
            paragraph += [nodes.Text(" In class: "), slides]
            paragraph += [nodes.Text(" and a "), sheet, nodes.Text(" to print.")]
            return


def links(chapter):
    return [
        nodes.reference("", kind, internal=True, refuri=f"{chapter}_{kind}.html")
        for kind in ("slides", "sheet")
    ]


class InClass(SphinxDirective):
    """A table of the chapters that have slides and a sheet."""

    def run(self):
        rows = []
        for page, name in PAGES.items():
            self.env.note_dependency(self.env.doc2path(page))
            if is_tagged(self.env, page):
                words = nodes.Text(f"{label(name)} {TITLES[name]}")
                rows.append([words, *links(Path(page).name)])
        head = map(nodes.Text, ("Chapter", "Slides", "Sheet"))
        return [table((50, 25, 25), head, rows)]


def setup(app):
    app.add_directive("in-class", InClass)
    app.connect("doctree-resolved", link)
    app.connect("html-page-context", write_slides)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
