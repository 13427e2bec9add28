"""From logits to text: drawing each token at random."""

import math
from collections.abc import Callable

from scratch.checks import require_finite, require_sampling
from scratch.random_numbers import uniform_numbers
from scratch.sampling import Sampling

import tensorflow as tf


def tf_token_ranks(logits: tf.Tensor) -> tf.Tensor:
    """Each token's place in the order of probability.

    Otherwise as `scratch.torch.token_ranks`.
    """
    order = tf.argsort(-logits, stable=True)
    return tf.argsort(order)


def tf_top_k_logits(
    logits: tf.Tensor, top_k: int
) -> tf.Tensor:
    """Logits in which only the top_k likeliest tokens may be
    drawn.

    Otherwise as `scratch.torch.top_k_logits`.
    """
    require_sampling(top_k=top_k)
    allowed = tf_token_ranks(logits) < top_k
    return tf.where(allowed, logits, -math.inf)


def tf_top_p_logits(
    logits: tf.Tensor, top_p: float
) -> tf.Tensor:
    """Logits in which only the nucleus may be drawn: the
    fewest likeliest tokens that together have top_p.

    Otherwise as `scratch.torch.top_p_logits`.
    """
    require_sampling(top_p=top_p)
    p = tf.nn.softmax(logits, -1)
    rank = tf_token_ranks(logits)
    likeliest_first = tf.gather(
        p, tf.argsort(rank), batch_dims=1
    )
    # p of all tokens that are likelier than each one
    before = tf.cumsum(likeliest_first, -1) - likeliest_first
    allowed = tf.gather(before, rank, batch_dims=1) < top_p
    return tf.where(allowed, logits, -math.inf)


def tf_drawn_tokens(
    logits: tf.Tensor, uniform: tf.Tensor
) -> tf.Tensor:
    """Draw a token for each row, by its probability.

    Otherwise as `scratch.torch.drawn_tokens`.
    """
    p = tf.nn.softmax(logits, -1)
    end = tf.cumsum(p, -1)  # where each token's part ends
    # rounding may leave the sum of all a little below 1
    mark = uniform[:, None] * end[:, -1:]
    return tf.math.count_nonzero(end <= mark, -1)


def tf_sample(
    next_logits: Callable,
    ids: tf.Tensor,
    eos_id: int | tf.Tensor,
    max_new_tokens: int,
    fill: int,
    sampling: Sampling,
    use_cache: bool = True,
) -> tf.Tensor:
    """Sampling: draw each next token by its probability.

    Otherwise as `scratch.torch.sample`.
    """
    new, cache = ids, ()
    ended = tf.zeros_like(ids[:, 0], dtype=tf.bool)
    numbers = uniform_numbers(
        sampling.seed, len(ids), max_new_tokens
    )
    for step in range(max_new_tokens):
        logits, later = next_logits(new, cache)
        require_finite(tf.reduce_max(logits, -1), ids, ended)
        # p(token | ids) = softmax(logits / temperature)
        logits = tf.cast(logits, tf.float64)
        # softmax stays the same, and nothing overflows
        logits -= tf.reduce_max(logits, -1, keepdims=True)
        logits = logits / sampling.temperature
        if sampling.top_k is not None:
            logits = tf_top_k_logits(logits, sampling.top_k)
        if sampling.top_p is not None:
            logits = tf_top_p_logits(logits, sampling.top_p)
        uniform = tf.convert_to_tensor(numbers[:, step])
        token = tf_drawn_tokens(logits, uniform)
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
