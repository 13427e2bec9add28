"""From logits to text: greedy search and beam search."""

from scratch.arguments import (
    require_at_least,
    require_ids,
    require_length,
    require_positive,
)

import torch
import torch.nn.functional as F

FREE = -1  # stands where a token is still to be found


def plan_tokens(prompt, max_new_tokens, pad_id, fill):
    """Lay out what is given, what to find, and what to fill.

    prompt (batch, length), each row padded at its end with
    pad_id, None if nothing is.
    Returns: (batch, length + max_new_tokens): the prompt,
    FREE in max_new_tokens places, then `fill`.
    """
    blank = torch.full_like(prompt[:, :1], fill)
    blank = blank.repeat(1, max_new_tokens)
    plan = torch.cat([prompt, blank], 1)
    position = torch.arange(plan.shape[1]).to(plan.device)
    # a prompt ends with its last token that is no padding
    real = (plan != FREE) & (position < prompt.shape[1])
    if pad_id is not None:
        real = real & (plan != pad_id)
    last = torch.where(real, position, 0).amax(1)
    begin = last[:, None] + 1  # (batch, 1)
    end = begin + max_new_tokens
    plan = torch.where(position < begin, plan, FREE)
    return torch.where(position < end, plan, fill)


def greedy_search(
    next_logits, plan, eos_id, fill, use_cache=True
):
    """Take the likeliest token, again and again.

    next_logits(ids, cache): gives the logits (batch,
    vocab_size) of the next token, and the new cache, for the
    ids that the cache, () at first, has not seen.
    plan: from plan_tokens; a row that found eos_id goes on
    with `fill`; use_cache=False computes all anew.
    Returns: ids (batch, at most the plan's width).
    """
    begin = int((plan == FREE).any(0).int().argmax())
    ids = plan[:, :begin]
    new, cache = ids, ()
    ended = torch.zeros_like(plan[:, 0], dtype=torch.bool)
    for given in plan[:, begin:].unbind(1):  # (batch,)
        logits, later = next_logits(new, cache)
        free = (given == FREE) & ~ended
        given = torch.where(ended, fill, given)
        # token = argmax p(token | ids)
        token = torch.where(free, logits.argmax(-1), given)
        ended = ended | (free & (token == eos_id))
        ids = torch.cat([ids, token[:, None]], 1)
        if ended.all():
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], later
    return ids


def only(token, vocab_size):
    """Log-probabilities that leave no choice: 0, else -∞.

    token (rows,): the one that must come.
    Returns: (rows, vocab_size).
    """
    vocab = torch.arange(vocab_size).to(token.device)
    hit = vocab == token[:, None]
    return torch.where(hit, 0.0, -torch.inf)


def reorder(cache, rows):
    """Give each beam the cache of the beam it came from.

    cache: from the decoder, with batch · beam_size rows;
    rows (batch · beam_size,): where each comes from. Memory
    is the same for all the beams of a row: it stays.
    Returns: the new cache.
    """
    return [
        (keys[rows], values[rows], *memory)
        for keys, values, *memory in cache
    ]


def likelier(text, text_score, ids, score):
    """A row's best beam, or a text that is as good or better.

    text (batch, length) and its score (batch,); ids (batch ·
    beam_size, length), the beams, and score (batch,
    beam_size), theirs.
    Returns: the text, and its score.
    """
    batch, beam_size = score.shape
    top, place = score.max(1)
    first = torch.arange(batch).to(ids.device) * beam_size
    better = (top > text_score)[:, None]
    text = torch.where(better, ids[first + place], text)
    return text, torch.maximum(top, text_score)


def beam_search(
    next_logits,
    plan,
    eos_id,
    fill,
    use_cache=True,
    beam_size=4,
):
    """Keep the beam_size likeliest beginnings at every step.

    Arguments: as greedy_search, but next_logits is given
    batch · beam_size rows, the beams of a row together.
    Returns: for each row the ids whose log-probability, the
    sum over its tokens, is the highest that was found.
    Source: Sutskever et al. 2014, section 3.2.
    """
    batch = plan.shape[0]
    first = torch.arange(batch).to(plan.device) * beam_size
    begin = int((plan == FREE).any(0).int().argmax())
    text = plan[:, :begin]
    plan = plan.repeat_interleave(beam_size, 0)
    ids = plan[:, :begin]
    new, cache = ids, ()
    # all beams are equal at first: only one may go on
    score = only(torch.zeros_like(first), beam_size)
    text_score = torch.full_like(score[:, 0], -torch.inf)
    for given in plan[:, begin:].unbind(1):
        logits, later = next_logits(new, cache)
        size = logits.shape[-1]
        free = given == FREE
        # in full precision, for many are added up
        gain = torch.log_softmax(logits.float(), -1)
        gain = torch.where(
            free[:, None], gain, only(given, size)
        )
        # score = log p(ids) = Σ log p(token | ids before)
        total = score.reshape(-1, 1) + gain
        total = total.reshape(batch, beam_size * size)
        score, best = total.topk(beam_size)
        rows = (first[:, None] + best // size).flatten()
        token = (best % size).flatten()
        ids = torch.cat([ids[rows], token[:, None]], 1)
        # a text that ends leaves the beam; keep the best
        ended = free[rows] & (token == eos_id)
        ended = ended.reshape(batch, beam_size)
        text, text_score = likelier(
            F.pad(text, (0, 1), value=fill),
            text_score,
            ids,
            torch.where(ended, score, -torch.inf),
        )
        score = torch.where(ended, -torch.inf, score)
        # scores only fall: the others come too late
        if (text_score >= score.amax(1)).all():
            break
        new = ids
        if use_cache:
            new, cache = token[:, None], reorder(later, rows)
    text, _ = likelier(text, text_score, ids, score)
    return text


def forbid(next_logits, unwritten_ids):
    """next_logits, with no chance for some ids.

    unwritten_ids: those that must never be chosen.
    Returns: a function like next_logits.
    """

    def allowed(ids, cache):
        logits, cache = next_logits(ids, cache)
        hit = torch.zeros_like(logits[0], dtype=torch.bool)
        hit[list(unwritten_ids)] = True
        return torch.where(hit, -torch.inf, logits), cache

    return allowed


def generate_ids(
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
    plan = plan_tokens(prompt, max_new_tokens, pad_id, fill)
    if config.unwritten_ids:
        next_logits = forbid(
            next_logits, config.unwritten_ids
        )
    if beam_size == 1:
        return greedy_search(
            next_logits, plan, eos_id, fill, use_cache
        )
    return beam_search(
        next_logits, plan, eos_id, fill, use_cache, beam_size
    )
