"""Checks of masks, and of the memory that is attended to."""

from scratch.checks.tensors import require_tensor

BOOLEANS = "a boolean tensor, True = may attend"


def require_mask(name, mask, shape):
    """Raise unless `mask` is None, or boolean with the axes of `shape`, or 1 for any.

    A mask with fewer axes is refused, because it would be read from the last axis on:
    (batch, length) as (queries, keys), and (batch, queries, keys) as (heads, …).
    """
    if mask is None:
        return
    axes = f"{tuple(shape)}, where any size may be 1"
    if len(shape) == 4:
        axes = f"(batch, heads, queries, keys) = {axes}"
    require_tensor(name, mask, BOOLEANS, "bool", shape, axes, or_one=True)


def require_attention_mask(mask, query, key):
    """Raise unless `mask` fits the queries and the keys of all heads."""
    require_mask("attention_mask", mask, (*query.shape[:-1], key.shape[-2]))


def require_mask_for(name, mask, x, keys):
    """Raise unless `mask` fits the queries of `x` (batch, queries, d_model) and `keys`.

    Attention checks its heads: those of the keys may be fewer (grouped queries).
    """
    require_mask(name, mask, (keys.shape[0], None, x.shape[1], keys.shape[2]))


def require_memory(memory, cache, cross_attention):
    """Raise unless a memory, or a cache of it, is given where it is attended to."""
    if cross_attention is None and memory is not None:
        raise ValueError(
            "memory is given: wanted none, because there is no cross-attention"
        )
    if cross_attention is not None and memory is None and not cache:
        raise ValueError(
            "memory is None: wanted the encoder's output (batch, length, d_model)"
        )
