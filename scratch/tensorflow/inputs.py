"""What callers pass: ids and masks, as checked tensors."""

from scratch.arguments import (
    require_prompts,
    require_within,
    wanted_ids,
)

import keras
import tensorflow as tf


def tf_as_ids(ids: tf.Tensor) -> tf.Tensor:
    """Ids as a tensor of 64-bit integers."""
    return tf.cast(ids, tf.int64)


def tf_known_ids(
    name: str, ids: tf.Tensor, table: keras.layers.Embedding
) -> tf.Tensor:
    """Ids as a tensor, each checked to have a row in a table.

    Arguments, shapes and errors: as
    `scratch.torch.known_ids`.
    """
    ids, size = tf_as_ids(ids), table.input_dim
    if tf.executing_eagerly():
        values = ids.numpy()
        if values.size:
            require_within(
                name, values.min(), values.max(), size
            )
        return ids
    wrong = (ids < 0) | (ids >= size)
    # tf.debugging.Assert has a branch, of which TensorFlow
    # 2.20 warns the reader, at every level of its log.
    check = tf.raw_ops.Assert(
        condition=~tf.reduce_any(wrong),
        data=[f"{name} holds", ids[wrong], wanted_ids(size)],
    )
    # what reads the ids waits for the check
    with tf.control_dependencies([check]):
        return tf.identity(ids)


def tf_known_prompts(
    name: str, ids: tf.Tensor, table: keras.layers.Embedding
) -> tf.Tensor:
    """Prompts as a tensor that can be continued.

    Arguments, shapes and errors: as
    `scratch.torch.known_prompts`.
    """
    require_prompts(name, ids)
    if not tf.executing_eagerly():
        raise TypeError(
            f"{name} is a symbolic tensor: wanted one with "
            "values, because generate stops by what it "
            "writes; call it outside tf.function"
        )
    return tf_known_ids(name, ids, table)


def tf_known_targets(
    targets: tf.Tensor, size: int, pad_id: int | None
) -> tf.Tensor:
    """Targets, each checked to be an id or the padding.

    Arguments, shapes and errors: as
    `scratch.torch.known_targets`.
    """
    wrong = (targets < 0) | (targets >= size)
    wanted = wanted_ids(size)
    if pad_id is not None:
        wrong = wrong & (targets != pad_id)
        wanted += f", or the pad_id {pad_id}"
    given = targets[wrong]
    if not tf.is_symbolic_tensor(targets):
        if len(given):
            raise ValueError(
                f"targets holds {int(given[0])}{wanted}"
            )
        return targets
    check = tf.raw_ops.Assert(
        condition=~tf.reduce_any(wrong),
        data=["targets holds", given, wanted],
    )
    with tf.control_dependencies([check]):
        return tf.identity(targets)


def tf_as_mask(mask: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    """A mask as a tensor where x is."""
    return tf.convert_to_tensor(mask)
