"""Sliding window attention: a mask, and a shorter cache."""

from scratch.checks import require_mask
from scratch.torch.kv_cache import cached_length

import torch
from torch import Tensor


class SlidingWindow:
    """Sliding window: a query attends to the nearest keys.

    Args:
        size: how many positions a query may look back, itself
            included.

    Source: Beltagy et al. 2020, section 3.1.
    """

    def __init__(self, size: int):
        self.size = size

    def mask(
        self,
        x: Tensor,
        cache: tuple,
        attention_mask: Tensor | None,
    ) -> Tensor | None:
        """Mask of the keys that each query's window reaches,
        combined with attention_mask.

        Args:
            x: the queries' vectors, (batch, queries,
                d_model).
            cache: keys and values, the last of which belong
                to x, (batch, heads, keys, d_k or d_v), and
                `dropped`.
            attention_mask: boolean, True = may attend,
                broadcasts to (batch, heads, queries, keys and
                dropped ones).

        Returns:
            A mask for the keys, or None if all are visible.
        """
        queries, count = x.shape[1], cache[0].shape[2]
        require_mask(
            "attention_mask",
            attention_mask,
            (x.shape[0], None, queries, cached_length(cache)),
        )
        key = torch.arange(count, device=x.device)
        query = key[count - queries :]
        near = key[None, :] > query[:, None] - self.size
        if attention_mask is None:
            # a short text, or one new token after a cache
            short = count <= self.size
            return None if short else near[None, None]
        attention_mask = torch.as_tensor(attention_mask)
        attention_mask = attention_mask.to(x.device)
        return near & attention_mask[..., -count:]

    def cut(self, cache: tuple) -> tuple:
        """A layer's cache, cut to the keys that the window of
        the next query reaches.

        Args:
            cache: keys and values, and `dropped`.
        """
        keys, values = cache[:2]
        start = max(0, keys.shape[2] - self.size + 1)
        # copies: a view would hold on to what it leaves out
        keys = keys[:, :, start:].clone()
        values = values[:, :, start:].clone()
        gone = cached_length(cache) - keys.shape[2]
        gone = keys.new_empty(*keys.shape[:2], gone, 0)
        return keys, values, gone
