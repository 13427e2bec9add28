"""Prompts of different lengths, padded on the left."""

from scratch.checks import (
    require_prompt_mask,
    require_prompts,
)

import tensorflow as tf


def tf_left_padded(
    ids: tf.Tensor, attention_mask: tf.Tensor
) -> tf.Tensor:
    """Move the padding of each prompt to its left end.

    Otherwise as `scratch.torch.left_padded`.
    """
    require_prompts("ids", ids)
    require_prompt_mask(attention_mask, ids)
    real = attention_mask[:, 0, 0]
    # False before True, otherwise in the order they had
    order = tf.argsort(tf.cast(real, tf.int32), stable=True)
    return tf.gather(ids, order, batch_dims=1)


def tf_written_mask(
    attention_mask: tf.Tensor, length: int
) -> tf.Tensor:
    """The mask of texts that continue padded prompts.

    Otherwise as `scratch.torch.written_mask`.
    """
    padding = tf.cast(~attention_mask, tf.int32)
    padding = tf.reduce_sum(padding, -1, keepdims=True)
    return tf.range(length) >= padding
