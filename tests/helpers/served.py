"""Models and requests for the tests of serving, and what each is without an engine."""

from helpers.frameworks import TORCH, twins
from readymade.weights import copy_weights
from scratch.config import TransformerConfig
from scratch.serving import Request

import numpy as np

SIZES = {
    "vocab_size": 31,
    "d_model": 16,
    "num_heads": 4,
    "d_ff": 20,
    "num_layers": 2,
    "max_len": 70,
    "dropout": 0.2,
    "norm_first": True,
}
KINDS = {
    "sinusoidal": {},
    "learned": {"positions": "learned", "norm_first": False},
    "rotary": {"positions": "rotary", "num_kv_heads": 2, "norm": "rms"},
    "window": {"positions": "rotary", "window": 5},
    "window of 1": {"positions": "rotary", "window": 1},
    "unwritten": {"unwritten_ids": (4, 7)},
}
ENDS = [2, 5]


def model_in(framework, kind, far=3.0, **sizes):
    """Return a model whose weights are `far` times as far from 0 as those of a new one.

    Then its tokens are less alike, but its rounding errors are larger.
    """
    config = TransformerConfig(**SIZES | KINDS[kind] | sizes)
    one, other = twins("CausalLanguageModel", config)
    for weight in one.parameters():
        weight.data.mul_(far)
    if framework is TORCH:
        return one
    copy_weights(one, other)
    return other


def some_requests(number, seed=0):
    """Return requests of many lengths; a third begins alike, a half is drawn."""
    random = np.random.default_rng(seed)
    common = random.integers(3, 31, 20).tolist()
    found = []
    for row in range(number):
        ids = random.integers(3, 31, random.integers(1, 20)).tolist()
        ids = common + ids if row % 3 == 0 else ids
        drawn = {"temperature": 0.9, "seed": row} if row % 2 else {}
        found.append(Request(ids, int(random.integers(1, 25)), ENDS, **drawn))
    return found


def alone(framework, model, request):
    """Return the tokens that `generate` writes."""
    ids = np.array([request.ids])
    written = model.generate(
        framework.tensor(ids),
        request.eos_id,
        request.max_new_tokens,
        attention_mask=framework.tensor(np.ones((1, 1, 1, ids.shape[1]), bool)),
        temperature=request.temperature,
        seed=request.seed,
    )
    return framework.numpy(written)[0, ids.shape[1] :].tolist()
