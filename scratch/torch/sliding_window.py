"""Sliding window attention: a mask, and a shorter cache."""

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
        mask: Tensor | None,
    ) -> Tensor | None:
        """A decoder's mask, less the keys that the window of
        each query does not reach.

        Args:
            x: the queries' vectors, (batch, queries,
                d_model).
            cache: a layer's; its last keys belong to x.
            mask: from decoder_mask.

        Returns:
            A mask for the keys that are not dropped, or None
            if all are visible.
        """
        if mask is None:
            # a single query reaches all that `cut` has left
            return None
        queries, count = x.shape[1], cache[0].shape[2]
        key = torch.arange(count, device=x.device)
        query = key[count - queries :]
        near = key[None, :] > query[:, None] - self.size
        return near & mask[..., -count:]

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
