"""The shipped writer, a small GPT-2, in NumPy."""

from functools import cache

from exercises.engine.numpy_transformer import (
    GPT2,
    NumPyTransformer,
    gelu_tanh,
    read_tensors,
)
from readymade.data import writer_path

import numpy as np

NUM_LAYERS, NUM_HEADS = 2, 4


@cache
def streams(words):
    """Return the stream before the first layer and after each, of (length, d_model)."""
    ids, gpt2 = tokenizer().encode(words).ids, model()
    x = gpt2.tensors["wte.weight"][ids] + gpt2.tensors["wpe.weight"][: len(ids)]
    return [x, *(layer.x for layer in gpt2.run(x, np.tri(len(ids), dtype=bool)))]


def logits_of(x):
    """Return the logits of a stream: (length, vocab_size)."""
    table = model().tensors["wte.weight"]
    return (model().norm(x, "ln_f") @ table.T).astype(np.float64)


@cache
def model():
    """Return the shipped GPT-2 in NumPy."""
    tensors = read_tensors(writer_path(), "transformer.")
    return NumPyTransformer(tensors, GPT2, NUM_LAYERS, NUM_HEADS, 1e-5, gelu_tanh)


@cache
def tokenizer():
    """Return the shipped tokenizer, read by another library than the book's."""
    from tokenizers import ByteLevelBPETokenizer

    files = (writer_path() / name for name in ("vocab.json", "merges.txt"))
    return ByteLevelBPETokenizer(*map(str, files))
