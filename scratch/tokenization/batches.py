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


def make_batch(rows, vocab, pad=None, pad_to=None):
    """Return the `Batch` of `rows`, each a list of tokens and their segment ids.

    vocab: the id of each token. pad: the token that fills rows up, to `pad_to` or to
    the longest row; without one, all rows must be equally long.
    """
    lengths = np.array([len(tokens) for tokens, _ in rows], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    length = longest if pad_to is None else pad_to
    require_at_least("pad_to", length, longest)
    if pad is None and (lengths < length).any():
        raise ValueError("pad is None: wanted a token, as the rows' lengths differ")
    ids = [[vocab[token] for token in tokens] for tokens, _ in rows]
    segment_ids = [segments for _, segments in rows]
    real = np.arange(length) < lengths[:, None]  # (batch, length)
    return Batch(
        ids=pad_rows(ids, length, vocab.get(pad)),
        attention_mask=real[:, None, None, :],  # (batch, 1, 1, length)
        segment_ids=pad_rows(segment_ids, length, 0),
    )
