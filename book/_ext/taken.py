"""What a class takes from a chapter: the parts of its cells that their tags name.

Slides (`slides.py`) and sheets (`sheets.py`) tell nothing a second time: each formula,
figure, number and sentence on them is the chapter's. A cell says by a tag what is
taken. It begins with where that goes, `slide` or `sheet`:

    slide           code and output; of a text its formulas, tables and quotations
    slide-output    the output without the code
    slide-first     the first sentence of a text
    slide-bold      the first sentence with something in bold
    slide-last      the last sentence
    sheet-open      the output, or the tables, without their numbers
"""

import json
import re
from pathlib import Path

from docutils import nodes
from numbered import captioned_figure, figure_caption
from sphinx.errors import ExtensionError

# myst-nb counts lines from here in each cell.
CELL = 10_000
SENTENCES = ("first", "bold", "last")
SHOWN = (nodes.math_block, nodes.table, nodes.block_quote)
# Between two sentences, and at the end of one.
SPACE = re.compile(r"(?:(?<=[.?!])|(?<=[.?!][)”\"’]))(?<!al\.)\s+")
END = re.compile(r"[.?!][)”\"’]?$")


class Part:
    """What is taken of a cell: copies of its nodes, below their section's heading.

    `kind` is what the tag says after the place; `cell` is the code cell or None.
    """

    def __init__(self, kind, heading, blocks, cell=None):
        self.kind, self.heading, self.cell = kind, heading, cell
        self.nodes = [without_links(block.deepcopy()) for block in blocks]


def notebook(env, page):
    return Path(env.doc2path(page)).read_text(encoding="utf-8")


def is_tagged(env, page):
    return '"slide"' in notebook(env, page)


def has_slides(app, page):
    """Whether a page of the site has slides beside it; in an EPUB, none has."""
    return app.builder.name == "html" and is_tagged(app.env, page)


def taken(env, doctree, page, place):
    """Return the parts of a chapter that are tagged with a place, in order."""
    stored = json.loads(notebook(env, page))["cells"]
    return [
        part_of(found, tag.removeprefix(place).lstrip("-"))
        for cell, found in zip(stored, cells(doctree, len(stored)), strict=True)
        for tag in cell["metadata"].get("tags", [])
        if tag.startswith(place)
    ]


def cells(doctree, count):
    """Return [(heading, block), …] for each cell of the notebook."""
    found = [[] for _ in range(count)]
    for section in doctree.findall(nodes.section):
        heading = next(section.findall(nodes.title))
        for block in section:
            if isinstance(block, (nodes.section, nodes.title, nodes.raw)):
                continue
            codes = [code for code in block.findall(nodes.container) if is_code(code)]
            for code in codes:
                found[code["cell_index"]].append((heading, code))
            line = next((node.line for node in block.findall() if node.line), 0)
            if not codes and line >= CELL:
                found[line // CELL - 1].append((heading, block))
    return found


def is_code(node):
    return node.get("nb_element") == "cell_code"


def part_of(found, kind):
    """Return the part of a cell, given by its blocks, that a kind names."""
    heading, first = found[0]
    if is_code(first):
        return Part(kind, heading, of_code(first, kind), first)
    if kind in SENTENCES:
        said = [
            (heading, sentence)
            for heading, block in found
            if isinstance(block, nodes.paragraph)
            for sentence in sentences(block)
            if kind != "bold" or any(isinstance(one, nodes.strong) for one in sentence)
        ]
        heading, sentence = said[-1 if kind == "last" else 0]
        return Part(kind, heading, [nodes.paragraph("", "", *copies(sentence))])
    wanted = nodes.table if kind == "open" else SHOWN
    if blocks := [both for both in found if isinstance(both[1], wanted)]:
        return Part(kind, blocks[0][0], [block for _, block in blocks])
    raise ExtensionError(f"below {heading.astext()!r} is nothing for {kind!r}")


def of_code(cell, kind):
    """Return the code of a cell that is not folded, and its output, or one of them."""
    parts = [part for part in cell if isinstance(part, nodes.Element)]
    code = [part for part in parts if part.get("nb_element") == "cell_code_source"]
    output = [
        part
        for part in parts
        if isinstance(part, captioned_figure)
        or part.get("nb_element") == "cell_code_output"
    ]
    return output if kind in ("output", "open") else [*code, *output]


def sentences(paragraph):
    """Return the sentences of a paragraph or a caption, each a list of its nodes."""
    found = [[]]
    for child in paragraph.children:
        if not isinstance(child, nodes.Text):
            found[-1].append(child)
            continue
        text = child.astext()
        if not text:
            continue  # `unbroken.py` took the marks out of it
        if found[-1] and END.search(ending(found[-1][-1])) and text[:1].isspace():
            found.append([])
        first, *others = SPACE.split(text)
        found[-1].append(nodes.Text(first))
        found += [[nodes.Text(other)] for other in others]
    return [one for one in found if "".join(node.astext() for node in one).strip()]


def ending(node):
    """The last letters of a node, with the marks that its formula takes in."""
    return node.astext() + (node.get("after", "") if hasattr(node, "get") else "")


def copies(parts):
    return [part.deepcopy() for part in parts]


def without_links(part):
    """Let what a link says stay: a class doesn't follow it."""
    for link in list(part.findall(nodes.reference)):
        link.parent.replace(link, link.children)
    for caption in part.findall(figure_caption):
        label, *others = sentences(caption)
        caption[:] = copies([*label, nodes.Text(" "), *others[0]])
    return part


def html(app, *parts, classes=()):
    """Return the HTML of nodes, in an element with these classes."""
    around = nodes.container("", *parts, classes=list(classes))
    return app.builder.render_partial(around)["fragment"]


def write(app, page, kind, **context):
    """Write a page beside a chapter's, from the template of its kind."""
    context["chapter"] = Path(page).name
    text = app.builder.templates.render(f"{kind}.html", context)
    file = Path(app.outdir, f"{page}_{kind}.html")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
