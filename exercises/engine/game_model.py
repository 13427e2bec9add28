"""The shipped models of the number game in NumPy, in double precision."""

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
# What the files of stages, which hold our own models, call the parts of a layer.
_OF_STAGES = {
    "query": "self_attention.query",
    "key": "self_attention.key",
    "value": "self_attention.value",
    "output": "self_attention.projection",
    "attention_norm": "self_attention_norm.norm",
    "expand": "feed_forward.expand",
    "gate": "feed_forward.gate",
    "contract": "feed_forward.contract",
    "feed_forward_norm": "feed_forward_norm.norm",
}


@cache
def base_model():
    """Return chapter 15's base model, a Llama, as a `NumPyTransformer`."""
    return _model(read_tensors(base_path(), "model."))


@cache
def stage_model(stage):
    """Return one of its stages, such as "instructions"."""
    found = read_tensors(base_path(), "decoder.", f"{stage}.safetensors")
    tensors = {
        name.replace("embeddings.tokens", "embed_tokens"): array
        for name, array in found.items()
    }
    for part, name in _OF_STAGES.items():
        tensors = {
            known.replace(name, LLAMA[part]): array for known, array in tensors.items()
        }
    return _model(tensors)


def _model(tensors):
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
