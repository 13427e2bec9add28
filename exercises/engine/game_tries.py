"""What a stage of the number game writes in several tries, in NumPy."""

from exercises.engine.game_model import LAYERS, stage_model
from exercises.engine.numpy_transformer import rotated, softmax
from readymade.data.number_game import END, LONGEST, PAD, decode

import numpy as np


def tries(stage, prompts, uniform):
    """Return the texts that a stage writes after each prompt, a list for each.

    Args:
        stage: its name, such as "instructions".
        prompts: lists of ids.
        uniform: a random number for each token of each try, (prompts, tries, LONGEST).
    """
    model, count = stage_model(stage), uniform.shape[1]
    uniform = uniform.reshape(-1, LONGEST)
    length = max(map(len, prompts))
    ids = np.array([[PAD] * (length - len(row)) + list(row) for row in prompts])
    real, cache = ids != PAD, [None] * LAYERS
    logits = _next_logits(model, ids, real, cache).repeat(count, 0)
    real = real.repeat(count, 0)
    cache = _each(cache, lambda part: part.repeat(count, 0))
    written, alive = [[] for _ in uniform], np.arange(len(uniform))
    for step in range(LONGEST):
        end = softmax(logits).cumsum(-1)  # where each token's part ends
        token = (end <= uniform[alive, step, None] * end[:, -1:]).sum(-1)
        for row, one in zip(alive, token.tolist(), strict=True):
            written[row].append(one)
        goes_on = token != END
        if not goes_on.any():
            break
        token, alive, real = token[goes_on], alive[goes_on], real[goes_on]
        real = np.pad(real, ((0, 0), (0, 1)), constant_values=True)
        cache = _each(cache, lambda part, goes_on=goes_on: part[goes_on])
        logits = _next_logits(model, token[:, None], real, cache)
    texts = [decode(ids) for ids in written]
    return [texts[place : place + count] for place in range(0, len(texts), count)]


def _each(cache, change):
    return [[change(part) for part in kept] for kept in cache]


def _next_logits(model, ids, real, cache):
    """Run the model on the newest tokens: logits (rows, vocabulary).

    ids (rows, newest tokens); real (rows, all tokens), False for padding; cache: for
    each layer the keys and values of all tokens before. It gets the new ones.
    """
    table = model.tensors["embed_tokens.weight"]
    x, start = table[ids], real.shape[1] - ids.shape[1]
    allowed = np.tri(ids.shape[1], real.shape[1], start, bool) & real[:, None, None]
    for layer, kept in enumerate(cache):
        y = model.norm(x, "attention_norm", layer)
        query, key, value = (
            _heads(model, model.linear(y, role, layer))
            for role in ("query", "key", "value")
        )
        query, key = (rotated(part, model.rotary_base, start) for part in (query, key))
        if kept:
            key, value = (
                np.concatenate(pair, 2) for pair in zip(kept, (key, value), strict=True)
            )
        cache[layer] = [key, value]
        groups = query.shape[1] // key.shape[1]
        scores = query @ key.repeat(groups, 1).swapaxes(2, 3) / query.shape[3] ** 0.5
        mixed = softmax(scores, allowed) @ value.repeat(groups, 1)
        x = x + model.linear(mixed.swapaxes(1, 2).reshape(x.shape), "output", layer)
        y = model.norm(x, "feed_forward_norm", layer)
        x = x + model.linear(model.inner(y, layer), "contract", layer)
    return model.norm(x[:, -1], "norm") @ table.T


def _heads(model, x):
    """Split features: (rows, length, heads · size) -> (rows, heads, length, size)."""
    size = model.tensors["embed_tokens.weight"].shape[1] // model.num_heads
    return x.reshape(*x.shape[:2], -1, size).swapaxes(1, 2)
