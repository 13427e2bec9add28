"""From logits to text: greedy search and beam search."""

import math

from scratch.arguments import (
    require_at_least,
    require_ids,
    require_length,
    require_positive,
)

import tensorflow as tf

TF_FREE = -1  # stands where a token is still to be found


def tf_plan_tokens(prompt, max_new_tokens, pad_id, fill):
    """Lay out what is given, what to find, and what to fill.

    prompt (batch, length), each row padded at its end with
    pad_id, None if nothing is.
    Returns: (batch, length + max_new_tokens): the prompt,
    TF_FREE in max_new_tokens places, then `fill`.
    """
    blank = tf.zeros_like(prompt[:, :1]) + fill
    blank = tf.repeat(blank, max_new_tokens, 1)
    plan = tf.concat([prompt, blank], 1)
    position = tf.range(plan.shape[1], dtype=plan.dtype)
    # a prompt ends with its last token that is no padding
    real = (plan != TF_FREE) & (position < prompt.shape[1])
    if pad_id is not None:
        real = real & (plan != pad_id)
    last = tf.reduce_max(tf.where(real, position, 0), 1)
    begin = last[:, None] + 1  # (batch, 1)
    end = begin + max_new_tokens
    plan = tf.where(position < begin, plan, TF_FREE)
    return tf.where(position < end, plan, fill)


def tf_greedy_search(
    next_logits, plan, eos_id, fill, use_cache=True
):
    """Take the likeliest token, again and again.

    next_logits(ids, cache): gives the logits (batch,
    vocab_size) of the next token, and the new cache, for the
    ids that the cache, () at first, has not seen.
    plan: from tf_plan_tokens; a row that found eos_id goes on
    with `fill`; use_cache=False computes all anew.
    Returns: ids (batch, at most the plan's width).
    """
    found = tf.reduce_any(plan == TF_FREE, 0)
    begin = int(tf.argmax(tf.cast(found, tf.int32)))
    ids = plan[:, :begin]
    new, cache = ids, ()
    ended = tf.zeros_like(plan[:, 0], dtype=tf.bool)
    for given in tf.unstack(
        plan[:, begin:], axis=1
    ):  # (batch,)
        logits, later = next_logits(new, cache)
        free = (given == TF_FREE) & ~ended
        given = tf.where(ended, fill, given)
        # token = argmax p(token | ids)
        token = tf.where(
            free, tf.argmax(logits, -1, plan.dtype), given
        )
        ended = ended | (free & (token == eos_id))
        ids = tf.concat([ids, token[:, None]], 1)
        if tf.reduce_all(ended):
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], later
    return ids


def tf_only(token, vocab_size):
    """Log-probabilities that leave no choice: 0, else -∞.

    token (rows,): the one that must come.
    Returns: (rows, vocab_size).
    """
    vocab = tf.range(vocab_size, dtype=token.dtype)
    hit = vocab == token[:, None]
    return tf.where(hit, 0.0, -math.inf)


def tf_reorder(cache, rows):
    """Give each beam the cache of the beam it came from.

    cache: from the decoder, with batch · beam_size rows;
    rows (batch · beam_size,): where each comes from. Memory
    is the same for all the beams of a row: it stays.
    Returns: the new cache.
    """
    return [
        (
            tf.gather(keys, rows),
            tf.gather(values, rows),
            *memory,
        )
        for keys, values, *memory in cache
    ]


def tf_likelier(text, text_score, ids, score):
    """A row's best beam, or a text that is as good or better.

    text (batch, length) and its score (batch,); ids (batch ·
    beam_size, length), the beams, and score (batch,
    beam_size), theirs.
    Returns: the text, and its score.
    """
    batch, beam_size = score.shape
    top, place = tf.math.top_k(score, 1)
    top, place = top[:, 0], tf.cast(place[:, 0], ids.dtype)
    first = tf.range(batch, dtype=ids.dtype) * beam_size
    better = (top > text_score)[:, None]
    best = tf.gather(ids, first + place)
    text = tf.where(better, best, text)
    return text, tf.maximum(top, text_score)


