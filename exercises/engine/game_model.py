"""The shipped model of the number game in NumPy, in double precision."""

from functools import cache

from exercises.engine.numpy_transformer import (
    LLAMA,
    NumPyTransformer,
    read_tensors,
    silu,
)
from readymade.data.number_game import base_path

import numpy as np

HEADS, LAYERS = 4, 2


@cache
def base_model():
    """Return chapter 15's base model, a Llama, as a `NumPyTransformer`."""
    tensors = read_tensors(base_path(), "model.")
    tensors = {name: array.astype(np.float64) for name, array in tensors.items()}
    return NumPyTransformer(tensors, LLAMA, LAYERS, HEADS, 1e-6, silu, 10_000.0)


def token_table():
    """Return its embeddings, also its output matrix: (vocabulary, d_model)."""
    return base_model().tensors["embed_tokens.weight"]


@cache
def run_base(ids):
    """Return the embeddings of ids (a tuple), and a `Layer` for each layer."""
    x = token_table()[list(ids)]
    return x, base_model().run(x, np.tri(len(ids), dtype=bool))
