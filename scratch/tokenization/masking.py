"""Masked words: hide some tokens of a text, for a model to fill in."""

from collections.abc import Collection

from scratch.checks import require_fraction, require_id, require_ids, require_special

import numpy as np

IGNORED = -100  # a target that does not count


def mask_tokens(
    ids: np.ndarray,
    vocab_size: int,
    mask_id: int,
    special_ids: Collection[int],
    generator: np.random.Generator,
    share: float = 0.15,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose tokens to predict, and hide most of them.

    Of the chosen tokens, 80 % become `mask_id`, 10 % a random id, and 10 % stay.

    Args:
        ids: integers (batch, length).
        vocab_size: the number of ids, of which random ones are drawn.
        mask_id: the id of [MASK].
        special_ids: ids that are never chosen, such as padding.
        generator: draws places and random ids.
        share: of each row's other tokens, how many are chosen; at least one is.

    Returns:
        The ids with their masks (batch, length); the chosen places (batch, count); the
        ids that were there (batch, count), or IGNORED where a row has fewer places.

    Raises:
        TypeError: `ids` are not integers.
        ValueError: a size or an id does not fit.

    Source: Devlin et al. 2019, section 3.1 and appendix A.1, and its code.
    """
    require_ids("ids", ids)
    require_id("mask_id", mask_id, vocab_size)
    require_fraction("share", share)
    require_special(special_ids)
    ids = np.asarray(ids, dtype=np.int64)  # uint8 could not hold every id
    free = ~np.isin(ids, [*special_ids])  # (batch, length)
    wanted = np.maximum(1, np.round(share * free.sum(axis=1)))
    most = max(1, round(share * ids.shape[1]))
    # Places in random order, those that are free first.
    order = np.where(free, generator.random(ids.shape), 2).argsort(axis=1)
    places = order[:, :most]  # (batch, count)
    before = np.take_along_axis(ids, places, axis=1)
    chosen = np.arange(places.shape[1]) < wanted[:, None]
    chosen &= np.take_along_axis(free, places, axis=1)

    chance = generator.random(places.shape)
    any_id = generator.integers(0, vocab_size, places.shape)
    after = np.where(chance < 0.8, mask_id, any_id)
    after = np.where(chance < 0.9, after, before)
    masked = ids.copy()
    np.put_along_axis(masked, places, np.where(chosen, after, before), axis=1)
    targets = np.where(chosen, before, IGNORED)
    count = chosen.sum(axis=1).max(initial=1)
    return masked, places[:, :count], targets[:, :count]
