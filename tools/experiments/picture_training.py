"""How the models of `tools/experiments/pictures.py` are built and trained."""

import time

from scratch.config import TransformerConfig
from scratch.torch import cosine_schedule, fit

import numpy as np


def trained(model, data, loss, peak, warmup, weight_decay=0.01):
    """Train a model; return (measure, value) of how."""
    start = time.process_time()
    losses = fit(
        model,
        data,
        loss,
        lambda step: cosine_schedule(step, peak, warmup, len(data)),
        weight_decay=weight_decay,
    )
    return [
        ("loss", float(np.mean(losses[-20:]))),
        ("weights", sum(one.numel() for one in model.parameters())),
        ("seconds", time.process_time() - start),
    ]


def config(d_model, d_ff, max_len, **changed):
    """Return the config of a pre-LN model of pictures, with GELU."""
    settings = {
        "vocab_size": None,
        "pad_id": None,
        "num_heads": 4,
        "num_layers": 2,
        "dropout": 0.0,
        "activation": "gelu",
        "norm_first": True,
    }
    sizes = {"d_model": d_model, "d_ff": d_ff, "max_len": max_len}
    return TransformerConfig(**settings | sizes | changed)
