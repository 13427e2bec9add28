"""The map: the Transformer of the paper, drawn from its config.

The directive `model-map` becomes the drawing, in which each box leads to its chapter
and its code. Beside each chapter's title stands a small copy without words, in which
only what the chapter is about has its colours: you are here. On a dark page, both have
the colours of `night.py`.
"""

import re
from functools import cache
from pathlib import Path

from exercises.engine.registry import CAPSTONES, CHAPTERS, label, stem
from readymade.views import diagram
from readymade.views.diagrams.canvas import rectangle
from readymade.views.figures import INK
from scratch.config import TransformerConfig

import night
from docutils import nodes
from paper_model import paper_model
from sphinx.util.docutils import SphinxDirective

# A box by its title: the chapters about it, and the file of its code.
BOXES = {
    "Token embeddings": (("embeddings",), "embeddings"),
    "Positions": (("embeddings",), "embeddings"),
    "Self-attention": (("attention", "multi_head"), "multi_head"),
    "Causal self-attention": (("decoder",), "decoder"),
    "Cross-attention": (("decoder",), "decoder"),
    "Feed-forward, ReLU": (("feed_forward",), "feed_forward"),
    "Layer norm": (("encoder",), "add_and_norm"),
    "Logits of all tokens": (("transformer",), "token_logits"),
}
IDS = ("source ids", "target ids")
ATTENTION = ("Self-attention", "Causal self-attention", "Cross-attention")
# What a chapter is about, in words and as boxes or as one half of the drawing; the
# chapters that are not here are about all of it.
ABOUT = {
    "tokenization": ("the token ids that go in", IDS),
    "embeddings": ("the embeddings", ("Token embeddings", "Positions")),
    "attention": ("attention", ATTENTION),
    "multi_head": ("the attention layers", ATTENTION),
    "feed_forward": ("the feed-forward layers", ("Feed-forward, ReLU",)),
    "encoder": ("the encoder", ("encoder",)),
    "encoder_at_work": ("the encoder", ("encoder",)),
    "decoder": ("the decoder", ("decoder",)),
    "pretraining": ("the encoder", ("encoder",)),
    "fine_tuning": ("the encoder", ("encoder",)),
    "writing": ("the decoder", ("decoder",)),
    "todays_decoder": ("the decoder", ("decoder",)),
    "post_training": ("the decoder", ("decoder",)),
    "serving": ("the decoder", ("decoder",)),
    "second_try": ("the decoder", ("decoder",)),
}
ALL = ("the whole model", ("encoder", "decoder"))
FOLDER = "_static/map"
PAGES = {f"book/{stem(name)}": name for name in CHAPTERS if name != CAPSTONES}
GRAY, BORDER = "#d9d6ce", "#b5b5b0"  # of what a chapter is not about


@cache
def drawing():
    """The paper's base model."""
    return diagram(paper_model(TransformerConfig(vocab_size=37_000)))


def linked(page_of, code_of):
    """Return the drawing with its boxes as links.

    Args:
        page_of: {a chapter's name: the address of its page}.
        code_of: the address of a file of `scratch.torch`, given its name without `.py`.
    """

    def link(shape):
        if shape.words in IDS:
            x, y = shape.place
            area = touched(x - 80, y + 8, 160)
            return f'<a href="{page_of["tokenization"]}">{area}{shape.svg}</a>'
        return link_box(shape) if shape.frame else shape.svg

    def link_box(box):
        chapters, file = BOXES[box.words]
        left, top, width, height = box.place
        middle, right, bottom = left + width / 2, left + width, top + height
        numbers = " and ".join(map(label, chapters))
        words = f"chapter{'s' * (len(chapters) > 1)} {numbers}"
        wide = width > 200  # has room for more than its name
        page = (
            f'<a href="{page_of[chapters[-1]]}">{box.frame}'
            f"{touched(left, top + height // 2, width)}"
            f'<text class="title" x="{middle:g}" y="{top + (20 if wide else 25):g}">'
            f"{box.words}</text>"
            + f'<text x="{middle:g}" y="{bottom - 7:g}">{words}</text>' * wide
            + "</a>"
        )
        code = (
            f'<a class="code" href="{code_of(file)}" aria-label="Code: {box.words}">'
            f'<rect x="{right - 50:g}" y="{top + 12:g}" width="50" height="34"/>'
            f'<text x="{right - 22:g}" y="{bottom - 7:g}">&lt;/&gt;</text></a>'
        )
        return page + code * wide

    return drawing().redrawn(link).replace('role="img"', 'role="group"', 1)


