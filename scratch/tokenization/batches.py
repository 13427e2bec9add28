"""Many texts at once: rows of one length, and what tells tokens from padding."""

from typing import NamedTuple

from scratch.arguments import require_at_least

import numpy as np


class Batch(NamedTuple):
    """What a model takes, in the order in which an encoder takes it.

    ids: integers (batch, length).
    attention_mask: booleans (batch, 1, 1, length), True where there is a token, False
        where there is padding; the two axes of 1 are for heads and queries.
    segment_ids: integers (batch, length), 0 in the first text, 1 in BERT's second.
    """

    ids: np.ndarray
    attention_mask: np.ndarray
    segment_ids: np.ndarray


def pad_rows(rows, length, filler):
    """Fill each of the lists `rows` up to `length` with `filler`: one integer array."""
    filled = [[*row, *[filler] * (length - len(row))] for row in rows]
    return np.array(filled, dtype=np.int64).reshape(len(rows), length)


def make_batch(rows, pad_id, pad_to=None):
    """Return the `Batch` of `rows`, each a list of ids and a list of segment ids.

    pad_to: the length of every row; without it, that of the longest.
    """
    lengths = np.array([len(ids) for ids, _ in rows], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    length = longest if pad_to is None else pad_to
    require_at_least("pad_to", length, longest)
    if pad_id is None and (lengths < length).any():
        raise ValueError("pad_id is None: wanted one, as the texts' lengths differ")
    real = np.arange(length) < lengths[:, None]  # (batch, length)
    return Batch(
        ids=pad_rows([ids for ids, _ in rows], length, pad_id),
        attention_mask=real[:, None, None, :],  # (batch, 1, 1, length)
        segment_ids=pad_rows([segment_ids for _, segment_ids in rows], length, 0),
    )
