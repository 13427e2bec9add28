"""Prompts of different lengths, padded on the left."""

from scratch.checks import (
    require_prompt_mask,
    require_prompts,
)

import torch
from torch import Tensor


def left_padded(
    ids: Tensor, attention_mask: Tensor
) -> Tensor:
    """Move the padding of each prompt to its left end.

    Args:
        ids: prompts, (batch, length), padded at either end.
        attention_mask: boolean, (batch, 1, 1, length), False
            at padding.

    Returns:
        ids (batch, length).

    Raises:
        TypeError, ValueError: for ids or a mask that do not
            fit, a row of padding, or padding between tokens.

    Example:
        [[5, 3, 0], [0, 0, 7]] -> [[0, 5, 3], [0, 0, 7]]
    """
    require_prompts("ids", ids)
    require_prompt_mask(attention_mask, ids)
    ids = torch.as_tensor(ids)
    real = torch.as_tensor(attention_mask)[:, 0, 0]
    real = real.to(ids.device)
    # False before True, otherwise in the order they had
    order = real.int().argsort(dim=1, stable=True)
    return ids.gather(1, order)


def written_mask(
    attention_mask: Tensor, length: int
) -> Tensor:
    """The mask of texts that continue padded prompts.

    Args:
        attention_mask: the prompts', boolean, (batch, 1, 1,
            prompt length), False at padding at either end.
        length: that of the texts that `generate` returned,
            which have their padding on the left.

    Returns:
        Booleans, (batch, 1, 1, length).

    Example:
        [[[[True, False]]]], 3 -> [[[[False, True, True]]]]
    """
    attention_mask = torch.as_tensor(attention_mask)
    padding = (~attention_mask).sum(-1, keepdim=True)
    place = torch.arange(length, device=padding.device)
    return place >= padding  # (batch, 1, 1, length)
