"""Sliding window attention: a mask, and a shorter cache."""

from scratch.checks import require_mask

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


def within_window(
    x: Tensor,
    cache: tuple,
    attention_mask: Tensor | None,
    window: int | None,
) -> Tensor | None:
    """Mask of the keys that each query's window reaches,
    combined with attention_mask.

    Args:
        x: the queries' vectors, (batch, queries, d_model).
        cache: keys and values, the last of which belong to x,
            (batch, heads, keys, d_k or d_v), and `dropped`.
        attention_mask: boolean, True = may attend, broadcasts
            to (batch, heads, queries, keys and dropped ones).
        window: as in the config; None changes nothing.

    Returns:
        A mask for the keys, or None if all are visible.

    Source: Beltagy et al. 2020, section 3.1.
    """
    if window is None:
        return attention_mask
    queries, count = x.shape[1], cache[0].shape[2]
    require_mask(
        "attention_mask",
        attention_mask,
        (x.shape[0], None, queries, cached_length(cache)),
    )
    key = torch.arange(count, device=x.device)
    query = key[count - queries :]
    near = key[None, :] > query[:, None] - window
    if attention_mask is None:
        # a short text, or one new token after a cache
        return None if count <= window else near[None, None]
    attention_mask = torch.as_tensor(attention_mask)
    attention_mask = attention_mask.to(x.device)
    return near & attention_mask[..., -count:]


def newest(cache: tuple, window: int | None) -> tuple:
    """A layer's cache, cut to the keys that the window of the
    next query reaches.

    Args:
        cache: keys and values, and `dropped`.
        window: as in the config; None cuts nothing.
    """
    if window is None:
        return cache
    keys, values = cache[:2]
    start = max(0, keys.shape[2] - window + 1)
    # copies: a view would hold on to what it leaves out
    keys = keys[:, :, start:].clone()
    values = values[:, :, start:].clone()
    gone = cached_length(cache) - keys.shape[2]
    gone = keys.new_empty(*keys.shape[:2], gone, 0)
    return keys, values, gone
