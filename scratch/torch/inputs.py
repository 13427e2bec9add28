"""What callers pass: ids and masks, as checked tensors."""

from scratch.arguments import (
    require_prompts,
    require_within,
    wanted_ids,
)

import torch
from torch import Tensor, nn


def as_ids(ids: Tensor) -> Tensor:
    """Ids as a tensor of 64-bit integers."""
    return torch.as_tensor(ids, dtype=torch.int64)


def known_ids(
    name: str, ids: Tensor, table: nn.Embedding
) -> Tensor:
    """Ids as a tensor, each checked to have a row in a table.

    The check needs values: code that is traced by XLA
    (jit_compile=True), torch.compile or torch.export leaves
    it out. A tf.function makes it an operation of its graph.

    Args:
        name: the argument's name, for the message.
        ids: a tensor or NumPy array of integers.
        table: the embedding whose rows they number.

    Returns:
        The same ids, int64, on the table's device.

    Raises:
        ValueError: if an id is negative or too large. In the
            graph of a tf.function it is TensorFlow's
            InvalidArgumentError.
    """
    weight = table.weight
    ids = as_ids(ids).to(weight.device)
    traced = torch.compiler.is_compiling()
    if not (traced or ids.is_meta or ids.numel() == 0):
        lowest, highest = torch.aminmax(ids)
        require_within(
            name, int(lowest), int(highest), len(weight)
        )
    return ids


def known_prompts(
    name: str, ids: Tensor, table: nn.Embedding
) -> Tensor:
    """Prompts as a tensor that can be continued.

    Args:
        ids: prompts, (batch, length), a tensor or NumPy
            array of integers of any size.
        name, table: as in known_ids.

    Returns:
        The same ids, int64, on the table's device.

    Raises:
        TypeError, ValueError: as known_ids, or for no prompt,
            or an empty one.
    """
    require_prompts(name, ids)
    return known_ids(name, ids, table)


def known_targets(
    targets: Tensor, size: int, pad_id: int | None
) -> Tensor:
    """Targets, each checked to be an id or the padding.

    Like known_ids, it leaves code out that is compiled.

    Args:
        targets: a tensor of int64.
        size: number of tokens in the vocabulary.
        pad_id: another target that is allowed, or None.

    Returns:
        The same targets.

    Raises:
        ValueError: if one is neither, as in known_ids.
    """
    if torch.compiler.is_compiling() or targets.is_meta:
        return targets
    wrong = (targets < 0) | (targets >= size)
    wanted = wanted_ids(size)
    if pad_id is not None:
        wrong = wrong & (targets != pad_id)
        wanted += f", or the pad_id {pad_id}"
    if wrong.any():
        given = int(targets[wrong][0])
        raise ValueError(f"targets holds {given}{wanted}")
    return targets


def as_mask(mask: Tensor, x: Tensor) -> Tensor:
    """A mask as a tensor where x is."""
    return torch.as_tensor(mask, device=x.device)
