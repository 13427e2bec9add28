"""KV cache: the keys and values of earlier positions.

With a causal mask, a later token changes no earlier key or
value. So a decoder that writes computes each of them once.
The cache goes into a call and comes out of it, as values: no
layer keeps it.

1. Made: `project`, in multi_head.py and grouped_query.py,
   makes the keys and values of new positions.
2. Filled: a decoder layer has them `appended` to its cache.
3. Read: its attention attends to all of them.
4. Returned: the layer hands on what its window, if it has
   one, does not cut off, and behind it the memory's keys and
   values, which are made only once.

A layer's cache is a tuple, () before the first call; that of
a decoder is a list of its layers'. None is for no cache. The
searches hand it from each token to the next, beam search
`reordered`.
"""

import torch
from torch import Tensor


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


def appended(
    cache: tuple | None, keys: Tensor, values: Tensor
) -> tuple:
    """A layer's cache, followed by new keys and values.

    Args:
        cache: a decoder layer's; None or () for no keys yet.
        keys, values: of new positions, (batch, heads, length,
            d_k or d_v).

    Returns:
        All keys, all values, and what is `dropped`.
    """
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
