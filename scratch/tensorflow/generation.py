"""From logits to text: greedy search and beam search."""

import math
from collections.abc import Callable

from scratch.checks import require_finite
from scratch.tensorflow.kv_cache import tf_reordered

import tensorflow as tf


def tf_greedy_search(
    next_logits: Callable,
    ids: tf.Tensor,
    eos_id: int | tf.Tensor,
    max_new_tokens: int,
    fill: int,
    use_cache: bool = True,
) -> tf.Tensor:
    """Greedy search: always append the likeliest token.

    Otherwise as `scratch.torch.greedy_search`.
    """
    new, cache = ids, ()
    ended = tf.zeros_like(ids[:, 0], dtype=tf.bool)
    for _ in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(tf.reduce_max(logits, -1), ids, ended)
        # token = argmax p(token | ids)
        token = tf.argmax(logits, -1)  # (batch,)
        token = tf.cast(token, ids.dtype)
        token = tf.where(ended, fill, token)
        ended = ended | tf.reduce_any(
            token[:, None] == eos_id, -1
        )
        ids = tf.concat([ids, token[:, None]], 1)
        if tf.reduce_all(ended):
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], later
    return ids


def tf_highest(
    values: tf.Tensor, count: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """The highest values of each row, and their places.

    Otherwise as `scratch.torch.highest`.
    """
    return tuple(tf.math.top_k(values, count))


def tf_best_beams(
    score: tf.Tensor, logits: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The most probable continuations of all beams.

    Otherwise as `scratch.torch.best_beams`.
    """
    batch, beam_size = score.shape
    # score = log p(ids) = Σ log p(token | ids before)
    logits = tf.cast(logits, tf.float32)
    log_p = tf.nn.log_softmax(logits, -1)
    total = tf.reshape(score, (-1, 1)) + log_p
    size = total.shape[1]
    total = tf.reshape(total, (batch, -1))
    score, best = tf_highest(total, beam_size)
    first = tf.range(batch) * beam_size
    rows = tf.reshape(first[:, None] + best // size, (-1,))
    return score, rows, tf.reshape(best % size, (-1,))


def tf_best_text(
    text: tf.Tensor,
    text_score: tf.Tensor,
    ids: tf.Tensor,
    score: tf.Tensor,
) -> tuple[tf.Tensor, tf.Tensor]:
    """The more probable of a kept text and the best beam.

    Otherwise as `scratch.torch.best_text`.
    """
    batch, beam_size = score.shape
    beam = tf.argmax(score, 1)  # (batch,)
    score = tf.reduce_max(score, 1)
    ids = tf.reshape(ids, (batch, beam_size, -1))
    best = tf.gather(ids, beam, batch_dims=1)
    better = (score > text_score)[:, None]
    text = tf.where(better, best, text)
    return text, tf.maximum(score, text_score)


def tf_beam_search(
    next_logits: Callable,
    ids: tf.Tensor,
    eos_id: int | tf.Tensor,
    max_new_tokens: int,
    fill: int,
    use_cache: bool = True,
    beam_size: int = 4,
) -> tf.Tensor:
    """Beam search: keep the beam_size best beginnings.

    Otherwise as `scratch.torch.beam_search`.
    """
    batch = ids.shape[0]
    text = ids  # the best that ended, and its score
    text_score = tf.fill([batch], -math.inf)
    # all beams start equal: only one may go on
    score = [0.0] + [-math.inf] * (beam_size - 1)
    score = tf.constant([score] * batch)
    ids = tf.repeat(ids, beam_size, 0)
    new, cache = ids, ()
    for _ in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(
            tf.reduce_max(logits, -1), ids, None, beam_size
        )
        score, rows, token = tf_best_beams(score, logits)
        token = tf.cast(token, ids.dtype)
        ids = tf.gather(ids, rows)
        ids = tf.concat([ids, token[:, None]], 1)
        # a text that ends leaves the beam; keep the best
        ended = tf.reduce_any(token[:, None] == eos_id, -1)
        ended = tf.reshape(ended, score.shape)
        text, text_score = tf_best_text(
            tf.pad(text, [(0, 0), (0, 1)], "CONSTANT", fill),
            text_score,
            ids,
            tf.where(ended, score, -math.inf),
        )
        score = tf.where(ended, -math.inf, score)
        # scores only fall: no beam can win any more
        if tf.reduce_all(
            text_score >= tf.reduce_max(score, 1)
        ):
            break
        new = ids
        if use_cache:
            new, cache = (
                token[:, None],
                tf_reordered(later, rows),
            )
    return tf_best_text(text, text_score, ids, score)[0]


def tf_allowed_logits(
    logits: tf.Tensor, unwritten_ids: tuple[int, ...]
) -> tf.Tensor:
    """Logits in which some ids have probability 0.

    Otherwise as `scratch.torch.allowed_logits`.
    """
    if not unwritten_ids:
        return logits
    never = tf.one_hot(unwritten_ids, logits.shape[-1])
    never = tf.reduce_any(never > 0, 0)
    lowest = tf.constant(-math.inf, logits.dtype)
    return tf.where(never, lowest, logits)
