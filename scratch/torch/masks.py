"""Which keys a query may attend to: padding and causal masks.

A mask is made by a model, or by its caller, and checked where
it is first read: a decoder layer makes it causal, in
decoder.py; a layer of grouped queries folds it; all others
hand it on, unchanged, to the functions of attention.py.
"""

from scratch.checks import require_ids, require_lengths

import torch
from torch import Tensor


def padding_mask(
    ids: Tensor, pad_id: int | None = 0
) -> Tensor:
    """Padding mask: True where an id is not padding.

    Args:
        ids: integers, shape (batch, length).
        pad_id: the id of padding; None if there is none.

    Returns:
        Booleans, shape (batch, 1, 1, length).

    Example:
        [[5, 8, 0]] -> [[[[True, True, False]]]]
    """
    require_ids("ids", ids, pad_id)
    ids = torch.as_tensor(ids, dtype=torch.int64)
    if pad_id is None:
        mask = torch.ones_like(ids, dtype=torch.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def causal_mask(
    length: int, key_length: int | None = None
) -> Tensor:
    """Causal mask: True for keys not after a query.

    The last query is aligned with the last key, so the mask
    also serves cached decoding.

    Args:
        length: number of queries.
        key_length: number of keys; None for as many.

    Returns:
        Booleans, shape (1, 1, length, key_length). Layers
        move a mask to the device of their inputs.

    Raises:
        ValueError: if there are fewer keys than queries.

    Example:
        2, 3 -> [[[[True, True, False], [True, True, True]]]]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if key_length is None:
        key_length = length
    require_lengths(length, key_length)
    key = torch.arange(key_length)
    query = key[key_length - length :]
    mask = key[None, :] <= query[:, None]
    return mask[None, None]  # (1, 1, length, key_length)
