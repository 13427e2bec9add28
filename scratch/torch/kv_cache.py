"""The KV cache: keys and values of earlier positions."""


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
