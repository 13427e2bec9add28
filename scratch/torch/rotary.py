"""Rotary positions (RoPE): queries and keys are rotated."""

from scratch.checks import require_even

import torch
from torch import Tensor


def frequencies(
    d_k: int,
    base: float = 10_000.0,
    scaling: tuple | None = None,
) -> Tensor:
    """Angles by which rotary positions turn, per position.

    The first half of a vector and the second are the two
    coordinates of d_k / 2 points. Each point turns by its own
    angle; the minus sign is that of the sine in a rotation.

    Args:
        d_k: length of a query and of a key, even.
        base: the slowest point turns once in 2π · base^(1 −
            2 / d_k) positions.
        scaling: as config.rotary_scaling.

    Returns:
        float32 angles, shape (d_k,), the negative ones first.

    Raises:
        ValueError: if d_k is odd.

    Example:
        4, 10000 -> [-1, -0.01, 1, 0.01]

    Source: Su et al. 2021, section 3.2.2, with the pairs of
    the published Llama; scaling: the code of Llama 3.1.
    """
    require_even("d_k", d_k, "a rotation turns pairs")
    # on the CPU: the device meta holds no numbers
    even = torch.arange(0, d_k, 2, device="cpu").double()
    angle = base ** (-even / d_k)
    if scaling is not None:
        factor, low, high, length = scaling
        turns = angle * length / (2 * torch.pi)
        kept = ((turns - low) / (high - low)).clip(0, 1)
        angle = angle * (kept + (1 - kept) / factor)
    angles = torch.cat([-angle, angle], 0)  # (d_k,)
    return angles.float()  # whatever the weights are


def rotate(
    x: Tensor, frequency: Tensor, start: int | Tensor = 0
) -> Tensor:
    """Rotary positions: turn each vector by its position.

    The dot product of two such vectors depends on how far
    they are apart, and not on where they are.

    Args:
        x: queries or keys, shape (…, length, d_k).
        frequency: from frequencies, shape (d_k,).
        start: the position of the first vector; integers (…,
            1) for one in each row.

    Returns:
        Shape (…, length, d_k).

    Source: Su et al. 2021, equation 34.
    """
    length, d_k = x.shape[-2:]
    place = torch.arange(length, device=x.device) + start
    frequency = frequency.to(x.device)
    angle = place[..., None] * frequency  # (…, length, d_k)
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    # (a, b) -> (a cos − b sin, b cos + a sin)
    swapped = x.roll(d_k // 2, -1)  # (a, b) -> (b, a)
    return x * cos + swapped * sin
