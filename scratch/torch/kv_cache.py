"""KV cache: the keys and values of earlier positions.

With a causal mask, a later token changes no earlier key or
value, so each is computed once. No layer keeps them: a cache
goes into a call, and a new one comes out.

1. Made: a layer's attention projects new positions to keys
   and values.
2. Filled: the layer's cache is `extended` by them.
3. Read: the attention attends to all of the cache.
4. Returned: by the layer, cut to its sliding window, with the
   memory's keys and values behind, which are made only once.

A layer's cache is a tuple, () at first, None for no cache; a
decoder's is a list of its layers'. The searches hand it from
one token to the next, beam search `reordered`.
"""

import torch
from torch import Tensor, nn


def dropped(cache: tuple | None) -> tuple:
    """What is left of the keys that a window has dropped.

    Args:
        cache: a decoder layer's; None or () for no keys yet.

    Returns:
        (), or a tensor that is as long as they were and has
        no numbers, shape (batch, heads, length, 0).
    """
    # all other tensors come in pairs: keys and their values
    return cache[2:3] if cache and len(cache) % 2 else ()


def cached_length(cache: tuple | None) -> int:
    """Number of positions that a layer's cache has seen."""
    parts = *(cache or ())[:1], *dropped(cache)
    return sum(part.shape[2] for part in parts)


def extended(
    cache: tuple | None,
    attention: nn.Module,
    x: Tensor,
    start: int | Tensor | None = None,
) -> tuple:
    """A layer's cache, with keys and values of x added.

    Args:
        cache: a decoder layer's; None or () for no keys yet.
        attention: the layer of attention that reads it.
        x: new positions, (batch, length, d_model).
        start: the first one's position; integers (batch, 1)
            for one in each row; None for the cache's next.

    Returns:
        All keys, all values, and what is `dropped`.
    """
    if start is None:
        start = cached_length(cache)
    keys, values = attention.project(x, x, start)
    if cache:
        keys = torch.cat([cache[0], keys], 2)
        values = torch.cat([cache[1], values], 2)
    return keys, values, *dropped(cache)


def reordered(cache: list, rows: Tensor) -> list:
    """The cache, with its parent's rows for each beam.

    Args:
        cache: from the decoder, with batch · beam_size rows.
        rows: (batch · beam_size,), each beam's parent.

    Returns:
        A cache like the one that came. Memory is the same
        for all the beams of a row: it stays.
    """
    return [
        (keys[rows], values[rows], *memory)
        for keys, values, *memory in cache
    ]
