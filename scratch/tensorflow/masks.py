"""Which keys a query may attend to: padding and causal masks.

Otherwise as `scratch.torch.masks`.
"""

from scratch.checks import require_ids, require_lengths

import tensorflow as tf


def tf_padding_mask(
    ids: tf.Tensor, pad_id: int | None = 0
) -> tf.Tensor:
    """Padding mask: True where an id is not padding.

    Otherwise as `scratch.torch.padding_mask`.
    """
    require_ids("ids", ids, pad_id)
    ids = tf.cast(ids, tf.int64)
    if pad_id is None:
        mask = tf.ones_like(ids, dtype=tf.bool)
    else:
        mask = ids != pad_id
    return mask[:, None, None, :]  # (batch, 1, 1, length)


def tf_causal_mask(
    length: int, key_length: int | None = None
) -> tf.Tensor:
    """Causal mask: True for keys not after a query.

    Otherwise as `scratch.torch.causal_mask`.
    """
    if key_length is None:
        key_length = length
    require_lengths(length, key_length)
    key = tf.range(key_length)
    query = key[key_length - length :]
    mask = key[None, :] <= query[:, None]
    return mask[None, None]  # (1, 1, length, key_length)