def tf_beam_search(
    next_logits,
    plan,
    eos_id,
    fill,
    use_cache=True,
    beam_size=4,
):
    """Keep the beam_size likeliest beginnings at every step.

    Arguments: as tf_greedy_search, but next_logits is given
    batch · beam_size rows, the beams of a row together.
    Returns: for each row the ids whose log-probability, the
    sum over its tokens, is the highest that was found.
    Source: Sutskever et al. 2014, section 3.2.
    """
    batch = plan.shape[0]
    first = tf.range(batch, dtype=plan.dtype) * beam_size
    found = tf.reduce_any(plan == TF_FREE, 0)
    begin = int(tf.argmax(tf.cast(found, tf.int32)))
    text = plan[:, :begin]
    plan = tf.repeat(plan, beam_size, 0)
    ids = plan[:, :begin]
    new, cache = ids, ()
    # all beams are equal at first: only one may go on
    score = tf_only(tf.zeros_like(first), beam_size)
    text_score = tf.fill([batch], -math.inf)
    for given in tf.unstack(plan[:, begin:], axis=1):
        logits, later = next_logits(new, cache)
        size = logits.shape[-1]
        free = given == TF_FREE
        # in full precision, for many are added up
        gain = tf.cast(logits, tf.float32)
        gain = tf.nn.log_softmax(gain, -1)
        gain = tf.where(
            free[:, None], gain, tf_only(given, size)
        )
        # score = log p(ids) = Σ log p(token | ids before)
        total = tf.reshape(score, (-1, 1)) + gain
        total = tf.reshape(total, (batch, beam_size * size))
        score, best = tf.math.top_k(total, beam_size)
        best = tf.cast(best, plan.dtype)
        rows = first[:, None] + best // size
        rows = tf.reshape(rows, (-1,))
        token = tf.reshape(best % size, (-1,))
        ids = tf.gather(ids, rows)
        ids = tf.concat([ids, token[:, None]], 1)
        # a text that ends leaves the beam; keep the best
        ended = tf.gather(free, rows) & (token == eos_id)
        ended = tf.reshape(ended, (batch, beam_size))
        text, text_score = tf_likelier(
            tf.pad(
                text, [(0, 0), (0, 1)], constant_values=fill
            ),
            text_score,
            ids,
            tf.where(ended, score, -math.inf),
        )
        score = tf.where(ended, -math.inf, score)
        # scores only fall: the others come too late
        if tf.reduce_all(
            text_score >= tf.reduce_max(score, 1)
        ):
            break
        new = ids
        if use_cache:
            new, cache = (
                token[:, None],
                tf_reorder(later, rows),
            )
    text, _ = tf_likelier(text, text_score, ids, score)
    return text


def tf_forbid(next_logits, unwritten_ids):
    """next_logits, with no chance for some ids.

    unwritten_ids: those that must never be chosen.
    Returns: a function like next_logits.
    """

    def allowed(ids, cache):
        logits, cache = next_logits(ids, cache)
        hit = tf.one_hot(unwritten_ids, logits.shape[-1])
        hit = tf.reduce_any(hit > 0, 0)
        never = tf.constant(-math.inf, logits.dtype)
        return tf.where(hit, never, logits), cache

    return allowed


def tf_generate_ids(
    next_logits,
    prompt,
    eos_id,
    max_new_tokens,
    config,
    beam_size=1,
    use_cache=True,
):
    """Continue a prompt by greedy search or beam search.

    next_logits: as in the two searches; prompt (batch,
    length), padded at the end of each row;
    eos_id: the token that ends a row; max_new_tokens: the
    most that is added to a row; config: the model's.
    Returns: ids (batch, at most length + max_new_tokens).
    Raises: ValueError beyond config.max_len.
    """
    require_ids("prompt", prompt)
    require_at_least("eos_id", eos_id, 0)
    require_positive("max_new_tokens", max_new_tokens)
    require_positive("beam_size", beam_size)
    # the last token is never read
    length = prompt.shape[1] + max_new_tokens - 1
    name = "prompt with max_new_tokens - 1"
    require_length(name, length, config.max_len)
    pad_id = config.pad_id
    fill = eos_id if pad_id is None else pad_id
    plan = tf_plan_tokens(
        prompt, max_new_tokens, pad_id, fill
    )
    if config.unwritten_ids:
        next_logits = tf_forbid(
            next_logits, config.unwritten_ids
        )
    if beam_size == 1:
        return tf_greedy_search(
            next_logits, plan, eos_id, fill, use_cache
        )
    return tf_beam_search(
        next_logits, plan, eos_id, fill, use_cache, beam_size
    )