def touched(left, middle, width):
    """Return what a finger may touch: on a phone, a box alone is too low for one."""
    return (
        f'<rect class="touched" x="{left:g}" y="{middle - 32:g}" '
        f'width="{width:g}" height="64"/>'
    )


def small(chapter):
    """Return the drawing without words, only a chapter's part of it in colours."""
    _, parts = ABOUT.get(chapter, ALL)
    middle = max(shape.place[0] for shape in drawing().shapes if shape.frame) / 2

    def shade(shape):
        if shape.frame:
            side = "encoder" if shape.place[0] < middle else "decoder"
            lit = side in parts or shape.words in parts
            fill, border = (shape.border,) * 2 if lit else (GRAY, BORDER)
            return rectangle(*shape.place, fill, border)
        if shape.words in IDS:
            x, y = shape.place
            fill, border = (INK, INK) if shape.words in parts else (GRAY, BORDER)
            return rectangle(x - 80, y - 16, 160, 40, fill, border)
        return "" if shape.words else shape.svg

    return drawing().redrawn(shade)


class ModelMap(SphinxDirective):
    def run(self):
        relative = self.env.app.builder.get_relative_uri
        page_of = {
            name: relative(self.env.docname, page) for page, name in PAGES.items()
        }
        options = self.config.html_theme_options
        code = f"{options['repository_url']}/blob/{options['repository_branch']}"
        svg = linked(page_of, lambda file: f"{code}/scratch/torch/{file}.py")
        html = f'<div class="model-map">{self.shown(svg)}</div>'
        return [nodes.raw("", html, format="html")]

    def shown(self, svg):
        """Return what a page shows of the drawing with its links."""
        return svg + at_night(svg)


def at_night(svg):
    """Return the styles that give the map its colours on a dark page."""
    colours = sorted(set(re.findall(r'(fill|stroke)="(#[0-9a-f]{6})"', svg)))
    rules = (f'[{of}="{one}"] {{{of}: {night.svg(one)}}}' for of, one in colours)
    around = '@media not print {html[data-theme="dark"] .model-map'
    return f"<style>{around} {{{' '.join(rules)}}}}}</style>"


def place(app, doctree, page):
    """Put the small copy beside the title of a chapter."""
    if page not in PAGES:
        return
    name = PAGES[page]
    if app.builder.format == "html":
        write(name, Path(app.outdir, FOLDER))
    words, _ = ABOUT.get(name, ALL)
    copy = app.builder.get_relative_uri(page, "book/index") + "#the-map"
    up = "../" * page.count("/")
    pictures = "".join(
        f'<img class="only-{theme}" src="{up}{FOLDER}/{name}{suffix}.svg" width="87" '
        f'height="110" alt="You are here in the Transformer: {words}" loading="lazy">'
        for theme, suffix in (("light", ""), ("dark", "-night"))
    )
    mark = f'<a class="you-are-here" href="{copy}">{pictures}</a>'
    title = next(doctree.findall(nodes.title))
    before = title.parent.index(title)
    title.parent.insert(before, nodes.raw("", mark, format="html"))


def write(name, folder):
    """Draw the small copy of a chapter, for light pages and for dark ones."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = small(name)
    (folder / f"{name}.svg").write_text(drawn)
    (folder / f"{name}-night.svg").write_text(night.svg(drawn))


def setup(app):
    app.add_directive("model-map", ModelMap)
    app.connect("doctree-resolved", place)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
